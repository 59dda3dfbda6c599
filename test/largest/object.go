package largest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/config/crd"
)

// Stored is how much of a spec the API server stores at most, in bytes: etcd takes requests of 1.5 MiB.
// https://etcd.io/docs/v3.6/dev-guide/limit/
const Stored = 3 << 19

// Spec returns the schema of the spec of a kind.
func Spec(plural string) (apiextensionsv1.JSONSchemaProps, error) {
	text, err := crd.Files.ReadFile("mooring.dev_" + plural + ".yaml")
	if err != nil {
		return apiextensionsv1.JSONSchemaProps{}, err
	}
	var d apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &d); err != nil {
		return apiextensionsv1.JSONSchemaProps{}, err
	}
	return d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"], nil
}

// A maker makes values that are as large as a schema allows, until so many bytes are left.
type maker struct{ left, serial int }

// Alone returns a spec for each field: it has that field as large as the schema and the API server allow, and nothing else.
func Alone(spec apiextensionsv1.JSONSchemaProps) map[string]map[string]any {
	all := map[string]map[string]any{}
	var walk func(path []string, s apiextensionsv1.JSONSchemaProps)
	walk = func(path []string, s apiextensionsv1.JSONSchemaProps) {
		if len(s.Properties) > 0 {
			for name, field := range s.Properties {
				walk(append(slices.Clone(path), name), field)
			}
			return
		}
		value := any((&maker{left: Stored}).make(s))
		for _, name := range slices.Backward(path) {
			value = map[string]any{name: value}
		}
		all[strings.Join(path, ".")] = value.(map[string]any)
	}
	walk(nil, spec)
	return all
}

// Together returns a spec with all fields, each as large as the schema allows, as far as the API server stores them; leaving out those named.
func Together(spec apiextensionsv1.JSONSchemaProps, without ...string) map[string]any {
	spec = *spec.DeepCopy()
	for _, name := range without {
		delete(spec.Properties, name)
	}
	return (&maker{left: Stored}).make(spec).(map[string]any)
}

func (m *maker) make(s apiextensionsv1.JSONSchemaProps) any {
	m.serial++
	switch {
	case len(s.Enum) > 0:
		var value any
		_ = yaml.Unmarshal(s.Enum[m.serial%len(s.Enum)].Raw, &value)
		m.left -= 16
		return value
	case s.Type == "string" && s.Format == "date-time":
		return "2026-01-01T00:00:00Z"
	case s.Type == "string":
		return m.text(s.MaxLength)
	case s.Type == "boolean":
		return true
	case s.Type == "integer" || s.XIntOrString:
		return int64(m.serial)
	case s.Type == "array":
		list := []any{}
		for range bound(s.MaxItems) {
			if m.left <= 0 {
				break
			}
			list = append(list, m.make(*s.Items.Schema))
		}
		return list
	}
	object := map[string]any{}
	if s.AdditionalProperties != nil {
		for range bound(s.MaxProperties) {
			if m.left <= 0 {
				break
			}
			object[m.text(nil)] = m.make(*s.AdditionalProperties.Schema)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if m.left <= 0 && !slices.Contains(s.Required, name) {
			continue
		}
		m.left -= len(name) + 4
		object[name] = m.make(s.Properties[name])
	}
	return object
}

// bound is what has no bound in the schema.
func bound(most *int64) int64 {
	if most == nil {
		return Stored
	}
	return *most
}

// text returns a text of the greatest length that is unlike all others.
func (m *maker) text(most *int64) string {
	m.serial++
	length := int64(60)
	if most != nil {
		length = *most
	}
	text := fmt.Sprintf("%06d", m.serial)
	text += strings.Repeat("x", max(0, int(length)-len(text)))
	text = text[:min(len(text), int(length))]
	m.left -= len(text) + 3
	return text
}
