package storage

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// What a spec can't say of a bucket is not invisible.
func TestTheMirrorOfABucketSaysWhatASpecCannot(t *testing.T) {
	for name, tt := range map[string]struct {
		have *storage.BucketAttrs
		want string
	}{
		"a retention of hours":            {&storage.BucketAttrs{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: 25 * time.Hour, IsLocked: true}}, `"retention":{"days":-1,"locked":true}`},
		"a retention of days":             {&storage.BucketAttrs{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: 48 * time.Hour}}, `"retention":{"days":2,"locked":false}`},
		"a soft delete of hours":          {&storage.BucketAttrs{SoftDeletePolicy: &storage.SoftDeletePolicy{RetentionDuration: 200 * time.Hour}}, `"softDeleteDays":-1`},
		"a soft delete of no time at all": {&storage.BucketAttrs{SoftDeletePolicy: &storage.SoftDeletePolicy{}}, `"softDeleteDays":0`},
		"a legacy class":                  {&storage.BucketAttrs{StorageClass: "MULTI_REGIONAL"}, `"storageClass":"(MULTI_REGIONAL: a legacy class`},
	} {
		mirror, err := fields.Mirror(&bucket{BucketAttrs: *tt.have})
		if err != nil || !strings.Contains(string(mirror), tt.want) {
			t.Errorf("%s: %s, error %v; want %s", name, mirror, err, tt.want)
		}
		var from v1alpha1.BucketParameters
		if err := json.Unmarshal(mirror, &from); err != nil {
			t.Fatal(err)
		}
		if changes := preview(from, from, nil); len(changes) > 0 {
			t.Errorf("%s: a preview of the mirror shows %v", name, changes)
		}
	}
	odd := v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{SoftDeleteDays: new(int32(-1))}}
	if changes := preview(odd, v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{SoftDeleteDays: new(int32(7))}}, nil); len(changes) != 1 || changes[0].From != "(no whole number of days)" {
		t.Errorf("a preview of another soft delete shows %v", changes)
	}
}

// How long deleted objects stay that a mirror shows as -1, a preview does not know: it announces the worse.
func TestPreviewOfAnOddSoftDelete(t *testing.T) {
	odd, week, never := new(portable.InexpressibleRetention), int32(7), int32(0)
	for _, to := range []int32{week, never} {
		effect, why := softDeleteEffect(odd, to, &bucket{})
		if effect != driver.LosesBackups || why == "" {
			t.Errorf("to %d days: %s %q", to, effect, why)
		}
	}
	have := &bucket{BucketAttrs: storage.BucketAttrs{SoftDeletePolicy: &storage.SoftDeletePolicy{RetentionDuration: time.Hour}}}
	if effect, _ := softDeleteEffect(odd, week, have); effect != driver.Online {
		t.Errorf("of a bucket that keeps them for an hour: %s", effect)
	}
}
