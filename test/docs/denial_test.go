package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// denies matches the words by which pages say that something is missing. The reference and the chart's page are generated.
var (
	denies    = regexp.MustCompile(`(?i)\b(?:there (?:is|are) no|has no (?:field|such)|no field for|not there yet|no counterpart|Mooring (?:makes|creates) (?:no|none)|(?:is|are) not managed|does not manage|not yet)\b`)
	undenying = regexp.MustCompile(`^(docs/reference|charts)/|^CHANGELOG.md$`)
)

// denials are the sentences with such words. Where one says that Mooring can't do something, lacks has the fields that no kind may have then, as patterns
// for whole paths in a spec: so a sentence is found that was true once. Where a sentence is about something else, about says what.
var denials = []struct {
	page, says string
	lacks      []string
	about      string
}{
	{page: "README.md", says: "## What is not there yet", about: "the heading of the two entries below"},
	{page: "README.md", says: "- Database users other than the administrator, and identities of applications in the cloud: create them yourself",
		lacks: []string{`users`, `.*\.users`, `grants`, `databaseRoles`, `serviceAccounts?`}},
	{page: "docs/guides/network.md", says: "Mooring creates no networks, subnets, security groups or firewall rules", lacks: networks},
	{page: "docs/security/threat-model.md", says: "Mooring makes no networks, security groups or firewall rules", lacks: networks},
	{page: "docs/guides/network.md", says: "**2. An endpoint.** Mooring makes none", lacks: []string{`gcp\.pscConfig\.(endpoints?|consumerSubnets?)`}},
	{page: "docs/migrate/ack.md", says: "rules that are disabled or name dates have no counterpart", lacks: []string{`lifecycle\.(.*[dD]ate|.*[eE]nabled|.*[dD]isabled|status)`}},
	{page: "docs/migrate/config-connector.md", says: "conditions on dates, storage classes and custom times have no counterpart",
		lacks: []string{`lifecycle\.(.*[dD]ate|.*[bB]efore|matches.*|storageClass(es)?|.*[cC]ustomTime)`}},
	{page: "docs/guides/stores.md", says: "There are no Databases", about: "what stores have, and the driver's description refuses"},

	{page: "docs/migrate/ack.md", says: "| every setting that is not in [the reference]", about: "the reference, which is generated"},
	{page: "docs/migrate/crossplane.md", says: "| every setting that is not in [the reference]", about: "the reference, which is generated"},
	{page: "docs/migrate/config-connector.md", says: "| every setting that is not in [the reference]", about: "the reference, which is generated"},
	{page: "docs/migrate/README.md", says: "all settings that Mooring has no field for", about: "the reference, which is generated"},

	{page: "docs/gitops.md", says: "a field that is unset is not managed", about: "a field that an object leaves out"},
	{page: "docs/upgrade.md", says: "After the next upgrade such fields are not managed", about: "a field that the API server dropped"},
	{page: "docs/troubleshooting.md", says: "Mooring does not manage fields that the spec does not set", about: "a field that an object leaves out"},
	{page: "docs/runbooks/MooringDriftKeepsComingBack.md", says: "Mooring does not manage fields that the spec does not set", about: "a field that an object leaves out"},

	{page: "docs/guides/actions.md", says: "A Bucket has no such actions", about: "annotations: test/admission holds that one of a Bucket is warned of"},
	{page: "docs/guides/developer.md", says: "Mooring creates no empty database in its place", about: "what Mooring does"},
	{page: "docs/guides/developer.md", says: "Mooring makes no disruptive change", about: "what Mooring does"},
	{page: "docs/guides/developer.md", says: "a password that the cloud does not manage", about: "what the cloud does"},
	{page: "docs/guides/identities.md", says: "Mooring makes no calls for four of these actions", about: "what Mooring does"},
	{page: "docs/runbooks/MooringApprovalWaits.md", says: "Mooring makes no disruptive change without approval", about: "what Mooring does"},
	{page: "docs/guides/developer.md", says: `there is no size "huge" in class`, about: "an answer of the webhook"},
	{page: "docs/guides/developer.md", says: "or name a class if there is no default", about: "a class"},
	{page: "docs/guides/developer.md", says: "Whoever uses a driver that has no such setting", about: "drivers of databases"},
	{page: "docs/guides/developer.md", says: "If it does not yet, the message says so", about: "a bucket of a moment"},
	{page: "docs/guides/identities.md", says: "have no such name, so they need", about: "calls of Google Cloud"},
	{page: "docs/guides/identities.md", says: "if there are no DatabaseSnapshots", about: "objects of a cluster"},
	{page: "docs/guides/passwords.md", says: "has no such key, and allows others", about: "a specification of others"},
	{page: "docs/guides/platform.md", says: "Without a free place there is no final snapshot", about: "what clouds do"},
	{page: "docs/guides/stores.md", says: "there is no other safe default", about: "what stores do"},
	{page: "docs/install.md", says: `there is no BucketClass "no-such-class"`, about: "an answer of the webhook"},
	{page: "docs/migrate/README.md", says: "there is no connection Secret, and the password does not change", about: "an object that leaves a field out"},
	{page: "docs/runbooks/MooringAbsent.md", says: "If there is no pod", about: "Pods"},
	{page: "docs/runbooks/MooringApprovalWaits.md", says: "Then there is no difference any more", about: "an object"},
	{page: "docs/runbooks/MooringDeletionStuck.md", says: "there are no new Events in a namespace that is being deleted", about: "what Kubernetes does"},
	{page: "docs/runbooks/MooringResourceStalled.md", says: "there is no room for the final snapshot", about: "what clouds do"},
	{page: "docs/sizing.md", says: "so there is no Event for this", about: "Events"},
	{page: "docs/troubleshooting.md", says: "| nothing: there is no `Stalled` |", about: "a condition of an object"},
}

