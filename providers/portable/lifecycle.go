package portable

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// A Lifecycle is what rules of a bucket do, in a cloud. Its methods take rules apart: what a rule does to an object depends on one action and on
// the objects that it applies to, and on neither the name nor the order of rules.
type Lifecycle struct {
	// Class returns the portable name of a storage class, or the exact one if there is none, so that both names of a class mean the same.
	Class func(v1alpha1.LifecycleStorageClass) v1alpha1.LifecycleStorageClass
	// NoMarkers says that the cloud has no delete markers: a rule that removes them does nothing.
	NoMarkers bool
}

// InexpressibleRule returns what stands in a mirror for a rule of the cloud that a spec can't say. It is like no rule of a spec, whose names
// begin with no parenthesis.
func InexpressibleRule(text string) v1alpha1.LifecycleRule {
	return v1alpha1.LifecycleRule{Name: "(" + text + ")"}
}

func inexpressible(r v1alpha1.LifecycleRule) bool { return strings.HasPrefix(r.Name, "(") }

// Actions returns rules without names that have one action each, and together do what rules do.
func (l Lifecycle) Actions(rules []v1alpha1.LifecycleRule) (actions []v1alpha1.LifecycleRule) {
	for _, r := range rules {
		if inexpressible(r) {
			actions = append(actions, v1alpha1.LifecycleRule{Name: r.Name})
			continue
		}
		for _, set := range slices.Concat(l.byAge(r), l.ofNoncurrent(r.NoncurrentVersions), l.cleaning(r)) {
			a := v1alpha1.LifecycleRule{Prefix: nonEmpty(r.Prefix), Suffix: nonEmpty(r.Suffix), Tags: r.Tags, LargerThanBytes: r.LargerThanBytes, SmallerThanBytes: r.SmallerThanBytes}
			set(&a)
			actions = append(actions, a)
		}
	}
	return actions
}

// byAge returns what a rule does to objects by their age, as what makes it an action of a rule.
func (l Lifecycle) byAge(r v1alpha1.LifecycleRule) (sets []func(*v1alpha1.LifecycleRule)) {
	var all *bool
	if r.AllVersions != nil && *r.AllVersions {
		all = r.AllVersions
	}
	if r.ExpireAfterDays != nil {
		sets = append(sets, func(a *v1alpha1.LifecycleRule) { a.ExpireAfterDays, a.AllVersions = r.ExpireAfterDays, all })
	}
	for _, t := range r.Transitions {
		sets = append(sets, func(a *v1alpha1.LifecycleRule) { a.Transitions, a.AllVersions = l.move(t), all })
	}
	return sets
}

// ofNoncurrent returns what a rule does to noncurrent versions.
func (l Lifecycle) ofNoncurrent(old *v1alpha1.NoncurrentVersions) (sets []func(*v1alpha1.LifecycleRule)) {
	if old == nil {
		return nil
	}
	if old.ExpireAfterDays != nil {
		sets = append(sets, func(a *v1alpha1.LifecycleRule) {
			a.NoncurrentVersions = &v1alpha1.NoncurrentVersions{ExpireAfterDays: old.ExpireAfterDays, Keep: old.Keep}
		})
	}
	for _, t := range old.Transitions {
		sets = append(sets, func(a *v1alpha1.LifecycleRule) {
			a.NoncurrentVersions = &v1alpha1.NoncurrentVersions{Transitions: l.move(t)}
		})
	}
	return sets
}

// cleaning returns what a rule does to uploads and delete markers.
func (l Lifecycle) cleaning(r v1alpha1.LifecycleRule) (sets []func(*v1alpha1.LifecycleRule)) {
	if r.AbortUploadsAfterDays != nil {
		sets = append(sets, func(a *v1alpha1.LifecycleRule) { a.AbortUploadsAfterDays = r.AbortUploadsAfterDays })
	}
	if r.RemoveExpiredDeleteMarkers != nil && *r.RemoveExpiredDeleteMarkers && !l.NoMarkers {
		sets = append(sets, func(a *v1alpha1.LifecycleRule) { a.RemoveExpiredDeleteMarkers = r.RemoveExpiredDeleteMarkers })
	}
	return sets
}

