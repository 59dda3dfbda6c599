package plan

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Nothing that is remembered of the former cloud object is held against the one that takes its place.
func TestMemoryOfTheFormerCloudObject(t *testing.T) {
	at := time.Unix(1, 0)
	full := Memory{
		Began: at, Absent: at, SnapshotAbsent: at, Unmarked: at, Sent: []driver.Change{{Field: "tags"}}, SentAt: at, InVain: true, Continued: "of-the-former", Emptying: Emptying{Removed: 3}, Steps: []string{"of-the-former"}, DeleteSent: at, Carried: &Returned{ID: "of-the-former"}, JustSet: &JustSet{Spec: "{}"},
		Answered: true, CreationSent: true, CreationRefused: true, CreationFailed: true, CreationUnclear: true, StartedOver: true, NotBefore: at,
	}
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s has no value: decide here what becomes of it", v.Type().Field(i).Name)
		}
	}
	for _, wasReady := range []bool{true, false} {
		before := full
		before.StartedOver = false
		want := Memory{Began: at, Absent: at, CreationSent: true, CreationUnclear: !wasReady, StartedOver: wasReady, NotBefore: at}
		if diff := cmp.Diff(want, before.StartOver(wasReady)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// What is observed is sure once nothing was sent for long enough, by this process or by an earlier one.
func TestObservationIsSure(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, tt := range []struct {
		began, wrote time.Duration
		want         bool
	}{{time.Hour, time.Hour, true}, {time.Hour, time.Second, false}, {time.Second, time.Hour, false}} {
		if got := (Memory{Began: now.Add(-tt.began), NotBefore: now.Add(-tt.wrote)}).Sure(now, 5*time.Second); got != tt.want {
			t.Errorf("begun %v ago, and written %v ago: %t, want %t", tt.began, tt.wrote, got, tt.want)
		}
	}
}
