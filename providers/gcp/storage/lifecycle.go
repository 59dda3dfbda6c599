package storage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// storageClasses are the exact names of the portable storage classes. https://cloud.google.com/storage/docs/storage-classes
var storageClasses = map[v1alpha1.LifecycleStorageClass]string{
	v1alpha1.StorageInfrequent: "NEARLINE", v1alpha1.StorageCold: "COLDLINE", v1alpha1.StorageArchive: "ARCHIVE",
}

// portableClass returns the portable name of a storage class, or the exact one if there is none.
func portableClass(c v1alpha1.LifecycleStorageClass) v1alpha1.LifecycleStorageClass {
	for class, exact := range storageClasses {
		if exact == string(c) {
			return class
		}
	}
	return c
}

// lifecycleLacks are parts of rules that only S3 has. Rules are matched as JSON. https://cloud.google.com/storage/docs/lifecycle#conditions
var lifecycleLacks = []driver.Lack{
	{Field: "lifecycle", Match: `"(largerThanBytes|smallerThanBytes)":`, Values: "a rule for sizes", Why: "Cloud Storage has no condition on the size of objects",
		Instead: "remove largerThanBytes and smallerThanBytes, or name the objects by prefix or suffix in spec.lifecycle"},
	{Field: "lifecycle", Match: `"tags":`, Values: "a rule for tags", Why: "objects of Cloud Storage have no tags", Instead: "name the objects by prefix or suffix in spec.lifecycle"},
	{Field: "lifecycle", Match: `"storageClass":"(STANDARD_IA|INTELLIGENT_TIERING|ONEZONE_IA|GLACIER_IR|GLACIER|DEEP_ARCHIVE)"`, Values: "a storage class of AWS", Why: "the bucket is in Cloud Storage",
		Instead: "name Infrequent, Cold or Archive in spec.lifecycle, or a class of Cloud Storage"},
}

var storageRules = portable.Lifecycle{Class: portableClass, NoMarkers: true}

// deletionCost is what it costs that rules begin to delete objects.
var deletionCost = driver.Cost{
	Text: "this includes objects that are in the bucket now: Cloud Storage begins within 24 hours, and nobody can bring them back, except that soft delete keeps them " +
		"for a while and a bucket with versioning keeps live objects as noncurrent versions",
	Source: "https://cloud.google.com/storage/docs/lifecycle#behavior",
}

// mostActions is how many rules Cloud Storage takes for a bucket: one for each action of a rule of a spec.
// https://cloud.google.com/storage/docs/lifecycle
const mostActions = 100

// checkLifecycle refuses rules that can't stand beside each other, and more than a bucket can have.
func checkLifecycle(spec *v1alpha1.BucketParameters) error {
	if clash := portable.LifecycleConflict(spec.Lifecycle); clash != "" {
		return table.Fields{"lifecycle"}.Refuse("%s", clash)
	}
	if n := len(storageRules.Actions(spec.Lifecycle)); n > mostActions {
		return table.Fields{"lifecycle"}.Refuse("spec.lifecycle has %d actions, and a bucket of Cloud Storage can have %d, counting each deletion and each transition of each rule: remove some", n, mostActions)
	}
	return nil
}

// lifecycleRow is when objects are deleted, and when they move.
var lifecycleRow = table.Alike(table.Rules("lifecycle",
	func(p *v1alpha1.BucketParameters) []v1alpha1.LifecycleRule { return p.Lifecycle },
	haveLifecycle,
	func(p *parameters, v []v1alpha1.LifecycleRule) { p.Lifecycle = v },
	func(r v1alpha1.LifecycleRule) v1alpha1.LifecycleRule { return r }, ""),
	storageRules.Same, "names, order, and how actions are spread over rules count for nothing; Infrequent is NEARLINE, Cold COLDLINE, Archive ARCHIVE",
).EffectOf(func(from *[]v1alpha1.LifecycleRule, to []v1alpha1.LifecycleRule, _ *bucket) (driver.Effect, string) {
	if deletions := storageRules.Deletions(*cmp.Or(from, &[]v1alpha1.LifecycleRule{}), to); deletions != "" {
		return driver.Irreversible, deletions
	}
	return driver.Online, ""
},
	driver.PossibleEffect{Effect: driver.Online, When: "nothing more is deleted"},
	driver.PossibleEffect{Effect: driver.Irreversible, When: "more objects or noncurrent versions are deleted, or earlier", Cost: deletionCost})

