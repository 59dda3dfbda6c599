package constraint

import (
	"k8s.io/apiserver/pkg/cel/common"
)

// Input holds the values of a rule's variables.
type Input struct {
	// Spec is the object's effective spec as a tree of map[string]any, []any, string, bool, int64 and float64. Unset
	// fields are left out.
	Spec map[string]any
	// Namespace is the object's namespace. Rules do not see its annotations.
	Namespace Metadata
	// Class is the object's class.
	Class Metadata
}

// Metadata is what rules see of a namespace or a class. A map without entries is an empty map in CEL, so that reading
// it is no error.
type Metadata struct {
	Name        string
	Labels      map[string]string
	Annotations map[string]string
}

func (in Input) activation(within *ambience) map[string]any {
	values := map[string]any{
		variableSpec:      withoutNulls(in.Spec),
		variableNamespace: in.Namespace.tree(),
		variableClass:     in.Class.tree(),
	}
	for name, tree := range values {
		values[name] = common.UnstructuredToVal(tree, within.schemas[name])
	}
	return values
}

func (m Metadata) tree() map[string]any {
	return map[string]any{"metadata": map[string]any{
		"name": m.Name, "labels": anyMap(m.Labels), "annotations": anyMap(m.Annotations),
	}}
}

func anyMap(m map[string]string) map[string]any {
	tree := make(map[string]any, len(m))
	for k, v := range m {
		tree[k] = v
	}
	return tree
}

// withoutNulls returns a tree as the API server would store it: a null in it is a field that is not set. It is never
// nil, nor does it change what it was given.
func withoutNulls(tree map[string]any) map[string]any {
	clean := make(map[string]any, len(tree))
	for k, v := range tree {
		switch v := v.(type) {
		case nil:
		case map[string]any:
			clean[k] = withoutNulls(v)
		default:
			clean[k] = v
		}
	}
	return clean
}