func (l Lifecycle) move(t v1alpha1.LifecycleTransition) []v1alpha1.LifecycleTransition {
	return []v1alpha1.LifecycleTransition{{AfterDays: t.AfterDays, StorageClass: l.Class(t.StorageClass)}}
}

// SortTransitions sorts transitions as a spec has them: by their days.
func SortTransitions(transitions []v1alpha1.LifecycleTransition) {
	slices.SortStableFunc(transitions, func(a, b v1alpha1.LifecycleTransition) int { return cmp.Compare(*a.AfterDays, *b.AfterDays) })
}

// Same reports whether rules do the same.
func (l Lifecycle) Same(a, b []v1alpha1.LifecycleRule) bool {
	return slices.Equal(l.texts(a), l.texts(b))
}

func (l Lifecycle) texts(rules []v1alpha1.LifecycleRule) (texts []string) {
	for _, a := range l.Actions(rules) {
		raw, err := json.Marshal(a)
		texts = append(texts, fmt.Sprint(string(raw), err))
	}
	return distinct(texts)
}

// Deletions says what rules delete that the former ones did not, or not as early; empty if there is nothing.
func (l Lifecycle) Deletions(from, to []v1alpha1.LifecycleRule) string {
	return l.more(from, to, func(a v1alpha1.LifecycleRule) (int32, string) {
		switch old := a.NoncurrentVersions; {
		case a.ExpireAfterDays != nil:
			return *a.ExpireAfterDays, fmt.Sprintf("%s are deleted %s", objectsOf(a), daysAfter(*a.ExpireAfterDays, "they were written"))
		case old != nil && old.ExpireAfterDays != nil:
			spared := ""
			if old.Keep != nil {
				spared = fmt.Sprintf(", except the latest %d", *old.Keep)
			}
			return *old.ExpireAfterDays, fmt.Sprintf("noncurrent versions of %s are deleted %s%s", objectsOf(a), daysAfter(*old.ExpireAfterDays, "they became noncurrent"), spared)
		}
		return -1, ""
	})
}

// Moves says what rules move to one of some classes that the former ones did not, or not as early; empty if there is nothing.
func (l Lifecycle) Moves(from, to []v1alpha1.LifecycleRule, classes ...v1alpha1.LifecycleStorageClass) string {
	return l.more(from, to, func(a v1alpha1.LifecycleRule) (int32, string) {
		what, since, moves := objectsOf(a), "they were written", a.Transitions
		if old := a.NoncurrentVersions; old != nil {
			what, since, moves = "noncurrent versions of "+what, "they became noncurrent", old.Transitions
		}
		if len(moves) == 0 || !slices.Contains(classes, moves[0].StorageClass) {
			return -1, ""
		}
		return *moves[0].AfterDays, fmt.Sprintf("%s move to %s %s", what, moves[0].StorageClass, daysAfter(*moves[0].AfterDays, since))
	})
}

// more returns the words for the actions of to that do something to objects earlier than those of from. describe returns when an action does what is
// asked about, and words for it; a negative number if it does not do that.
func (l Lifecycle) more(from, to []v1alpha1.LifecycleRule, describe func(v1alpha1.LifecycleRule) (int32, string)) string {
	actions, before := l.Actions(to), l.acting(from, describe)
	if len(actions)*len(before) > mostCompared {
		before = nil // what covers more than the same objects is not looked for
	}
	same := map[string]int32{}
	for _, b := range l.acting(from, describe) {
		key := filterOf(b.rule)
		if at, has := same[key]; !has || b.at < at {
			same[key] = b.at
		}
	}
	var lines []string
	for _, a := range actions {
		at, line := describe(a)
		if at < 0 {
			continue
		}
		if was, has := same[filterOf(a)]; has && was <= at {
			continue
		}
		if !slices.ContainsFunc(before, func(b acting) bool { return b.at <= at && covers(b.rule, a) }) {
			lines = append(lines, line)
		}
	}
	lines = distinct(lines)
	if n := len(lines) - prose.MostListed; n > 0 {
		lines = append(lines[:prose.MostListed:prose.MostListed], fmt.Sprintf("%d more", n))
	}
	return strings.Join(lines, ", and ")
}

