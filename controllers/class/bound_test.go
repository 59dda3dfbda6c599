package class

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// principals returns a Bucket that lets in so many accounts, which its class does not allow, although it has as many patterns as it may have.
func principals(t *testing.T, n int) (*Class, Input) {
	t.Helper()
	class := classOf(t, catalogue, `spec: {sizes: null, defaultSize: ""}`)
	for i := range 32 {
		class.Spec.AllowedReferences = append(class.Spec.AllowedReferences, allowedReference("spec.aws.policy", fmt.Sprintf("arn:aws:iam::%d:(role|user)/.*", i)))
	}
	names := make([]any, n)
	for i := range names {
		names[i] = fmt.Sprintf("%012d", i)
	}
	return class, Input{
		Spec:      Tree{"aws": Tree{"policy": []any{Tree{"sid": "a", "effect": "Allow", "principals": Tree{"aws": names}}}}},
		Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws",
		References: References{"aws.policy": {Sort: driver.ReferencePrincipal}},
	}
}

// However much an object names that its class does not allow, a condition holds what is said of it: the first five, and how many more.
func TestAConditionHoldsWhatAClassRefuses(t *testing.T) {
	for n, want := range map[int]string{
		1: "000000000000", 5: "000000000004", 6: "and 1 more of spec.aws.policy", 175: "and 170 more of spec.aws.policy",
		mostNamed: fmt.Sprintf("and %d more of spec.aws.policy", mostNamed-prose.MostListed), mostNamed + 1: "names more than 5000 other cloud objects",
	} {
		class, o := principals(t, n)
		p := Join(Evaluate(class, o, nil).Problems)
		if p == nil || len(p.String()) > 8<<10 || !strings.Contains(p.String(), want) || !strings.HasPrefix(p.String(), "spec.aws.policy: ") {
			t.Errorf("of %d names it says %.3000s", n, p)
		}
	}
}

// What is wrong is told by work that grows with the object, and not with its square: patterns are read once, and no name is joined to all that were before.
// The most that one field can cause is a number of names.
func TestRefusalsTakeWorkByTheSizeOfTheObject(t *testing.T) {
	allocations := func(n int) float64 {
		class, o := principals(t, n)
		return testing.AllocsPerRun(1, func() { Join(Evaluate(class, o, nil).Problems) })
	}
	few, many := allocations(100), allocations(1000)
	if each := (many - few) / 900; each > 40 {
		t.Errorf("each name takes %v allocations", each)
	}
	if over, most := allocations(10*mostNamed), allocations(mostNamed); over > 3*most {
		t.Errorf("ten times as many names as Mooring looks at take %v allocations, those that it looks at %v", over, most)
	}
}

// A repair is taken although it brings to the first five what was behind them.
func TestARemovedNameIsNoNewRefusal(t *testing.T) {
	class, before := principals(t, 20)
	_, after := principals(t, 19)
	was := map[string]bool{}
	for _, p := range Evaluate(class, before, nil).Problems {
		was[p.String()] = true
	}
	for _, p := range Evaluate(class, after, nil).Problems {
		if !was[p.String()] {
			t.Errorf("new is %q", p)
		}
	}
}

func allowedReference(field, pattern string) v1alpha1.AllowedReference {
	return v1alpha1.AllowedReference{Field: field, Pattern: pattern}
}
