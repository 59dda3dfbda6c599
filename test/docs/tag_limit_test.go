package docs

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// fewestTags is how many tags AWS takes of an object; Google Cloud takes 64 labels.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/CostAllocTagging.html
// https://cloud.google.com/resource-manager/docs/labels-overview#requirements
const fewestTags = 50

// TestTagsLeaveRoomForTheMark demands that a spec has no more tags than a cloud takes beside those of a mark.
func TestTagsLeaveRoomForTheMark(t *testing.T) {
	found := 0
	for path, text := range files(t, filepath.Join(root(t), "config", "crd"), ".yaml") {
		var d apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal([]byte(text), &d); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		spec := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		for _, of := range []apiextensionsv1.JSONSchemaProps{spec, spec.Properties["defaults"], spec.Properties["enforced"]} {
			tags, has := of.Properties["tags"]
			if !has {
				continue
			}
			found++
			if tags.MaxProperties == nil {
				t.Errorf("%s: there may be any number of tags", path)
				continue
			}
			fits(t, d.Spec.Names.Kind, int(*tags.MaxProperties)+driver.MarkLabels, fewestTags, "tags with those of a mark")
		}
	}
	if found < 7 {
		t.Errorf("%d fields with tags, want those of each kind and of its class", found)
	}
}

// TestTagsOfSpecAndClassAreCounted demands of each kind whose objects have their mark in tags that more than the cloud takes are refused before anything is sent.
func TestTagsOfSpecAndClassAreCounted(t *testing.T) {
	tags := map[string]string{}
	for i := range 64 {
		tags[fmt.Sprint("k", i)] = "v"
	}
	spec, err := json.Marshal(map[string]any{"tags": tags})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []driver.Driver{aws.New(aws.Options{}), gcp.New(gcp.Options{})} {
		for _, r := range d.Describe().Resources {
			if r.Ownership != driver.OwnedByTags || !slices.ContainsFunc(r.Fields, func(f driver.Field) bool { return f.Field == "tags" }) {
				continue
			}
			refused, err := d.Check(r.Kind, driver.Draft{Spec: spec})
			if err != nil || !slices.ContainsFunc(refused, func(r driver.Refusal) bool { return slices.Equal(r.Fields, []string{"tags"}) }) {
				t.Errorf("%s takes %d tags of a %s beside its mark: %v, %v", d.Describe().Name, len(tags), r.Kind, refused, err)
			}
		}
	}
}
