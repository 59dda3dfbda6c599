package crd

import (
	"context"
	"math"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"sigs.k8s.io/yaml"
)

// aDatabase is one as people write it, with what its creation leaves in the status.
const aDatabase = `
apiVersion: mooring.dev/v1alpha1
kind: Database
metadata: {name: orders, namespace: shop}
spec:
  providerConfigRef: {kind: ClusterProviderConfig, name: aws}
  engine: postgres
  version: "16"
  databaseName: shop
  storage: {sizeGiB: 20}
  connection: {secretName: orders}
  aws: {instanceClass: db.t4g.micro}
status:
  externalName: shop-orders-x
  provider: aws
  location: eu-central-1
  fixed: {engine: postgres, databaseName: shop, credentials.username: postgres}
`

// definition is that of a kind.
func definition(t *testing.T, plural string) (d apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	text, err := Files.ReadFile("mooring.dev_" + plural + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// validator is what the API server makes of a kind's schema.
func validator(t *testing.T, plural string) func(object, old map[string]any) []string {
	t.Helper()
	d := definition(t, plural)
	var props apiextensions.JSONSchemaProps
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(d.Spec.Versions[0].Schema.OpenAPIV3Schema, &props, nil)
	if err != nil {
		t.Fatal(err)
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		t.Fatal(err)
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	return func(object, old map[string]any) (refusals []string) {
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})
		errs, _ := rules.Validate(context.Background(), nil, structural, object, old, math.MaxInt64, cel.WithRatcheting(correlated))
		for _, e := range errs {
			refusals = append(refusals, e.Error())
		}
		return refusals
	}
}

func parse(t *testing.T, text string) (object map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// A rule that looks at nothing but the spec belongs to the spec: the API server then holds against a write of the status, the metadata or the
// finalizers only what the write changes. A rule of the whole object that an upgrade brings would stop Mooring from writing the
// status of an object that is older than the rule, and from letting it go.
func TestRulesOfTheSpecLetTheStatusBeWritten(t *testing.T) {
	contradictions := map[string]map[string]string{
		"databases": {
			"two clouds":          "gcp: {tier: db-f1-micro}",
			"two ways to connect": "tls: Required\n  parameters: {rds.force_ssl: \"1\"}",
			"a size and a class":  "size: small",
			"two accounts":        "className: standard",
		},
	}
	for plural, specs := range contradictions {
		validate := validator(t, plural)
		for name, contradiction := range specs {
			t.Run(plural+", "+name, func(t *testing.T) {
				text := strings.Replace(aDatabase, "\nstatus:", "\n  "+contradiction+"\nstatus:", 1)
				old, object := parse(t, text), parse(t, text)
				object["status"].(map[string]any)["endpoint"] = "192.0.2.1:5432"
				if refused := validate(object, old); len(refused) > 0 {
					t.Errorf("a write of the status of what is stored already is refused: %q", refused)
				}
				object["spec"].(map[string]any)["version"] = "17"
				if refused := validate(object, old); len(refused) == 0 {
					t.Error("an edit of the spec that keeps the contradiction passes")
				}
			})
		}
	}
}

// A rule of the whole object looks at what the spec does not have.
func TestRulesOfTheObjectNeedIt(t *testing.T) {
	files, err := Files.ReadDir(".")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		plural := strings.TrimSuffix(strings.TrimPrefix(f.Name(), "mooring.dev_"), ".yaml")
		for _, r := range definition(t, plural).Spec.Versions[0].Schema.OpenAPIV3Schema.XValidations {
			if !strings.Contains(r.Rule, "status") && !strings.Contains(r.Rule, "metadata") && !strings.Contains(r.Rule, "oldSelf") {
				t.Errorf("%s: the rule %q looks at the spec alone: put it there", plural, r.Message)
			}
		}
	}
}

// Every write of an object, also of its status alone, has the API server evaluate all rules of its kind. Each access to a field makes it copy the
// description of all fields beside that one, so rules cost more the wider the spec is and the more often they name it: a rule asks
// for presence by has(self.x) or self.?x.?y once, and first for what is most often unset.
func TestRulesCostLittle(t *testing.T) {
	validate := validator(t, "databases")
	old, object := parse(t, aDatabase), parse(t, aDatabase)
	object["status"].(map[string]any)["endpoint"] = "192.0.2.1:5432"
	if refused := validate(object, old); len(refused) > 0 {
		t.Fatal(refused)
	}
	// About a millisecond of an API server: 9,069 now, of which a rule of one field that says what it wants in words has some seventy. With rules that looked
	// at each field from the root of the object they were twice as many; the race detector adds some thirty.
	const most = 9200 // allocations
	if allocations := testing.AllocsPerRun(20, func() { validate(object, old) }); allocations > most {
		t.Errorf("to validate a write of the status takes %.0f allocations, and may take %d", allocations, most)
	}
}
