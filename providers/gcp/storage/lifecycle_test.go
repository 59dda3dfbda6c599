package storage

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

func lifecycleFrom(t *testing.T, text string) (rules []v1alpha1.LifecycleRule) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &rules); err != nil {
		t.Fatal(err)
	}
	return rules
}

// What a spec asks for is what Cloud Storage has afterwards, in the manner of the spec.
func TestLifecycleThereAndBack(t *testing.T) {
	for _, text := range []string{
		`[{"name":"rule-1","expireAfterDays":7}]`,
		`[{"name":"rule-1","prefix":"a","suffix":".b","expireAfterDays":7,"allVersions":true}]`,
		`[{"name":"rule-1","transitions":[{"afterDays":0,"storageClass":"NEARLINE"},{"afterDays":40,"storageClass":"Cold"},{"afterDays":90,"storageClass":"Archive"}]}]`,
		`[{"name":"rule-1","transitions":[{"afterDays":40,"storageClass":"Infrequent"}],"expireAfterDays":50,"abortUploadsAfterDays":3}]`,
		`[{"name":"rule-1","noncurrentVersions":{"expireAfterDays":0}}]`,
		`[{"name":"rule-1","noncurrentVersions":{"expireAfterDays":0,"keep":2}}]`,
		`[{"name":"rule-1","noncurrentVersions":{"expireAfterDays":9,"keep":2,"transitions":[{"afterDays":3,"storageClass":"Cold"}]}}]`,
		`[{"name":"rule-1","noncurrentVersions":{"transitions":[{"afterDays":0,"storageClass":"Cold"}]}}]`,
		`[{"name":"rule-1","prefix":"a","abortUploadsAfterDays":3},{"name":"rule-2","prefix":"b","abortUploadsAfterDays":3}]`,
		`[{"name":"rule-1","expireAfterDays":30,"allVersions":true},{"name":"rule-2","transitions":[{"afterDays":3,"storageClass":"Cold"}]}]`,
	} {
		want := lifecycleFrom(t, text)
		got := *haveLifecycle(&bucket{BucketAttrs: storage.BucketAttrs{Lifecycle: *storageLifecycle(want)}})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// A portable rule becomes rules of one action each, of which those that delete live objects say so: a condition on the age alone deletes noncurrent
// versions as well.
func TestLifecycleAsCloudStorageHasIt(t *testing.T) {
	sent := storageLifecycle(lifecycleFrom(t, `[{"name":"a","prefix":"p","expireAfterDays":7,"noncurrentVersions":{"expireAfterDays":9,"keep":2},"removeExpiredDeleteMarkers":true}]`))
	want := []storage.LifecycleRule{
		{Action: storage.LifecycleAction{Type: "Delete"}, Condition: storage.LifecycleCondition{AgeInDays: 7, Liveness: storage.Live, MatchesPrefix: []string{"p"}}},
		{Action: storage.LifecycleAction{Type: "Delete"}, Condition: storage.LifecycleCondition{DaysSinceNoncurrentTime: 9, NumNewerVersions: 3, Liveness: storage.Archived, MatchesPrefix: []string{"p"}}},
	}
	if diff := cmp.Diff(want, sent.Rules); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if storageLifecycle(nil) == nil {
		t.Error("no rules are sent as nothing, which keeps those that are there")
	}
}

// One rule for several names is as many rules of a spec.
func TestLifecycleOfSeveralNames(t *testing.T) {
	have := &bucket{BucketAttrs: storage.BucketAttrs{Lifecycle: storage.Lifecycle{Rules: []storage.LifecycleRule{{
		Action: storage.LifecycleAction{Type: "Delete"}, Condition: storage.LifecycleCondition{AgeInDays: 7, Liveness: storage.Live, MatchesPrefix: []string{"a", "b"}, MatchesSuffix: []string{"x", "y"}},
	}}}}}
	want := lifecycleFrom(t, `[{"name":"1","prefix":"b","suffix":"y","expireAfterDays":7},{"name":"2","prefix":"a","suffix":"x","expireAfterDays":7},
		{"name":"3","prefix":"a","suffix":"y","expireAfterDays":7},{"name":"4","prefix":"b","suffix":"x","expireAfterDays":7}]`)
	if !storageRules.Same(want, *haveLifecycle(have)) || storageRules.Same(want[1:], *haveLifecycle(have)) {
		t.Errorf("got %+v", *haveLifecycle(have))
	}
}

// A rule that a spec can't say is shown, and never taken for one that it can.
func TestRulesThatASpecCantSay(t *testing.T) {
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	remove, move, abort := storage.LifecycleAction{Type: "Delete"}, storage.LifecycleAction{Type: "SetStorageClass", StorageClass: "COLDLINE"}, storage.LifecycleAction{Type: "AbortIncompleteMultipartUpload"}
	for _, c := range []struct {
		storage.LifecycleRule
		shows string
	}{
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{AgeInDays: 7, CreatedBefore: day}}, "createdBefore 2026-01-02"},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{CustomTimeBefore: day}}, "customTimeBefore"},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{NoncurrentTimeBefore: day}}, "noncurrentTimeBefore"},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{AgeInDays: 7, DaysSinceCustomTime: 3}}, "daysSinceCustomTime 3"},
		{storage.LifecycleRule{Action: move, Condition: storage.LifecycleCondition{AgeInDays: 7, MatchesStorageClasses: []string{"STANDARD"}}}, `matchesStorageClass ["STANDARD"]`},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{AgeInDays: 7, Liveness: storage.Archived}}, "can't put together"},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{NumNewerVersions: 3, AgeInDays: 7}}, "can't put together"},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{NumNewerVersions: 1}}, "can't put together"},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{NumNewerVersions: 3, Liveness: storage.Live}}, "can't put together"},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{}}, "can't put together"},
		{storage.LifecycleRule{Action: remove, Condition: storage.LifecycleCondition{AllObjects: true}}, "all objects at once"},
		{storage.LifecycleRule{Action: move, Condition: storage.LifecycleCondition{NumNewerVersions: 3}}, "newer versions"},
		{storage.LifecycleRule{Action: abort, Condition: storage.LifecycleCondition{AllObjects: true}}, "can't put together"},
		{storage.LifecycleRule{Action: move, Condition: storage.LifecycleCondition{AgeInDays: 7, CreatedBefore: day, Liveness: storage.Live, MatchesPrefix: []string{"logs/"}, MatchesStorageClasses: []string{"STANDARD"}, NumNewerVersions: 3}},
			`its conditions are age 7, createdBefore 2026-01-02, isLive true, matchesPrefix ["logs/"], matchesStorageClass ["STANDARD"], numNewerVersions 3`},
		{storage.LifecycleRule{Action: storage.LifecycleAction{Type: "Melt"}, Condition: storage.LifecycleCondition{AgeInDays: 7}}, "no action that Mooring knows"},
	} {
		have := *haveLifecycle(&bucket{BucketAttrs: storage.BucketAttrs{Lifecycle: storage.Lifecycle{Rules: []storage.LifecycleRule{c.LifecycleRule}}}})
		if len(have) != 1 || !strings.HasPrefix(have[0].Name, "(") || !strings.Contains(have[0].Name, c.shows) {
			t.Errorf("%+v: shown as %+v, want %q", c.LifecycleRule, have, c.shows)
		}
		if storageRules.Same(have, nil) || storageRules.Same(have, []v1alpha1.LifecycleRule{{Name: "a", ExpireAfterDays: new(int32(7))}}) {
			t.Errorf("%+v: taken for another", c.LifecycleRule)
		}
	}
}

// What only S3 has in rules is refused by the field, and a prefix that looks like it is not.
func TestLifecycleThatCloudStorageLacks(t *testing.T) {
	for text, want := range map[string]int{
		`{"name":"a","tags":{"a":"b"},"expireAfterDays":7}`:                                             1,
		`{"name":"a","largerThanBytes":0,"expireAfterDays":7}`:                                          1,
		`{"name":"a","smallerThanBytes":7,"expireAfterDays":7}`:                                         1,
		`{"name":"a","transitions":[{"afterDays":40,"storageClass":"DEEP_ARCHIVE"}]}`:                   1,
		`{"name":"a","prefix":"\"tags\":","suffix":"x","allVersions":true,"expireAfterDays":7}`:         0,
		`{"name":"a","noncurrentVersions":{"transitions":[{"afterDays":40,"storageClass":"Archive"}]}}`: 0,
	} {
		var rule any
		if err := json.Unmarshal([]byte(text), &rule); err != nil {
			t.Fatal(err)
		}
		if got := driver.Lacking(lacks, map[string]any{"lifecycle": []any{rule}}); len(got) != want {
			t.Errorf("%s: lacks %v", text, got)
		}
	}
}
