package crd

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// withoutSource are the fields of a Database or a Bucket, with all below them, that follow no rule of a cloud.
var withoutSource = map[string]string{
	"adoption":                      "a rule of Mooring about marks",
	"className":                     "names an object of Kubernetes",
	"connection":                    "a Secret of Kubernetes",
	"credentials.passwordSecretRef": "names a Secret of Kubernetes",
	"credentials.rotationPeriod":    "Mooring itself rotates the password",
	"deletionPolicy":                "a rule of Mooring about deletions",
	"externalName":                  "a rule of Mooring that fits both clouds",
	"management":                    "a rule of Mooring about what it changes",
	"parametersMode":                "a rule of Mooring about entries that others set",
	"providerConfigRef":             "names an object of Kubernetes",
	"restoreFrom.snapshotRef":       "names an object of Kubernetes",

	"restoreFrom.pointInTime.databaseRef": "names an object of Kubernetes",
	"replica.primaryRef":                  "names an object of Kubernetes",
	"size":                                "a name in the class's catalogue",
	"updates":                             "a rule of Mooring about when it sends changes",
	"whenVanished":                        "a rule of Mooring about servers that somebody else deleted",
}

// leaves visits the fields of a schema that have no fields of their own.
func leaves(path string, s apiextensionsv1.JSONSchemaProps, visit func(path string, s apiextensionsv1.JSONSchemaProps)) {
	if len(s.Properties) == 0 {
		visit(path, s)
	}
	for name, p := range s.Properties {
		leaves(strings.TrimPrefix(path+"."+name, "."), p, visit)
	}
}

// hasSource reports whether a description has a line that names a page.
func hasSource(description string) bool {
	return slices.ContainsFunc(strings.Split(description, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "Source: https://")
	})
}

// specOf returns the schema of a kind's spec.
func specOf(t *testing.T, kind string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	content, err := Files.ReadFile("mooring.dev_" + strings.ToLower(kind) + "s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(content, definition); err != nil {
		t.Fatal(err)
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

// TestFieldsNameTheirSource demands that the description of each field that follows a rule of a cloud names the page with that rule.
func TestFieldsNameTheirSource(t *testing.T) {
	exempt, sources := map[string]bool{}, 0
	for _, kind := range []string{"Database", "Bucket"} {
		leaves("", specOf(t, kind), func(path string, s apiextensionsv1.JSONSchemaProps) {
			for name := range withoutSource {
				if path == name || strings.HasPrefix(path, name+".") {
					exempt[name] = true
					return
				}
			}
			if sources++; !hasSource(s.Description) {
				t.Errorf(`spec.%s of a %s follows a rule of a cloud: write "Source: https://…", the page with that rule, as the last line of its comment in apis/, and run make generate`, path, kind)
			}
		})
	}
	for name, reason := range withoutSource {
		if !exempt[name] {
			t.Errorf("spec.%s is no field any more: remove it from the list (%s)", name, reason)
		}
	}
	if sources < 66 {
		t.Errorf("%d fields follow a rule of a cloud: the test reads them no more", sources)
	}
}
