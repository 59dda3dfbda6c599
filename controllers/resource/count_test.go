package resource

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// counting makes a desk whose reconciliation is counted, and returns what was counted since it was last asked.
func counting(t *testing.T) (*desk, func() map[string]float64) {
	t.Helper()
	d := newDesk(t)
	d.Metrics = telemetry.New(telemetry.Options{Now: d.Settings.Now})
	r := prometheus.NewRegistry()
	r.MustRegister(d.Metrics)
	before := map[string]float64{}
	return d, func() map[string]float64 {
		families, err := r.Gather()
		if err != nil {
			t.Fatal(err)
		}
		all, grown := map[string]float64{}, map[string]float64{}
		for _, f := range families {
			for _, series := range f.GetMetric() {
				if f.GetType().String() == "GAUGE" {
					continue
				}
				key := f.GetName()
				for _, l := range series.GetLabel() {
					key += " " + l.GetValue()
				}
				all[key] += series.GetCounter().GetValue() + float64(series.GetHistogram().GetSampleCount())
			}
		}
		for key, n := range all {
			if n > before[key] {
				grown[key] = n - before[key]
			}
		}
		maps.Copy(before, all)
		return grown
	}
}

func TestReconciliationsAreCounted(t *testing.T) {
	settled := outcome.Outcome{State: condition.UpToDate, Reason: v1alpha1.ReasonReady, Next: outcome.AtSync}
	asDeclared := func(d *desk) {
		d.Facts.Observed = true
		d.Request.Mark = driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
		d.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: d.Request.Mark}
		d.View = plan.View{Bound: true, HasFinalizer: true, WasReady: d.status().FirstReadyTime != nil, Mark: d.Request.Mark, Applied: driver.Applied{"tags": {"team=b"}}}
	}
	changed := func(d *desk) {
		asDeclared(d)
		d.Observation.Changes = []driver.Change{{Field: "tags", From: "team=z", To: "team=b"}}
	}
	for _, c := range []struct {
		name  string
		scene func(*desk)
		out   outcome.Outcome
		err   error
		want  map[string]float64
	}{
		{"as declared", asDeclared, settled, nil, nil},
		{"not looked", func(*desk) {}, outcome.Outcome{KeepConditions: true, Next: outcome.Later}, nil, nil},
		{"usable for the first time", func(d *desk) {
			d.status().FirstReadyTime, d.WasReady = nil, false
			asDeclared(d)
		}, settled, nil, map[string]float64{"mooring_time_to_ready_seconds Bucket aws": 1}},
		{"an edit is applied", func(d *desk) {
			asDeclared(d)
			d.mem.report.Edited = d.Facts.Now.Add(-time.Minute)
		}, settled, nil, map[string]float64{"mooring_time_to_converge_seconds Bucket aws": 1}},
		{"an edit waits", func(d *desk) {
			asDeclared(d)
			d.mem.report.Edited = d.Facts.Now.Add(-time.Minute)
		}, outcome.Outcome{State: condition.EditWaits, Reason: v1alpha1.ReasonApprovalRequired, Next: outcome.AtSync}, nil, nil},
		{"drift", changed, outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil, map[string]float64{"mooring_drift_detected_total Bucket aws": 1}},
		{"drift that another process found", func(d *desk) {
			changed(d)
			d.View.Waiting = []v1alpha1.PendingChange{{Field: "tags", From: "team=z", To: "team=b", Cause: v1alpha1.CauseDrift}}
		}, outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil, nil},
		{"drift put right", func(d *desk) {
			asDeclared(d)
			d.mem.report.Drift = report.Drifts{"tags": {Open: true, Sent: true}}
		}, settled, nil, map[string]float64{"mooring_drift_corrected_total Bucket aws": 1}},
		{"an edit is no drift", func(d *desk) {
			changed(d)
			d.View.Applied = driver.Applied{"tags": {"team=a"}}
		}, outcome.Outcome{State: condition.Updating, Reason: v1alpha1.ReasonUpdating, Next: outcome.Soon}, nil, nil},
		{"what is still becoming so is no drift", func(d *desk) {
			changed(d)
			d.View.Edited = true
		}, outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil, nil},
		{"what the cloud is at work on is no drift", func(d *desk) {
			changed(d)
			d.Observation.State = driver.Pending
		}, outcome.Outcome{KeepConditions: true, Next: outcome.Polling}, nil, nil},
		{"another's is no drift", func(d *desk) {
			changed(d)
			d.Observation.Mark = driver.Mark{Cluster: "other"}
		}, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonNotOwned, Next: outcome.AfterError}, nil, nil},
		{"throttled", func(*desk) {}, outcome.Outcome{}, &driver.Error{Code: driver.Throttled, RetryAfter: time.Minute}, map[string]float64{"mooring_throttle_wait_seconds aws": 1}},
		{"no answer", func(*desk) {}, outcome.Outcome{}, &driver.Error{Code: driver.Unavailable}, nil},
		{"deleted", func(*desk) {}, outcome.Outcome{Deleted: true, Finished: true}, nil, map[string]float64{"mooring_deletions_total Bucket deleted aws": 1}},
		{"retained", func(*desk) {}, outcome.Outcome{Deleted: true, Finished: true, Orphaned: true}, nil, map[string]float64{"mooring_deletions_total Bucket retained aws": 1}},
		{"gone before", func(*desk) {}, outcome.Outcome{Deleted: true}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, counted := counting(t)
			c.scene(d)
			if _, err := d.record(t.Context(), c.out, c.err); err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				c.want = map[string]float64{}
			}
			if diff := cmp.Diff(c.want, counted()); diff != "" {
				t.Errorf("(-want +counted):\n%s", diff)
			}
		})
	}
}