// mostCompared is how many pairs of actions are compared to find out what covers what. It takes some milliseconds. Of more, only what is about the same
// objects is, so that a change may be said to delete what another rule deleted before.
const mostCompared = 250_000

// An acting is an action that does what is asked about, and when.
type acting struct {
	rule v1alpha1.LifecycleRule
	at   int32
}

func (l Lifecycle) acting(rules []v1alpha1.LifecycleRule, describe func(v1alpha1.LifecycleRule) (int32, string)) (all []acting) {
	for _, a := range l.Actions(rules) {
		if at, _ := describe(a); at >= 0 {
			all = append(all, acting{a, at})
		}
	}
	return all
}

// filterOf returns to what an action applies, apart from the time.
func filterOf(a v1alpha1.LifecycleRule) string {
	if old := a.NoncurrentVersions; old != nil {
		a.NoncurrentVersions = &v1alpha1.NoncurrentVersions{Keep: old.Keep}
	}
	a.ExpireAfterDays, a.Transitions = nil, nil
	raw, err := json.Marshal(a)
	return fmt.Sprint(string(raw), err)
}

// covers reports whether an action applies to all objects that another applies to, if not for the time. It may say no where it does.
func covers(wide, narrow v1alpha1.LifecycleRule) bool {
	old, other := wide.NoncurrentVersions, narrow.NoncurrentVersions
	switch {
	case (old == nil) != (other == nil), wide.AllVersions == nil && narrow.AllVersions != nil:
		return false
	case old != nil && old.Keep != nil && (other.Keep == nil || *other.Keep < *old.Keep):
		return false
	case wide.Prefix != nil && (narrow.Prefix == nil || !strings.HasPrefix(*narrow.Prefix, *wide.Prefix)):
		return false
	case wide.Suffix != nil && (narrow.Suffix == nil || !strings.HasSuffix(*narrow.Suffix, *wide.Suffix)):
		return false
	case wide.LargerThanBytes != nil && (narrow.LargerThanBytes == nil || *narrow.LargerThanBytes < *wide.LargerThanBytes):
		return false
	case wide.SmallerThanBytes != nil && (narrow.SmallerThanBytes == nil || *narrow.SmallerThanBytes > *wide.SmallerThanBytes):
		return false
	}
	for key, value := range wide.Tags {
		if got, ok := narrow.Tags[key]; !ok || got != value {
			return false
		}
	}
	return true
}

// objectsOf says to which objects a rule applies.
func objectsOf(r v1alpha1.LifecycleRule) string {
	var with []string
	if r.Prefix != nil {
		with = append(with, fmt.Sprintf("a name that begins with %q", *r.Prefix))
	}
	if r.Suffix != nil {
		with = append(with, fmt.Sprintf("a name that ends with %q", *r.Suffix))
	}
	if r.LargerThanBytes != nil {
		with = append(with, fmt.Sprintf("more than %d bytes", *r.LargerThanBytes))
	}
	if r.SmallerThanBytes != nil {
		with = append(with, fmt.Sprintf("less than %d bytes", *r.SmallerThanBytes))
	}
	for _, key := range slices.Sorted(maps.Keys(r.Tags)) {
		with = append(with, fmt.Sprintf("the tag %s=%s", key, r.Tags[key]))
	}
	what := "objects"
	if r.AllVersions != nil {
		what = "objects and their noncurrent versions"
	}
	if len(with) == 0 {
		return "all " + what
	}
	return what + " with " + strings.Join(with, " and ")
}

func daysAfter(n int32, since string) string {
	switch n {
	case 0:
		return "as soon as " + since
	case 1:
		return "1 day after " + since
	}
	return fmt.Sprintf("%d days after %s", n, since)
}

func nonEmpty(s *string) *string {
	if s != nil && *s == "" {
		return nil
	}
	return s
}
