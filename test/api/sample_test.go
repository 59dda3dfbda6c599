package api

import (
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// entries stands in a path for the entries of a list.
const entries = "[]"

// A shape is a definition whose objects are made of samples. It is a copy without the rules about values, which samples do not keep.
type shape struct {
	crd  *apiextensionsv1.CustomResourceDefinition
	spec apiextensionsv1.JSONSchemaProps
}

// shapes returns the shapes of all kinds, in a group of their own. They are not installed.
func shapes(t *testing.T, group string) map[string]shape {
	t.Helper()
	all, _ := definitions(t)
	out := map[string]shape{}
	for kind, crd := range all {
		crd = copyOf(crd, group)
		withoutRules(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
		out[kind] = shape{crd, crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]}
	}
	return out
}

// install installs the definitions of shapes, or changes them.
func install(t *testing.T, all map[string]shape) {
	t.Helper()
	var options envtest.CRDInstallOptions
	for _, s := range all {
		options.CRDs = append(options.CRDs, s.crd.DeepCopy())
	}
	if _, err := envtest.InstallCRDs(server, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = envtest.UninstallCRDs(server, options) })
}

// withoutRules leaves of a schema what it says of types and of how many entries there are.
func withoutRules(s *apiextensionsv1.JSONSchemaProps) {
	s.XValidations, s.Pattern, s.MinLength, s.Minimum, s.Format = nil, "", nil, nil, ""
	for name, p := range s.Properties {
		withoutRules(&p)
		s.Properties[name] = p
	}
	if s.Items != nil && s.Items.Schema != nil {
		withoutRules(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		withoutRules(s.AdditionalProperties.Schema)
	}
}

// object returns an object with a spec.
func (s shape) object(name string, spec any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: s.crd.Spec.Group, Version: s.crd.Spec.Versions[0].Name, Kind: s.crd.Spec.Names.Kind})
	o.SetName(name)
	if s.crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		o.SetNamespace(namespace)
	}
	return o
}

// with returns a spec with a value at a path, and beside it what the schema requires.
func (s shape) with(path []string, value any) any { return with(s.spec, path, value) }

func with(s apiextensionsv1.JSONSchemaProps, path []string, value any) any {
	switch {
	case len(path) == 0:
		return value
	case path[0] == entries:
		return []any{with(*s.Items.Schema, path[1:], value)}
	}
	object := required(s, 0)
	object[path[0]] = with(s.Properties[path[0]], path[1:], value)
	return object
}

// at returns what a spec has at a path, and whether it has anything.
func at(spec any, path []string) (value any, exists bool) {
	for _, step := range path {
		if list, isList := spec.([]any); isList && step == entries {
			if len(list) == 0 {
				return nil, false
			}
			spec = list[0]
			continue
		}
		object, _ := spec.(map[string]any)
		if spec, exists = object[step]; !exists {
			return nil, false
		}
	}
	return spec, true
}

// sample returns a value that is not empty. Another serial is another value, as far as the type has one.
func sample(s apiextensionsv1.JSONSchemaProps, serial int) any {
	switch {
	case len(s.Enum) > 0:
		var value any
		_ = json.Unmarshal(s.Enum[serial%len(s.Enum)].Raw, &value)
		return value
	case s.Type == "string":
		return string(rune('a' + serial))
	case s.Type == "boolean":
		return serial%2 == 0
	case s.Type == "array":
		return []any{sample(*s.Items.Schema, serial)}
	case s.Type == "object":
		object := required(s, serial)
		if s.AdditionalProperties != nil {
			object[string(rune('a'+serial))] = sample(*s.AdditionalProperties.Schema, serial)
		}
		if names := slices.Sorted(maps.Keys(s.Properties)); len(object) == 0 && len(names) > 0 {
			object[names[0]] = sample(s.Properties[names[0]], serial)
		}
		return object
	}
	return int64(serial + 1)
}

func required(s apiextensionsv1.JSONSchemaProps, serial int) map[string]any {
	object := map[string]any{}
	for _, name := range s.Required {
		object[name] = sample(s.Properties[name], serial)
	}
	return object
}

// empty returns the empty value of a list, a map or a struct.
func empty(s apiextensionsv1.JSONSchemaProps) any {
	if s.Type == "array" {
		return []any{}
	}
	return map[string]any{}
}

// A field is a list, a map or a struct in a spec.
type field struct {
	path   []string
	schema apiextensionsv1.JSONSchemaProps
}

// name returns what the field is called in exceptions: the parameters of a class are those of its kind.
func (f field) name() string {
	path := f.path
	if len(path) > 1 && (path[0] == "defaults" || path[0] == "enforced") {
		path = path[1:]
	}
	return strings.Join(path, ".")
}

// fields returns those of which the schema takes an empty value and a value that is not.
func (s shape) fields() (all []field) {
	var visit func(path []string, of apiextensionsv1.JSONSchemaProps)
	visit = func(path []string, of apiextensionsv1.JSONSchemaProps) {
		list := of.Type == "array" && of.MinItems == nil
		object := of.Type == "object" && of.MinProperties == nil && len(of.Required) == 0 && (len(of.Properties) > 0 || of.AdditionalProperties != nil)
		if len(path) > 0 && path[len(path)-1] != entries && (list || object) {
			all = append(all, field{path, of})
		}
		for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
			visit(append(slices.Clone(path), name), of.Properties[name])
		}
		if of.Items != nil && of.Items.Schema != nil {
			visit(append(slices.Clone(path), entries), *of.Items.Schema)
		}
	}
	visit(nil, s.spec)
	return all
}

// apply applies an object server-side, and reads what is stored into it. Without force, fields that another manager has with other values are a conflict.
func apply(t *testing.T, o *unstructured.Unstructured, manager string, options ...client.ApplyOption) error {
	t.Helper()
	return api.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), append(options, client.FieldOwner(manager))...)
}
