package recordings

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/config/crd"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/providers/portable"
)

// The drivers, as admission asks them: they call no cloud.
var (
	ofAWS = aws.New(aws.Options{})
	ofGCP = gcp.New(gcp.Options{})
)

// A schemaOf is what an API server makes of the definition of a kind.
type schemaOf struct {
	structural *schema.Structural
	fields     validation.SchemaValidator
	rules      *cel.Validator
}

var bucketSchema, databaseSchema = onceSchema("buckets"), onceSchema("databases")

func onceSchema(plural string) func() (*schemaOf, error) {
	return sync.OnceValues(func() (*schemaOf, error) {
		text, err := crd.Files.ReadFile("mooring.dev_" + plural + ".yaml")
		if err != nil {
			return nil, err
		}
		var d apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &d); err != nil {
			return nil, err
		}
		var props apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(d.Spec.Versions[0].Schema.OpenAPIV3Schema, &props, nil); err != nil {
			return nil, err
		}
		s := &schemaOf{}
		if s.structural, err = schema.NewStructural(&props); err != nil {
			return nil, err
		}
		s.rules = cel.NewValidator(s.structural, true, celconfig.PerCallLimit)
		s.fields, _, err = validation.NewSchemaValidator(&props)
		return s, err
	})
}

// refuses returns why an API server refuses a new object.
func (s *schemaOf) refuses(object map[string]any) (refusals []string) {
	errs := validation.ValidateCustomResource(nil, object, s.fields)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	broken, _ := s.rules.Validate(context.Background(), nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
	for _, e := range append(errs, broken...) {
		refusals = append(refusals, e.Error())
	}
	for _, unknown := range pruning.PruneWithOptions(object, s.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		refusals = append(refusals, "unknown field "+unknown)
	}
	return refusals
}

// refusedAsSpec returns why admission refuses a mirror as the spec of an object that adopts what is there.
func refusedAsSpec(t *testing.T, cloud driver.Driver, kind, location string, mirror json.RawMessage) []string {
	t.Helper()
	of := map[string]func() (*schemaOf, error){"Bucket": bucketSchema, "Database": databaseSchema}[kind]
	api, err := of()
	if err != nil {
		t.Fatal(err)
	}
	spec := map[string]any{}
	if err := utiljson.Unmarshal(mirror, &spec); err != nil { // numbers as the API server has them
		t.Fatal(err)
	}
	described := cloud.Describe()
	resource, ok := described.Resource(kind)
	if !ok {
		t.Fatalf("no kind %s", kind)
	}
	var refusals []string
	for _, lack := range driver.Lacking(resource.Lacks, spec) {
		refusals = append(refusals, fmt.Sprintf("%s: %s", lack.Field, lack))
	}
	checked, err := cloud.Check(kind, driver.Draft{Spec: mirror, Observed: mirror, Location: location})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range checked {
		refusals = append(refusals, r.Message)
	}
	spec["externalName"], spec["adoption"] = "recorded", "IfExists"
	spec["providerConfigRef"] = map[string]any{"kind": "ProviderConfig", "name": "recorded"}
	return append(refusals, api.refuses(map[string]any{
		"apiVersion": "mooring.dev/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "recorded", "namespace": "default"}, "spec": spec,
	})...)
}

// oddDays are the fields whose number -1 stands for a period that is no whole number of days, each with what says nothing without it.
var oddDays = map[string][]string{"days": {"locked"}, "softDeleteDays": nil}

// sayable returns what a spec can say of a mirror. The rest is said in words: an entry of a list that has a text in parentheses, or the number of oddDays.
func sayable(mirror any) (spec any, words []string) {
	switch mirror := mirror.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range mirror {
			inner, said := sayable(value)
			words = append(words, said...)
			if text, ok := value.(string); ok && (text == "Partial" || len(wordsIn(text)) > 0) { // "Partial" is what publicAccess says of some of the four blocks
				words = append(words, text)
				continue
			}
			if number, ok := value.(float64); ok && number == float64(portable.InexpressibleRetention) {
				if _, odd := oddDays[name]; odd {
					words = append(words, name)
					continue
				}
			}
			if said, empty := inner.(map[string]any); empty && len(said) == 0 { // a block of which nothing can be said
				continue
			}
			out[name] = inner
		}
		for name, with := range oddDays {
			if slices.Contains(words, name) {
				for _, w := range with {
					delete(out, w)
				}
			}
		}
		return out, words
	case []any:
		out := []any{}
		for _, entry := range mirror {
			if said := wordsIn(entry); len(said) > 0 {
				words = append(words, said...)
				continue
			}
			out = append(out, entry)
		}
		return out, words
	}
	return mirror, nil
}

// wordsIn returns the texts in parentheses.
func wordsIn(v any) (words []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			words = append(words, wordsIn(inner)...)
		}
	case []any:
		for _, inner := range v {
			words = append(words, wordsIn(inner)...)
		}
	case string:
		if strings.HasPrefix(v, "(") && strings.HasSuffix(v, ")") {
			words = append(words, v)
		}
	}
	return words
}

