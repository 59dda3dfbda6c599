package constraint

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// estimator returns what estimates costs: the API server's, which knows its libraries, with the sizes that the
// schemas allow.
func (a *ambience) estimator() *library.CostEstimator {
	return &library.CostEstimator{SizeEstimator: sizes{a.types}}
}

// sizes knows how large the values at a path can be.
type sizes struct {
	variables map[string]*apiservercel.DeclType
}

// EstimateSize implements checker.CostEstimator. Nil means that the value has no size, or that the checker knows.
func (s sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	if at := s.at(node.Path()); at != nil {
		return &checker.SizeEstimate{Max: uint64(max(0, at.MaxElements))}
	}
	switch node.Type().Kind() {
	case types.StringKind, types.BytesKind, types.ListKind, types.MapKind, types.DynKind, types.OpaqueKind:
		// Of what is computed, as an optional entry, nobody knows the size. Taken for boundless, which is the default,
		// harmless rules would be refused; the limit at evaluation is there if this is wrong.
		return &checker.SizeEstimate{Max: maxValue}
	default:
		return nil
	}
}

// at returns what is at a path that begins with a variable, or nil.
func (s sizes) at(path []string) *apiservercel.DeclType {
	if len(path) == 0 {
		return nil
	}
	at := s.variables[path[0]]
	for _, name := range path[1:] {
		if at == nil {
			return nil
		}
		at = step(at, name)
	}
	return at
}

func step(at *apiservercel.DeclType, name string) *apiservercel.DeclType {
	switch name {
	case "@items", "@values":
		return at.ElemType
	case "@keys":
		return at.KeyType
	default:
		if field, ok := at.Fields[name]; ok {
			return field.Type
		}
		return nil
	}
}

// EstimateCallCost implements checker.CostEstimator. There are no functions of ours.
func (sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