// networks are the fields by which Mooring would make what leads to a server, and not only name it.
var networks = []string{`.*(firewall|[iI]ngress|[eE]gress|[sS]ecurityGroup)(Rules?)`, `.*\.subnets?`, `.*\.createNetwork`}

// TestDenialsAreTrue holds what pages say of missing things to the definitions, and demands that each such sentence stands in denials.
func TestDenialsAreTrue(t *testing.T) {
	_, contents := pages(t)
	specs := map[string][]string{}
	for _, plural := range []string{"databases", "buckets", "databasesnapshots"} {
		specs[plural] = fieldPaths(specOf(t, plural), "")
	}
	if !slices.Contains(specs["buckets"], "lifecycle.transitions.afterDays") || !slices.Contains(specs["databases"], "gcp.pscConfig.enabled") {
		t.Fatalf("the test reads the definitions no more: %q", specs)
	}
	for _, d := range denials {
		if !strings.Contains(contents[d.page], d.says) {
			t.Errorf("%s does not say %q: correct the table, or take the entry out", d.page, d.says)
		}
		if (len(d.lacks) == 0) == (d.about == "") {
			t.Errorf("%s, %q: the table has to say either which fields are missing, or what the sentence is about", d.page, d.says)
		}
		for _, pattern := range d.lacks {
			whole := regexp.MustCompile(`^(?:` + pattern + `)$`)
			for plural, fields := range specs {
				for _, field := range fields {
					if whole.MatchString(field) {
						t.Errorf("%s says %q, and %s have the field %s", d.page, d.says, plural, field)
					}
				}
			}
		}
	}
	for page, content := range contents {
		if undenying.MatchString(page) {
			continue
		}
		for number, line := range strings.Split(content, "\n") {
			for _, at := range denies.FindAllStringIndex(line, -1) {
				if !isDenial(page, line, at) {
					t.Errorf("%s:%d: %q is in no sentence of the table denials", page, number+1, line[at[0]:at[1]])
				}
			}
		}
	}
}

// isDenial reports whether a sentence of the table is where a line has words of denial.
func isDenial(page, line string, at []int) bool {
	for _, d := range denials {
		begins := strings.Index(line, d.says)
		if d.page == page && begins >= 0 && begins <= at[0] {
			return true
		}
	}
	return false
}

// fieldPaths returns the paths of all fields of a schema, those of the entries of lists and maps among them.
func fieldPaths(in apiextensionsv1.JSONSchemaProps, prefix string) (paths []string) {
	for name, field := range in.Properties {
		paths = append(append(paths, prefix+name), fieldPaths(field, prefix+name+".")...)
	}
	if in.Items != nil && in.Items.Schema != nil {
		paths = append(paths, fieldPaths(*in.Items.Schema, prefix)...)
	}
	if in.AdditionalProperties != nil && in.AdditionalProperties.Schema != nil {
		paths = append(paths, fieldPaths(*in.AdditionalProperties.Schema, prefix)...)
	}
	return paths
}