// storageLifecycle returns rules as Cloud Storage takes them, which has one action in each; never nil, which would leave those that are there.
func storageLifecycle(rules []v1alpha1.LifecycleRule) *storage.Lifecycle {
	out := &storage.Lifecycle{}
	for _, a := range storageRules.Actions(rules) {
		rule := storage.LifecycleRule{Action: storage.LifecycleAction{Type: storage.DeleteAction}}
		c := &rule.Condition
		if a.Prefix != nil {
			c.MatchesPrefix = []string{*a.Prefix}
		}
		if a.Suffix != nil {
			c.MatchesSuffix = []string{*a.Suffix}
		}
		if a.AllVersions == nil {
			c.Liveness = storage.Live
		}
		moves := a.Transitions
		switch old := a.NoncurrentVersions; {
		case a.ExpireAfterDays != nil:
			c.AgeInDays = int64(*a.ExpireAfterDays)
		case old != nil:
			c.Liveness, moves = storage.Archived, old.Transitions
			c.DaysSinceNoncurrentTime = daysOf(old.ExpireAfterDays)
			if old.Keep != nil {
				c.NumNewerVersions = int64(*old.Keep) + 1 // the live object is one of them
			}
		case a.AbortUploadsAfterDays != nil: // uploads have no versions
			rule.Action.Type, c.AgeInDays, c.Liveness = storage.AbortIncompleteMPUAction, int64(*a.AbortUploadsAfterDays), storage.LiveAndArchived
		}
		if len(moves) > 0 {
			class := cmp.Or(storageClasses[moves[0].StorageClass], string(moves[0].StorageClass))
			rule.Action = storage.LifecycleAction{Type: storage.SetStorageClassAction, StorageClass: class}
			if a.NoncurrentVersions != nil {
				c.DaysSinceNoncurrentTime = daysOf(moves[0].AfterDays)
			} else {
				c.AgeInDays, c.AllObjects = daysOf(moves[0].AfterDays), *moves[0].AfterDays == 0
			}
		}
		out.Rules = append(out.Rules, rule)
	}
	return out
}

func daysOf(n *int32) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

// haveLifecycle returns the rules of a bucket as a spec says them: actions on the same objects in one rule, as far as one can hold them. Cloud Storage
// has no names of rules, so they have numbers.
func haveLifecycle(b *bucket) *[]v1alpha1.LifecycleRule {
	rules := []v1alpha1.LifecycleRule{}
	for _, r := range b.Lifecycle.Rules {
		action, why := actionFrom(r)
		if why != "" {
			what := strings.TrimSpace(r.Action.Type + " " + r.Action.StorageClass)
			rules = append(rules, portable.InexpressibleRule(fmt.Sprintf("a rule that a spec can't say: %s, %s; its conditions are %s", what, why, inWords(r.Condition))))
			continue
		}
		for _, prefix := range some(r.Condition.MatchesPrefix) {
			for _, suffix := range some(r.Condition.MatchesSuffix) {
				one := *action.DeepCopy()
				one.Prefix, one.Suffix = resource.Present(prefix), resource.Present(suffix)
				rules = joined(rules, one)
			}
		}
	}
	for i := range rules {
		portable.SortTransitions(rules[i].Transitions)
		if old := rules[i].NoncurrentVersions; old != nil {
			portable.SortTransitions(old.Transitions)
		}
		if rules[i].Name == "" {
			rules[i].Name = fmt.Sprintf("rule-%d", i+1)
		}
	}
	return &rules
}

