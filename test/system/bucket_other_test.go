package system

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
)

// What is the same in both is not changed by an edit of one into the other, and no fault of such an edit is tested.
func TestOtherBucketDiffersInEachField(t *testing.T) {
	same := []string{
		"location", "aws.objectLock", "gcp.hierarchicalNamespace", // can't change, or not back
		"gcp.rpo", "gcp.autoclass.enabled", // need a dual-region, and the class STANDARD
	}
	for _, name := range []string{"aws", "gcp"} {
		c := &Cloud{Name: name}
		full, other := leavesOf(t, FullBucket(c)), leavesOf(t, OtherBucket(c))
		for field, value := range full {
			if otherValue, has := other[field]; !has {
				t.Errorf("%s: the other bucket lacks %s", name, field)
			} else if (value == otherValue) != slices.Contains(same, field) {
				t.Errorf("%s: %s is %s in one, and %s in the other", name, field, value, otherValue)
			}
		}
	}
}

// leavesOf returns the fields that a spec sets, as JSON.
func leavesOf(t *testing.T, spec v1alpha1.BucketParameters) map[string]string {
	t.Helper()
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	leaves := map[string]string{}
	for _, field := range fieldpath.Leaves(reflect.TypeFor[v1alpha1.BucketParameters]()) {
		value := text
		for step := range strings.SplitSeq(field, ".") {
			var object map[string]json.RawMessage
			_ = json.Unmarshal(value, &object) // nothing if the step before is unset
			value = object[step]
		}
		if value != nil {
			leaves[field] = string(value)
		}
	}
	return leaves
}