// An edit begins when its generation is first seen, if the object was met before.
func TestEditIsSeen(t *testing.T) {
	d, _ := counting(t)
	d.mem.report.Edited = time.Time{}
	if d.begin(); !d.mem.report.Edited.IsZero() {
		t.Error("what was not edited is taken for it")
	}
	d.Object.SetGeneration(2)
	if d.begin(); d.mem.report.Edited.IsZero() {
		t.Error("the edit is not seen")
	}
}

func TestLastObserved(t *testing.T) {
	d, _ := counting(t)
	lastObserved := func() []telemetry.LastObservation {
		d.reported(t)
		return d.LastObserved()
	}
	d.Memory.LastObserved = time.Unix(7, 0)
	want := []telemetry.LastObservation{{Name: client.ObjectKeyFromObject(d.Object), Provider: "aws", At: d.Memory.LastObserved}}
	if got := lastObserved(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	d.bucket().Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"}
	if got := lastObserved(); len(got) > 0 {
		t.Errorf("it is paused, and missed: %v", got)
	}
	d.bucket().Annotations = nil
	lastObserved()
	d.memories.forget(client.ObjectKeyFromObject(d.Object))
	if got := d.LastObserved(); len(got) > 0 {
		t.Errorf("it is gone, and missed: %v", got)
	}
	d.status().ExternalName = ""
	if got := lastObserved(); len(got) > 0 {
		t.Errorf("it is not in the cloud, and missed: %v", got)
	}
}

// The lag of a replica is shown as it was observed last: not once it is not known any more, or once nothing is followed. What is another one's is not shown.
func TestLagIsShown(t *testing.T) {
	d, _ := counting(t)
	d.Request.Mark = driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
	d.View = plan.View{Bound: true, HasFinalizer: true, Mark: d.Request.Mark}
	follows := func(lag *time.Duration) func() {
		return func() {
			d.Facts.Observed, d.Unobserved = true, false
			d.Observation = driver.Observation{State: driver.Ready, Mark: d.Request.Mark, Replication: &driver.Replication{Follows: &driver.Following{Primary: "orders", Lag: lag}}}
		}
	}
	for _, tt := range []struct {
		name  string
		scene func()
		want  time.Duration // -1 for no series
	}{
		{"nothing was observed yet", func() {}, -1},
		{"it is up to date", follows(new(time.Duration(0))), 0},
		{"it lags", follows(new(time.Minute)), time.Minute},
		{"it was not observed", func() { d.Facts.Observed = false }, time.Minute},
		{"it was not observed for long", func() { d.Unobserved = true }, -1},
		{"it lags less", follows(new(time.Second)), time.Second},
		{"the cloud does not say it", follows(nil), -1},
		{"it lags again", follows(new(time.Minute)), time.Minute},
		{"it was promoted", func() { d.Observation.Replication = nil }, -1},
		{"it is of another one", func() { follows(new(time.Minute))(); d.Observation.Mark.UID = "uid-other" }, -1},
	} {
		tt.scene()
		d.reported(t)
		got, seen := time.Duration(-1), d.LastObserved()
		if len(seen) == 1 && seen[0].Lag != nil {
			got = *seen[0].Lag
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestUnrecordedTurnsAreCounted(t *testing.T) {
	d, counted := counting(t)
	d.Memory.LastObserved = time.Unix(7, 0)
	d.reported(t)
	told := d.LastObserved()
	counted()
	d.Memory.LastObserved = time.Unix(8, 0)
	d.notReported(t)
	if got := d.LastObserved(); d.Unrecorded() != 1 || !slices.Equal(got, told) {
		t.Errorf("%d objects are not recorded, and what nobody was told is seen: %v", d.Unrecorded(), got)
	}
	if diff := cmp.Diff(map[string]float64{"mooring_status_write_failures_total Bucket": 1}, counted()); diff != "" {
		t.Error(diff)
	}
	d.reported(t)
	if want := []telemetry.LastObservation{{Name: client.ObjectKeyFromObject(d.Object), Provider: "aws", At: d.Memory.LastObserved}}; d.Unrecorded() != 0 || !slices.Equal(d.LastObserved(), want) {
		t.Errorf("%d objects are not recorded after one was, seen %v", d.Unrecorded(), d.LastObserved())
	}
	d.notReported(t)
	d.memories.forget(client.ObjectKeyFromObject(d.Object))
	if d.Unrecorded() != 0 {
		t.Error("it is gone, and still not recorded")
	}
}

// reported reports a reconciliation that has nothing to say.
func (d *desk) reported(t *testing.T) {
	t.Helper()
	if _, err := d.record(t.Context(), outcome.Outcome{KeepConditions: true, Next: outcome.Later}, nil); err != nil {
		t.Fatal(err)
	}
}

// notReported reports a reconciliation while no status can be written.
func (d *desk) notReported(t *testing.T) {
	t.Helper()
	working := d.Client
	d.Client = interceptor.NewClient(working.(client.WithWatch), interceptor.Funcs{
		SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
			return errors.New("no")
		},
	})
	d.status().Operation += "something to write"
	d.reported(t)
	d.Client = working
}
