package docs

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"sigs.k8s.io/yaml"
)

// What AWS takes of one identity, in characters and in policies. White space is not counted. The quota of trust policies and that of attached
// policies are the defaults: AWS doubles both for whoever asks.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const (
	managedPolicy    = 6144
	inlineOfRole     = 10240 // all inline policies of a role together
	inlineOfUser     = 2048  // all inline policies of a user together
	trustPolicy      = 2048
	attachedPolicies = 10
)

// What Google Cloud takes of a custom role, in bytes and permissions.
// https://cloud.google.com/iam/quotas#limits
const (
	roleTitle       = 100
	roleDescription = 300
	roleText        = 64 << 10 // the title, the description and the names of all permissions
	rolePermissions = 3000
	rolesOfProject  = 300
)

// longest is by what people replace what stands for their own in the policies, where that is longest.
var longest = map[string]string{
	"arn:aws:":                              "arn:aws-us-gov:", // the longest name of a partition
	"eu-central-1":                          "ap-southeast-1",  // the longest name of a region
	"9f0f1f2c-7a52-4c6e-8f0c-3d1c5b6a7e80":  strings.Repeat("i", 63),
	"arn:aws:s3:::shop-":                    "arn:aws-us-gov:s3:::" + strings.Repeat("n", 52) + "-", // longer names of namespaces are cut in those of buckets
	`namespace": "shop"`:                    `namespace": "` + strings.Repeat("n", 63) + `"`,
	"serviceaccount:mooring-system:mooring": "serviceaccount:" + strings.Repeat("n", 63) + ":" + strings.Repeat("a", 253),
	"serviceaccount:shop:cloud":             "serviceaccount:" + strings.Repeat("n", 63) + ":" + strings.Repeat("a", 253),
	"4c1d8f0a-2b3e-4d5f-9a6b-7c8d9e0f1a2b":  strings.Repeat("e", 1224), // an external id, as spec.credentials.assumeRoles takes it
	"role/mooring\"":                        "role/" + strings.Repeat("r", 64) + `"`,
	"role/rds-monitoring-role":              "role/" + strings.Repeat("r", 64),
	"role/shop-replication":                 "role/" + strings.Repeat("r", 64),
	"role/shop-imports":                     "role/" + strings.Repeat("r", 64),
	"role/shop-exports":                     "role/" + strings.Repeat("r", 64),
}

// filled returns a policy with the longest values of whoever uses it.
func filled(content string) string {
	var pairs []string
	for _, from := range slices.SortedFunc(maps.Keys(longest), func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, from, longest[from])
	}
	return strings.NewReplacer(pairs...).Replace(content)
}

