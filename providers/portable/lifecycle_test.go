package portable

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

type rule = v1alpha1.LifecycleRule

var plainLifecycle = Lifecycle{Class: func(c v1alpha1.LifecycleStorageClass) v1alpha1.LifecycleStorageClass { return c }}

// What rules newly delete is said, and nothing is said of what they deleted before at the latest.
func TestDeletionsOfALifecycle(t *testing.T) {
	month := rule{Name: "a", Prefix: new("logs/"), ExpireAfterDays: new(int32(30))}
	with := func(r rule, change func(*rule)) []rule {
		c := *r.DeepCopy()
		change(&c)
		return []rule{c}
	}
	old := rule{Name: "o", NoncurrentVersions: &v1alpha1.NoncurrentVersions{ExpireAfterDays: new(int32(30)), Keep: new(int32(3))}}
	for name, c := range map[string]struct {
		from, to []rule
		want     string
	}{
		"a first rule":                     {nil, []rule{month}, `objects with a name that begins with "logs/" are deleted 30 days after they were written`},
		"a rule for all":                   {nil, []rule{{Name: "a", ExpireAfterDays: new(int32(1))}}, "all objects are deleted 1 day after they were written"},
		"the same":                         {[]rule{month}, with(month, func(r *rule) { r.Name = "b" }), ""},
		"earlier":                          {[]rule{month}, with(month, func(r *rule) { r.ExpireAfterDays = new(int32(7)) }), `objects with a name that begins with "logs/" are deleted 7 days after they were written`},
		"later":                            {[]rule{month}, with(month, func(r *rule) { r.ExpireAfterDays = new(int32(60)) }), ""},
		"none":                             {[]rule{month}, nil, ""},
		"fewer objects":                    {[]rule{month}, with(month, func(r *rule) { r.Prefix = new("logs/a") }), ""},
		"fewer sizes":                      {[]rule{month}, with(month, func(r *rule) { r.LargerThanBytes, r.SmallerThanBytes = new(int64(5)), new(int64(9)) }), ""},
		"fewer tags":                       {[]rule{month}, with(month, func(r *rule) { r.Tags = map[string]v1alpha1.TagValue{"a": "b"} }), ""},
		"more tags":                        {with(month, func(r *rule) { r.Tags = map[string]v1alpha1.TagValue{"a": "b"} }), with(month, func(r *rule) { r.Tags = map[string]v1alpha1.TagValue{"c": "d"} }), `objects with a name that begins with "logs/" and the tag c=d are deleted 30 days after they were written`},
		"larger ones, too":                 {with(month, func(r *rule) { r.SmallerThanBytes = new(int64(9)) }), with(month, func(r *rule) { r.SmallerThanBytes = new(int64(10)) }), `objects with a name that begins with "logs/" and less than 10 bytes are deleted 30 days after they were written`},
		"smaller ones, too":                {with(month, func(r *rule) { r.LargerThanBytes = new(int64(9)) }), with(month, func(r *rule) { r.LargerThanBytes = new(int64(8)) }), `objects with a name that begins with "logs/" and more than 8 bytes are deleted 30 days after they were written`},
		"other names":                      {[]rule{month}, with(month, func(r *rule) { r.Prefix = new("log") }), `objects with a name that begins with "log" are deleted 30 days after they were written`},
		"other ends":                       {with(month, func(r *rule) { r.Suffix = new(".a") }), with(month, func(r *rule) { r.Suffix = new(".b") }), `objects with a name that begins with "logs/" and a name that ends with ".b" are deleted 30 days after they were written`},
		"versions, too":                    {[]rule{month}, with(month, func(r *rule) { r.AllVersions = new(true) }), `objects and their noncurrent versions with a name that begins with "logs/" are deleted 30 days after they were written`},
		"noncurrent versions":              {nil, []rule{old}, "noncurrent versions of all objects are deleted 30 days after they became noncurrent, except the latest 3"},
		"more are kept":                    {[]rule{old}, with(old, func(r *rule) { r.NoncurrentVersions.Keep = new(int32(4)) }), ""},
		"fewer are kept":                   {[]rule{old}, with(old, func(r *rule) { r.NoncurrentVersions.Keep = nil }), "noncurrent versions of all objects are deleted 30 days after they became noncurrent"},
		"live ones instead":                {[]rule{old}, []rule{{Name: "a", ExpireAfterDays: new(int32(60))}}, "all objects are deleted 60 days after they were written"},
		"no deletion":                      {nil, []rule{{Name: "a", AbortUploadsAfterDays: new(int32(1))}, {Name: "b", Transitions: []v1alpha1.LifecycleTransition{{AfterDays: new(int32(1)), StorageClass: "Cold"}}}}, ""},
		"beside a rule that can't be said": {[]rule{InexpressibleRule("x")}, []rule{month}, `objects with a name that begins with "logs/" are deleted 30 days after they were written`},
	} {
		if got := plainLifecycle.Deletions(c.from, c.to); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestMovesOfALifecycle(t *testing.T) {
	move := func(days int32, to v1alpha1.LifecycleStorageClass) []v1alpha1.LifecycleTransition {
		return []v1alpha1.LifecycleTransition{{AfterDays: &days, StorageClass: to}}
	}
	for _, c := range []struct {
		from, to []rule
		want     string
	}{
		{nil, []rule{{Transitions: move(0, "Archive")}}, "all objects move to Archive as soon as they were written"},
		{nil, []rule{{Transitions: move(0, "Cold")}}, ""},
		{[]rule{{Transitions: move(30, "Archive")}}, []rule{{Transitions: move(60, "Archive")}}, ""},
		{[]rule{{Transitions: move(30, "Archive")}}, []rule{{Transitions: move(20, "Archive")}}, "all objects move to Archive 20 days after they were written"},
		{nil, []rule{{NoncurrentVersions: &v1alpha1.NoncurrentVersions{Transitions: move(9, "Archive")}}}, "noncurrent versions of all objects move to Archive 9 days after they became noncurrent"},
	} {
		if got := plainLifecycle.Moves(c.from, c.to, "Archive"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Rules are the same if they do the same, and a rule that can't be said is like no other.
func TestSameLifecycles(t *testing.T) {
	one := []rule{{Name: "a", Prefix: new("p"), ExpireAfterDays: new(int32(3)), AbortUploadsAfterDays: new(int32(4))}}
	two := []rule{{Name: "b", Prefix: new("p"), AbortUploadsAfterDays: new(int32(4))}, {Name: "c", Prefix: new("p"), ExpireAfterDays: new(int32(3)), AllVersions: new(false)}}
	if !plainLifecycle.Same(one, two) {
		t.Error("one rule with two actions is not like two rules with one each")
	}
	if plainLifecycle.Same(one, two[:1]) || plainLifecycle.Same(one, append(two, InexpressibleRule("x"))) || plainLifecycle.Same([]rule{}, []rule{InexpressibleRule("x")}) {
		t.Error("a rule too few or too many makes no difference")
	}
	markers := []rule{{Name: "m", RemoveExpiredDeleteMarkers: new(true)}}
	if plainLifecycle.Same(markers, nil) || !(Lifecycle{Class: plainLifecycle.Class, NoMarkers: true}).Same(markers, nil) {
		t.Error("the removal of markers is an action where there are markers, and nowhere else")
	}
}
