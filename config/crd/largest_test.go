package crd_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/config/crd"
	"github.com/mooring-dev/mooring/test/largest"
)

func definitionOf(t *testing.T, file string) (d apiextensions.CustomResourceDefinition) {
	t.Helper()
	text, err := crd.Files.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &v1); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&v1, &d, nil); err != nil {
		t.Fatal(err)
	}
	d.Status.StoredVersions = []string{v1.Spec.Versions[0].Name}
	return d
}

// An API server takes the definitions: it estimates what their rules cost at worst, with every list as long as it may be.
func TestAnAPIServerTakesTheRules(t *testing.T) {
	files, err := crd.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		d := definitionOf(t, f.Name())
		for _, e := range validation.ValidateCustomResourceDefinition(t.Context(), &d) {
			t.Errorf("%s: %.300s", f.Name(), e)
		}
	}
}

// An API server takes a bucket with as many entries as its cloud takes, in each list: it refuses an object whose rules cost more than this, and what they cost
// is its time. A rule that compares each entry with each is refused from some hundred entries on.
func TestTheLongestListsCostTheAPIServerLittle(t *testing.T) {
	d := definitionOf(t, "mooring.dev_buckets.yaml")
	structural, err := schema.NewStructural(d.Spec.Validation.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	const most = celconfig.RuntimeCELCostBudget / 2
	lists := map[string]string{
		"lifecycle":                   `{name: "%d", prefix: "logs/%[1]d/", expireAfterDays: 30}`,
		"cors":                        `{allowedOrigins: ["https://%d.example.com"], allowedMethods: [GET]}`,
		"aws.metrics":                 `{name: "%d", prefix: "logs/%[1]d/"}`,
		"aws.intelligentTiering":      `{name: "%d", prefix: "logs/%[1]d/", archiveAccessDays: 90}`,
		"aws.analytics":               `{name: "%d", prefix: "logs/%[1]d/"}`,
		"aws.inventory":               `{name: "%d", frequency: Daily, includedObjectVersions: All, destination: {bucket: shop-lists, format: CSV}}`,
		"aws.replication.rules":       `{name: "%d", priority: %[1]d, bucket: shop-copies}`,
		"aws.notifications.queues":    `{name: "%d", arn: "arn:aws:sqs:eu-central-1:111122223333:q%[1]d", events: ["s3:ObjectCreated:*"]}`,
		"aws.notifications.functions": `{name: "%d", arn: "arn:aws:lambda:eu-central-1:111122223333:function:q%[1]d", events: ["s3:ObjectCreated:*"]}`,
		"gcp.iamBindings":             `{role: roles/storage.objectViewer, members: ["user:%d@example.com"]}`,
		"gcp.ipFilter.networks":       `{network: projects/shop/global/networks/n%d, allowedCIDRs: [10.0.0.0/8]}`,
	}
	beside := map[string]string{"gcp.ipFilter.networks networks": "mode: Enabled, "} // without which there is no filter
	longest := map[string]int{"lifecycle": 1000, "cors": 100, "aws.metrics": 1000, "aws.intelligentTiering": 1000, "aws.analytics": 1000, "aws.inventory": 1000,
		"aws.replication.rules": 1000, "aws.notifications.queues": 100, "aws.notifications.functions": 100, "gcp.iamBindings": 1500, "gcp.ipFilter.networks": 25}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		var entries []string
		for i := range longest[name] {
			entries = append(entries, fmt.Sprintf(lists[name], i))
		}
		text := "[" + strings.Join(entries, ", ") + "]"
		for _, step := range slices.Backward(strings.Split(name, ".")) {
			text = "{" + beside[name+" "+step] + step + ": " + text + "}"
		}
		raw, err := yaml.YAMLToJSON([]byte("{apiVersion: mooring.dev/v1alpha1, kind: Bucket, metadata: {name: photos, namespace: shop}, spec: " + text + "}"))
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := utiljson.Unmarshal(raw, &object); err != nil { // numbers as the API server has them
			t.Fatal(err)
		}
		errs, left := rules.Validate(context.Background(), nil, structural, object, nil, celconfig.RuntimeCELCostBudget)
		if len(errs) > 0 {
			t.Errorf("%s: %d errors, of which the first is %.300s", name, len(errs), errs[0])
		}
		if cost := celconfig.RuntimeCELCostBudget - left; cost > most {
			t.Errorf("%s costs %d, and may cost %d", name, cost, int64(most))
		}
	}
}

// Whatever a list of a bucket holds, its rules are evaluated: none is refused for what it costs.
func TestNoLargestFieldIsRefusedForItsCost(t *testing.T) {
	d := definitionOf(t, "mooring.dev_buckets.yaml")
	structural, err := schema.NewStructural(d.Spec.Validation.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := largest.Spec("buckets")
	if err != nil {
		t.Fatal(err)
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	for name, value := range largest.Alone(spec) {
		object := map[string]any{"apiVersion": "mooring.dev/v1alpha1", "kind": "Bucket", "metadata": map[string]any{"name": "photos"}, "spec": value}
		errs, _ := rules.Validate(context.Background(), nil, structural, object, nil, celconfig.RuntimeCELCostBudget)
		for _, e := range errs {
			if says := e.Error(); strings.Contains(says, "cost") || strings.Contains(says, "budget") {
				t.Errorf("%s: %.300s", name, says)
			}
		}
	}
}