// counted returns how many characters of a policy AWS counts.
func counted(content string) int {
	n := 0
	for _, r := range content {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// fits demands that something keeps to a limit, and says how much room is left.
func fits(t *testing.T, what string, size, most int, unit string) {
	t.Helper()
	if size > most {
		t.Errorf("%s: %d %s, and the limit is %d", what, size, unit, most)
		return
	}
	t.Logf("%s: %d of %d %s, room for %d", what, size, most, unit, most-size)
}

// TestPoliciesFit demands that AWS takes each policy, and all of an identity together, also with the longest names that people may have.
func TestPoliciesFit(t *testing.T) {
	read := policies(t)
	size := func(name string) int {
		t.Helper()
		content, ok := read[filepath.Join(root(t), "config", "samples", "iam", name)]
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		return counted(filled(content))
	}
	inline := size("aws-assume.json")
	for _, name := range sometimes {
		inline += size(name)
	}
	fits(t, "what only some fields take, inline of a user", inline, inlineOfUser, "characters")
	for _, set := range []string{own, tenant} {
		fits(t, set+"*", len(features)+len(sometimes), attachedPolicies, "attached policies")
	}
	for path, content := range read {
		switch name := filepath.Base(path); {
		case strings.HasPrefix(name, "aws-trust"):
			fits(t, name, counted(filled(content)), trustPolicy, "characters of a trust policy")
		case strings.HasPrefix(name, "aws-"):
			fits(t, name, counted(filled(content)), managedPolicy, "characters of a managed policy")
		}
	}
}

// TestPoliciesAreCountedAsAWSCounts holds the count to what AWS documents, and the longest values to the policies that have them.
func TestPoliciesAreCountedAsAWSCounts(t *testing.T) {
	if got := counted("{\n\t\"Version\": \"2012-10-17\",\r\n \"Sid\": \"é\"}"); got != 34 {
		t.Errorf("%d characters, want 34: white space is not counted, and a letter of two bytes is one", got)
	}
	all := strings.Join(slices.Collect(maps.Values(policies(t))), "")
	for from, to := range longest {
		if !strings.Contains(all, from) || len(to) <= len(from) {
			t.Errorf("%q: no policy has it, or what it stands for is no longer than it", from)
		}
	}
	for path, content := range policies(t) {
		for _, r := range content {
			if r > 0xff { // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html (IAM name requirements)
				t.Errorf("%s: IAM takes no %q", path, r)
			}
		}
	}
}

// Commands of AWS's that people paste: what goes over all features, and what becomes an inline policy.
var (
	eachFeature = regexp.MustCompile(`for feature in ([^;]+); do\n(?s:(.*?))\ndone`)
	fromFile    = regexp.MustCompile(`file://config/samples/iam/(\S+-)\$feature\.json`)
	putPolicy   = regexp.MustCompile(`aws iam put-(role|user)-policy .*file://config/samples/iam/([\w-]+\.json)`)
)

// TestCommandsMakePoliciesThatFit demands that the commands in the documents attach the policies of all features, and make none inline that is too long for that.
func TestCommandsMakePoliciesThatFit(t *testing.T) {
	var sets []string
	inline, read := 0, policies(t)
	for path, text := range files(t, root(t), ".md") {
		for _, loop := range eachFeature.FindAllStringSubmatch(text, -1) {
			if diff := cmp.Diff(features, strings.Fields(loop[1])); diff != "" {
				t.Errorf("%s: -features +those of a command:\n%s", path, diff)
			}
			for _, set := range fromFile.FindAllStringSubmatch(loop[2], -1) {
				sets = append(sets, set[1])
			}
		}
		for _, command := range putPolicy.FindAllStringSubmatch(text, -1) {
			inline++
			size, most := counted(filled(read[filepath.Join(root(t), "config", "samples", "iam", command[2])])), map[string]int{"role": inlineOfRole, "user": inlineOfUser}[command[1]]
			fits(t, path+": "+command[2], size, most, "characters of an inline policy")
		}
	}
	if diff := cmp.Diff([]string{own, tenant}, distinct(sets)); diff != "" || inline == 0 {
		t.Errorf("%d commands make inline policies; -sets +those that commands attach:\n%s", inline, diff)
	}
}

// createRole is a command that people paste.
var createRole = regexp.MustCompile(`gcloud iam roles create (\S+)`)

// TestRolesFit demands that Google Cloud takes each role, by the name that the guides give it.
func TestRolesFit(t *testing.T) {
	roles := 0
	for path := range policies(t) {
		name := filepath.Base(path)
		if !strings.HasPrefix(name, "gcp-role") {
			continue
		}
		roles++
		r := readRole(t, name)
		fits(t, name, len(r.Title), roleTitle, "bytes of a title")
		fits(t, name, len(r.Description), roleDescription, "bytes of a description")
		fits(t, name, len(r.IncludedPermissions), rolePermissions, "permissions")
		fits(t, name, len(r.Title)+len(r.Description)+len(strings.Join(r.IncludedPermissions, "")), roleText, "bytes of text")
	}
	fits(t, "gcp-role*", roles, rolesOfProject, "roles of a project")
	ids := 0
	for path, text := range files(t, filepath.Join(root(t), "docs"), ".md") {
		for _, id := range createRole.FindAllStringSubmatch(text, -1) {
			ids++
			if !regexp.MustCompile(`^[A-Za-z0-9_.]{3,64}$`).MatchString(id[1]) { // https://cloud.google.com/iam/docs/creating-custom-roles
				t.Errorf("%s: %q can't be the id of a role", path, id[1])
			}
		}
	}
	if roles == 0 || ids == 0 {
		t.Errorf("%d roles, %d commands that create one", roles, ids)
	}
}

// TestManifestsCanBeApplied demands of all objects in config, and of the generated ones in the chart, that they fit into the annotation in which kubectl
// apply keeps them, with a quarter of what all annotations may have left for others. test/api demands the same of the definitions.
func TestManifestsCanBeApplied(t *testing.T) {
	objects, largest, size := 0, "", 0
	for _, folder := range []string{"config", filepath.Join("charts", "mooring", "files")} {
		for path, text := range files(t, filepath.Join(root(t), folder), ".yaml") {
			if name := filepath.Base(filepath.Dir(path)); name == "crd" || name == "crds" {
				continue
			}
			for document := range strings.SplitSeq("\n"+text, "\n---\n") {
				object, err := yaml.YAMLToJSON([]byte(document))
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
				if objects++; len(object) > size {
					largest, size = path, len(object)
				}
			}
		}
	}
	fits(t, "the largest object, in "+largest, len(corev1.LastAppliedConfigAnnotation)+size, apivalidation.TotalAnnotationSizeLimitB*3/4, "bytes of an annotation")
	if objects < 100 {
		t.Errorf("%d objects", objects)
	}
}