// some returns a list of names, of which none are all.
func some(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// notTogether says that a spec can't put the conditions of a rule together.
const notTogether = "with conditions that a spec can't put together"

// actionFrom returns the action of a rule without the names of its objects, or why a spec can't say it.
func actionFrom(r storage.LifecycleRule) (v1alpha1.LifecycleRule, string) {
	c, out := r.Condition, v1alpha1.LifecycleRule{}
	noncurrent := c.DaysSinceNoncurrentTime > 0 || c.NumNewerVersions > 0 || c.Liveness == storage.Archived
	aged := c.AgeInDays > 0 || c.AllObjects
	switch {
	case otherCondition(c):
		return out, "with a condition that a spec can't say"
	case noncurrent && (aged || c.Liveness == storage.Live), !noncurrent && !aged, c.NumNewerVersions == 1:
		return out, notTogether
	}
	if !noncurrent && c.Liveness == storage.LiveAndArchived {
		out.AllVersions = new(true)
	}
	switch r.Action.Type {
	case storage.DeleteAction:
		why := deletionFrom(c, noncurrent, &out)
		return out, why
	case storage.SetStorageClassAction:
		why := moveFrom(c, r.Action.StorageClass, noncurrent, &out)
		return out, why
	case storage.AbortIncompleteMPUAction:
		if noncurrent || c.AgeInDays == 0 {
			return out, notTogether
		}
		return v1alpha1.LifecycleRule{AbortUploadsAfterDays: new(int32(c.AgeInDays))}, ""
	}
	return out, "which is no action that Mooring knows"
}

// deletionFrom reads when a rule deletes. It returns why a spec can't say it.
func deletionFrom(c storage.LifecycleCondition, noncurrent bool, into *v1alpha1.LifecycleRule) string {
	switch {
	case noncurrent:
		into.NoncurrentVersions = &v1alpha1.NoncurrentVersions{ExpireAfterDays: new(int32(c.DaysSinceNoncurrentTime))}
		if c.NumNewerVersions > 0 {
			into.NoncurrentVersions.Keep = new(int32(c.NumNewerVersions - 1))
		}
	case c.AgeInDays == 0:
		return "of all objects at once"
	default:
		into.ExpireAfterDays = new(int32(c.AgeInDays))
	}
	return ""
}

// moveFrom reads when a rule moves objects to a storage class. It returns why a spec can't say it.
func moveFrom(c storage.LifecycleCondition, class string, noncurrent bool, into *v1alpha1.LifecycleRule) string {
	if c.NumNewerVersions > 0 {
		return "by the number of newer versions"
	}
	move := v1alpha1.LifecycleTransition{AfterDays: new(int32(c.AgeInDays + c.DaysSinceNoncurrentTime)), StorageClass: portableClass(v1alpha1.LifecycleStorageClass(class))}
	if move.StorageClass == v1alpha1.StorageInfrequent && *move.AfterDays < 30 { // which only the exact name may have
		move.StorageClass = "NEARLINE"
	}
	if noncurrent {
		into.NoncurrentVersions = &v1alpha1.NoncurrentVersions{Transitions: []v1alpha1.LifecycleTransition{move}}
	} else {
		into.Transitions = []v1alpha1.LifecycleTransition{move}
	}
	return ""
}

// otherCondition reports whether a rule has a condition that no spec can say.
func otherCondition(c storage.LifecycleCondition) bool {
	return !c.CreatedBefore.IsZero() || !c.CustomTimeBefore.IsZero() || !c.NoncurrentTimeBefore.IsZero() || c.DaysSinceCustomTime > 0 || len(c.MatchesStorageClasses) > 0
}

// joined puts an action into the first rule for the same objects that has room for it, or into a new one.
func joined(rules []v1alpha1.LifecycleRule, a v1alpha1.LifecycleRule) []v1alpha1.LifecycleRule {
	same := func(x, y *string) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	for i := range rules {
		r := &rules[i]
		if r.Name != "" || !same(r.Prefix, a.Prefix) || !same(r.Suffix, a.Suffix) {
			continue
		}
		byAge := func(x *v1alpha1.LifecycleRule) bool { return x.ExpireAfterDays != nil || len(x.Transitions) > 0 }
		old, add := r.NoncurrentVersions, a.NoncurrentVersions
		switch {
		case byAge(r) && byAge(&a) && (r.AllVersions == nil) != (a.AllVersions == nil):
		case a.ExpireAfterDays != nil && r.ExpireAfterDays == nil:
			r.ExpireAfterDays, r.AllVersions = a.ExpireAfterDays, a.AllVersions
			return rules
		case len(a.Transitions) > 0 && !slices.ContainsFunc(r.Transitions, func(t v1alpha1.LifecycleTransition) bool { return t.StorageClass == a.Transitions[0].StorageClass }):
			r.Transitions, r.AllVersions = append(r.Transitions, a.Transitions...), a.AllVersions
			return rules
		case a.AbortUploadsAfterDays != nil && r.AbortUploadsAfterDays == nil:
			r.AbortUploadsAfterDays = a.AbortUploadsAfterDays
			return rules
		case add != nil && old == nil:
			r.NoncurrentVersions = add
			return rules
		case add != nil && add.ExpireAfterDays != nil && old.ExpireAfterDays == nil:
			old.ExpireAfterDays, old.Keep = add.ExpireAfterDays, add.Keep
			return rules
		case add != nil && len(add.Transitions) > 0 && !slices.ContainsFunc(old.Transitions, func(t v1alpha1.LifecycleTransition) bool { return t.StorageClass == add.Transitions[0].StorageClass }):
			old.Transitions = append(old.Transitions, add.Transitions...)
			return rules
		}
	}
	return append(rules, a)
}
