package portable

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Rules that can't stand beside each other are told, among as many as a cloud takes.
func TestClashingRules(t *testing.T) {
	many := func(n int) (rules []v1alpha1.LifecycleRule) {
		for i := range n {
			rules = append(rules, v1alpha1.LifecycleRule{Name: fmt.Sprint(i), Prefix: new(fmt.Sprintf("p%d/", i)), ExpireAfterDays: new(int32(1))})
		}
		return rules
	}
	rule := func(name string, prefix *string, change func(*v1alpha1.LifecycleRule)) v1alpha1.LifecycleRule {
		r := v1alpha1.LifecycleRule{Name: name, Prefix: prefix, ExpireAfterDays: new(int32(2))}
		if change != nil {
			change(&r)
		}
		return r
	}
	for name, tt := range map[string]struct {
		rules []v1alpha1.LifecycleRule
		want  string
	}{
		"none":                             {nil, ""},
		"1,000":                            {many(1000), ""},
		"one name":                         {append(many(999), rule("7", new("q"), nil)), `two rules of one name, "7"`},
		"the same objects":                 {append(many(999), rule("x", new("p7/"), nil)), `"7" and "x", that say the same`},
		"all objects, twice":               {[]v1alpha1.LifecycleRule{rule("a", nil, nil), rule("b", nil, nil)}, `"a" and "b", that say the same`},
		"all objects, and those of a name": {[]v1alpha1.LifecycleRule{rule("a", nil, nil), rule("b", new("b"), nil)}, ""},
		"another action": {[]v1alpha1.LifecycleRule{rule("a", nil, nil), rule("b", nil, func(r *v1alpha1.LifecycleRule) {
			r.ExpireAfterDays, r.AbortUploadsAfterDays = nil, new(int32(1))
		})}, ""},
		"by a suffix, tags or sizes": {[]v1alpha1.LifecycleRule{rule("a", nil, nil), rule("b", nil, func(r *v1alpha1.LifecycleRule) { r.Suffix = new("x") }),
			rule("c", nil, func(r *v1alpha1.LifecycleRule) { r.LargerThanBytes = new(int64(1)) })}, ""},
	} {
		if got := LifecycleConflict(tt.rules); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// What rules delete is found by work that does not grow with the square of them, and told in a line.
func TestDeletionsOfAsManyRulesAsACloudTakes(t *testing.T) {
	var from, to []v1alpha1.LifecycleRule
	for i := range 1000 {
		r := v1alpha1.LifecycleRule{Name: fmt.Sprint(i), Prefix: new(fmt.Sprintf("p%d/", i)), ExpireAfterDays: new(int32(30))}
		from = append(from, r)
		r.ExpireAfterDays = new(int32(30 - i%2))
		to = append(to, r)
	}
	says := plainLifecycle.Deletions(from, to)
	if len(says) > 1000 || !strings.HasSuffix(says, ", and 495 more") {
		t.Errorf("it says %s", says)
	}
	if plainLifecycle.Deletions(from, from) != "" {
		t.Error("the same rules delete more")
	}
	// Some 60 for each rule, and 70 under the race detector; to compare each with each would take a million.
	if n := testing.AllocsPerRun(1, func() { plainLifecycle.Deletions(from, to) }); n > 100_000 {
		t.Errorf("it takes %.0f allocations", n)
	}
}
