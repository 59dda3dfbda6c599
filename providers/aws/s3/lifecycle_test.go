package s3

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What a spec asks for is what S3 has afterwards, in the manner of the spec.
func TestLifecycleThereAndBack(t *testing.T) {
	for _, text := range []string{
		`{"name":"a","expireAfterDays":7}`,
		`{"name":"a","prefix":"p","abortUploadsAfterDays":7}`,
		`{"name":"a","tags":{"a":"b"},"expireAfterDays":7}`,
		`{"name":"a","tags":{"a":"b","c":"d"},"expireAfterDays":7}`,
		`{"name":"a","largerThanBytes":0,"expireAfterDays":7}`,
		`{"name":"a","smallerThanBytes":3,"expireAfterDays":7}`,
		`{"name":"a","prefix":"p","tags":{"a":"b"},"largerThanBytes":1,"smallerThanBytes":3,"expireAfterDays":7}`,
		`{"name":"a","transitions":[{"afterDays":30,"storageClass":"Infrequent"},{"afterDays":60,"storageClass":"Cold"},{"afterDays":90,"storageClass":"Archive"},{"afterDays":400,"storageClass":"DEEP_ARCHIVE"}]}`,
		`{"name":"a","noncurrentVersions":{"expireAfterDays":90,"keep":2,"transitions":[{"afterDays":3,"storageClass":"Cold"}]},"removeExpiredDeleteMarkers":true}`,
	} {
		var want v1alpha1.LifecycleRule
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, ruleFrom(ruleTo(want))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// A rule that a spec can't say is shown with its id, and never taken for one that it can. One of former times has its prefix beside the filter.
func TestRulesThatASpecCantSay(t *testing.T) {
	day, week := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), new(int32(7))
	rule := func(change func(*types.LifecycleRule)) types.LifecycleRule {
		r := types.LifecycleRule{ID: new("theirs"), Status: "Enabled", Filter: &types.LifecycleRuleFilter{}, Expiration: &types.LifecycleExpiration{Days: week}}
		change(&r)
		return r
	}
	for shows, r := range map[string]types.LifecycleRule{
		"it is disabled":                   rule(func(r *types.LifecycleRule) { r.Status = "Disabled" }),
		"it deletes objects on 2026-01-02": rule(func(r *types.LifecycleRule) { r.Expiration = &types.LifecycleExpiration{Date: &day} }),
		"it deletes noncurrent versions without": rule(func(r *types.LifecycleRule) {
			r.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NewerNoncurrentVersions: week}
		}),
		"it moves objects to GLACIER on 2026-01-02": rule(func(r *types.LifecycleRule) {
			r.Transitions = []types.Transition{{Date: &day, StorageClass: "GLACIER"}}
		}),
		"it moves objects to GLACIER without": rule(func(r *types.LifecycleRule) { r.Transitions = []types.Transition{{StorageClass: "GLACIER"}} }),
		"keeps 7 where they are": rule(func(r *types.LifecycleRule) {
			r.NoncurrentVersionTransitions = []types.NoncurrentVersionTransition{{NoncurrentDays: week, NewerNoncurrentVersions: week, StorageClass: "GLACIER"}}
		}),
	} {
		have := []v1alpha1.LifecycleRule{ruleFrom(r)}
		if name := have[0].Name; !strings.HasPrefix(name, `(rule "theirs": `) || !strings.Contains(name, shows) {
			t.Errorf("shown as %q, want %q", name, shows)
		}
		if s3Lifecycle.Same(have, nil) || s3Lifecycle.Same(have, []v1alpha1.LifecycleRule{{Name: "theirs", ExpireAfterDays: week}}) {
			t.Errorf("%s: taken for another", shows)
		}
	}
	former := rule(func(r *types.LifecycleRule) { r.Filter, r.Prefix = nil, new("p") }) //nolint:staticcheck // deprecated, and there may be such rules
	if got := ruleFrom(former); got.Prefix == nil || *got.Prefix != "p" {
		t.Errorf("a rule of former times is %+v", got)
	}
}

// What only Cloud Storage has in rules is refused by the field, and a prefix that looks like it is not.
func TestLifecycleThatS3Lacks(t *testing.T) {
	for text, lacks := range map[string]int{
		`{"name":"a","suffix":"b","expireAfterDays":7}`:                            1,
		`{"name":"a","allVersions":true,"expireAfterDays":7}`:                      1,
		`{"name":"a","allVersions":false,"expireAfterDays":7}`:                     0,
		`{"name":"a","transitions":[{"afterDays":40,"storageClass":"NEARLINE"}]}`:  1,
		`{"name":"a","noncurrentVersions":{"expireAfterDays":0,"keep":3}}`:         1,
		`{"name":"a","noncurrentVersions":{"expireAfterDays":0}}`:                  1,
		`{"name":"a","noncurrentVersions":{"keep":3,"expireAfterDays":10}}`:        0,
		`{"name":"a","prefix":"\"suffix\":","tags":{"a":"b"},"expireAfterDays":7}`: 0,
		`{"name":"a","transitions":[{"afterDays":40,"storageClass":"Archive"}]}`:   0,
	} {
		var rule any
		if err := json.Unmarshal([]byte(text), &rule); err != nil {
			t.Fatal(err)
		}
		if got := driver.Lacking(bucketLacks, map[string]any{"lifecycle": []any{rule}}); len(got) != lacks {
			t.Errorf("%s: lacks %v", text, got)
		}
	}
}

// A refusal says first what to do in the spec, and then S3's words.
func TestAdviceOfALifecycle(t *testing.T) {
	err := adviseLifecycle(&driver.Error{Code: driver.Invalid, Message: "no", Err: errors.New("no")})
	if text := driver.ErrorOf(err).Message; !strings.HasPrefix(text, "correct spec.lifecycle") || !strings.HasSuffix(text, "Amazon S3 says: no") {
		t.Errorf("it says %q", text)
	}
	if denied := (&driver.Error{Code: driver.Denied, Message: "no"}); !errors.Is(adviseLifecycle(denied), denied) || adviseLifecycle(nil) != nil {
		t.Error("what is no matter of the spec is not left as it is")
	}
}

// The words of a change name what is deleted and what can't be read any more, and what that costs.
func TestWordsOfALifecycle(t *testing.T) {
	archive := []v1alpha1.LifecycleTransition{{AfterDays: new(int32(90)), StorageClass: "Archive"}}
	to := v1alpha1.BucketParameters{Lifecycle: []v1alpha1.LifecycleRule{{Name: "a", Prefix: new("logs/"), Transitions: archive, ExpireAfterDays: new(int32(730))}}}
	changes := preview(v1alpha1.BucketParameters{}, to, nil)
	want := `objects with a name that begins with "logs/" move to Archive 90 days after they were written, which keeps readers away, and ` +
		`objects with a name that begins with "logs/" are deleted 730 days after they were written; ` + deletionCost.Text
	if len(changes) != 1 || changes[0].Effect != driver.Irreversible || changes[0].Why != want {
		t.Errorf("got %+v, want %q", changes, want)
	}
}