// An unsaidMirror explains refusals of mirrors: of what a recording has and no cloud, or of what people no longer get.
type unsaidMirror struct {
	refusal *regexp.Regexp
	why     string
	cases   int
}

// unsaid are the refusals of mirrors of recorded answers. One that explains nothing any more fails.
var unsaid = []*unsaidMirror{
	{refusal: regexp.MustCompile(`Invalid value: "<[A-Za-z]+(:[0-9]+)?>"`), why: "a placeholder, which stands in the recording for a name or a key"},
	{refusal: regexp.MustCompile(`replication.role: Invalid value: "role"`), why: "a placeholder, which stands in the recording for a role"},
	{refusal: regexp.MustCompile(`spec.engine: (Unsupported value: "(aurora|oracle-ee)"|Invalid value: spec.engine is required)`), why: otherFeature + "the engines Aurora and Oracle; or the recording has no engine, as those who made it filled it in by hand"},
	{refusal: regexp.MustCompile(`spec.aws.storageType: Unsupported value: "aurora"`), why: clusters},
	{refusal: regexp.MustCompile(`spec.version: (Invalid value: "(5\.[16]\.[0-9]+[ab]|[0-9.]+(ru|mysql_aurora)[^"]*)"|Too long)`), why: "versions of Aurora and Oracle, and one of MySQL that RDS no longer has"},
	{refusal: regexp.MustCompile(`spec.databaseName: Invalid value: "[A-Z]+"`), why: otherFeature + "the engine Oracle"},
	{refusal: regexp.MustCompile(`spec.storage.(maxS|s)izeGiB: Invalid value: [156]:`), why: "disks of 5 and 6 GiB, as RDS made them before 2017 and makes none today; a spec leaves spec.storage unset for them. Those of 1 GiB are Aurora's"},
	{refusal: regexp.MustCompile(`availabilityZone (must be a zone of spec.location|us-[a-z]+-[12][abc] is no zone)`), why: edited + "the zone is of another region than the ARN"},
	{refusal: regexp.MustCompile(`availability MultiZone needs (automatic backups|point-in-time recovery) in Google Cloud`), why: noBackups + ". The recording is from the mock of those who recorded it, and the reference ranks above it"},
	{refusal: regexp.MustCompile(`allowedOrigins\[0\]: Invalid value: ""`), why: "S3 keeps an empty origin, which lets no request in"},
}

// staleUnsaid returns the entries that explain nothing.
func staleUnsaid() (stale []string) {
	for _, u := range unsaid {
		if u.cases == 0 {
			stale = append(stale, u.refusal.String()+" ("+u.why+")")
		}
	}
	return stale
}

// wantSayable demands that a mirror is a spec that admission takes, which shows no difference, and that it says in words what no spec can say. again
// observes the object with a spec.
func wantSayable(t *testing.T, cloud driver.Driver, kind string, seen driver.Observation, again func(spec json.RawMessage) (driver.Observation, error)) {
	t.Helper()
	var mirror any
	if err := json.Unmarshal(seen.Mirror, &mirror); err != nil {
		t.Fatalf("mirror %s: %v", seen.Mirror, err)
	}
	spec, words := sayable(mirror)
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, refusal := range refusedAsSpec(t, cloud, kind, seen.Location, text) {
		if i := slices.IndexFunc(unsaid, func(u *unsaidMirror) bool { return u.refusal.MatchString(refusal) }); i >= 0 {
			unsaid[i].cases++
			continue
		}
		t.Errorf("the mirror is refused as a spec: %s\n%s", refusal, text)
	}
	if len(words) > 0 && len(refusedAsSpec(t, cloud, kind, seen.Location, seen.Mirror)) == 0 {
		t.Errorf("admission takes what is in words: %q", words)
	}
	said := func(c driver.Change) bool { // what is in words differs from a spec that leaves it out, and what waits for a restart does whatever a spec says
		return strings.HasSuffix(c.From, "(pending-reboot)") || slices.ContainsFunc(words, func(w string) bool {
			quoted, _ := json.Marshal(w)
			return strings.Contains(c.From, strings.Trim(string(quoted), `"`))
		})
	}
	changes, err := cloud.Preview(kind, seen.Mirror, text, nil)
	if changes = slices.DeleteFunc(changes, said); err != nil || len(changes) > 0 {
		t.Errorf("a preview of the mirror as a spec shows %v, error %v", changes, err)
	}
	if again == nil {
		return
	}
	o, err := again(text)
	if changes = slices.DeleteFunc(o.Changes, said); err != nil || len(changes) > 0 || len(o.Unreadable) > 0 {
		t.Errorf("the mirror as a spec shows the differences %v, unreadable %v, error %v\n%s", changes, o.Unreadable, err, text)
	}
}
