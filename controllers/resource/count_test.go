package resource

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/controllers/resource/plan"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

func TestDriftCountsOnce(t *testing.T) {
	type look struct {
		differs   []string
		unsettled bool
		sent      []string
		after     time.Duration
		want      telemetry.Drift
	}
	tags, both := []string{"tags"}, []string{"tags", "versioning"}
	found, corrected := telemetry.Drift{Detected: true}, telemetry.Drift{Corrected: true}
	for name, looks := range map[string][]look{
		"nothing":             {{}, {}},
		"found and put right": {{differs: tags, sent: tags, want: found}, {want: corrected}, {}},
		"not shown at once":   {{differs: tags, sent: tags, want: found}, {unsettled: true}, {unsettled: true}, {want: corrected}},
		"sent in vain":        {{differs: tags, sent: tags, want: found}, {unsettled: true}, {differs: tags, sent: tags}, {differs: tags}},
		"it waits":            {{differs: tags, want: found}, {differs: tags}, {differs: tags}},
		"it went by itself":   {{differs: tags, want: found}, {}, {differs: tags, want: found}},
		"two at once":         {{differs: both, sent: both, want: found}, {want: corrected}},
		"another one":         {{differs: tags, want: found}, {differs: both, want: found}},
		"it returns": {{differs: tags, sent: tags, want: found}, {want: corrected},
			{differs: tags, sent: tags, after: time.Hour, want: telemetry.Drift{Detected: true, Recurred: true}}, {want: corrected}},
		"another field does not return": {{differs: tags, sent: tags, want: found}, {want: corrected}, {differs: []string{"versioning"}, want: found}},
		"it returns after a week": {{differs: tags, sent: tags, want: found}, {want: corrected}, {after: 7 * 24 * time.Hour},
			{differs: tags, want: found}},
	} {
		t.Run(name, func(t *testing.T) {
			var d drifts
			now := time.Unix(0, 0)
			for i, look := range looks {
				now = now.Add(look.after)
				if got := d.look(look.differs, look.unsettled, look.sent, now); got != look.want {
					t.Errorf("look %d: %+v, want %+v", i+1, got, look.want)
				}
			}
		})
	}
}

// counting makes a desk whose turn is counted, and returns what was counted since it was last asked.
func counting(t *testing.T) (*desk, func() map[string]float64) {
	t.Helper()
	d := newDesk(t)
	d.Metrics = telemetry.New(telemetry.Options{Now: d.Now})
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

func TestTurnsAreCounted(t *testing.T) {
	settled := outcome{state: condition.Settled, reason: v1alpha1.ReasonReady, next: atSync}
	asDeclared := func(d *desk) {
		d.looked = true
		d.request.Mark = driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
		d.seen = driver.Observation{State: driver.Ready, Available: true, Mark: d.request.Mark}
		d.view = plan.View{Bound: true, Held: true, WasReady: d.status.FirstReadyTime != nil, Mark: d.request.Mark, Applied: driver.Applied{"tags": {"team=b"}}}
	}
	changed := func(d *desk) {
		asDeclared(d)
		d.seen.Changes = []driver.Change{{Field: "tags", From: "team=z", To: "team=b"}}
	}
	for _, c := range []struct {
		name  string
		scene func(*desk)
		out   outcome
		err   error
		want  map[string]float64
	}{
		{"as declared", asDeclared, settled, nil, nil},
		{"not looked", func(*desk) {}, outcome{quiet: true, next: later}, nil, nil},
		{"usable for the first time", func(d *desk) {
			d.status.FirstReadyTime, d.wasReady = nil, false
			asDeclared(d)
		}, settled, nil, map[string]float64{"mooring_time_to_ready_seconds Bucket aws": 1}},
		{"an edit is applied", func(d *desk) {
			asDeclared(d)
			d.mem.edited = d.now.Add(-time.Minute)
		}, settled, nil, map[string]float64{"mooring_time_to_converge_seconds Bucket aws": 1}},
		{"an edit waits", func(d *desk) {
			asDeclared(d)
			d.mem.edited = d.now.Add(-time.Minute)
		}, outcome{state: condition.EditWaits, reason: v1alpha1.ReasonApprovalRequired, next: atSync}, nil, nil},
		{"drift", changed, outcome{quiet: true, next: soon}, nil, map[string]float64{"mooring_drift_detected_total Bucket aws": 1}},
		{"drift that another process found", func(d *desk) {
			changed(d)
			d.view.Waiting = []v1alpha1.PendingChange{{Field: "tags", From: "team=z", To: "team=b", Cause: v1alpha1.CauseDrift}}
		}, outcome{quiet: true, next: soon}, nil, nil},
		{"drift put right", func(d *desk) {
			asDeclared(d)
			d.mem.drift = drifts{"tags": {open: true, sent: true}}
		}, settled, nil, map[string]float64{"mooring_drift_corrected_total Bucket aws": 1}},
		{"an edit is no drift", func(d *desk) {
			changed(d)
			d.view.Applied = driver.Applied{"tags": {"team=a"}}
		}, outcome{state: condition.Updating, reason: v1alpha1.ReasonUpdating, next: soon}, nil, nil},
		{"what is still becoming so is no drift", func(d *desk) {
			changed(d)
			d.view.Edited = true
		}, outcome{quiet: true, next: soon}, nil, nil},
		{"what the cloud is at work on is no drift", func(d *desk) {
			changed(d)
			d.seen.State = driver.Pending
		}, outcome{quiet: true, next: polling}, nil, nil},
		{"another's is no drift", func(d *desk) {
			changed(d)
			d.seen.Mark = driver.Mark{Cluster: "other"}
		}, outcome{state: condition.Stalled, reason: v1alpha1.ReasonNotOwned, next: afterError}, nil, nil},
		{"throttled", func(*desk) {}, outcome{}, &driver.Error{Code: driver.Throttled, RetryAfter: time.Minute}, map[string]float64{"mooring_throttle_wait_seconds aws": 1}},
		{"no answer", func(*desk) {}, outcome{}, &driver.Error{Code: driver.Unavailable}, nil},
		{"deleted", func(*desk) {}, outcome{gone: true, finished: true}, nil, map[string]float64{"mooring_deletions_total Bucket deleted aws": 1}},
		{"retained", func(*desk) {}, outcome{gone: true, finished: true, stays: true}, nil, map[string]float64{"mooring_deletions_total Bucket retained aws": 1}},
		{"gone before", func(*desk) {}, outcome{gone: true}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, counted := counting(t)
			c.scene(d)
			if _, err := d.record(t.Context(), d.turn, c.out, c.err); err != nil {
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
	if d.mem.edited = (time.Time{}); !d.begin(d.obj).mem.edited.IsZero() {
		t.Error("what was not edited is taken for it")
	}
	d.obj.SetGeneration(2)
	if d.begin(d.obj).mem.edited.IsZero() {
		t.Error("the edit is not seen")
	}
}

func TestSightings(t *testing.T) {
	d, _ := counting(t)
	sighted := func() []telemetry.Sighting {
		d.count(d.turn, outcome{}, reconcile.Result{})
		return d.Sightings()
	}
	d.mem.seen = time.Unix(7, 0)
	want := []telemetry.Sighting{{Name: client.ObjectKeyFromObject(d.obj), Provider: "aws", At: d.mem.seen}}
	if got := sighted(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	d.bucket().Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"}
	if got := sighted(); len(got) > 0 {
		t.Errorf("it is paused, and missed: %v", got)
	}
	d.bucket().Annotations = nil
	sighted()
	d.memories.forget(client.ObjectKeyFromObject(d.obj))
	if got := d.Sightings(); len(got) > 0 {
		t.Errorf("it is gone, and missed: %v", got)
	}
	d.status.ExternalName = ""
	if got := sighted(); len(got) > 0 {
		t.Errorf("it is not in the cloud, and missed: %v", got)
	}
}

func TestUnrecordedTurnsAreCounted(t *testing.T) {
	d, counted := counting(t)
	d.mem.seen = time.Unix(7, 0)
	d.count(d.turn, outcome{}, reconcile.Result{})
	told := d.Sightings()
	counted()
	d.mem.seen = time.Unix(8, 0)
	d.notRecorded(t.Context(), d.turn, errors.New("no"))
	if got := d.Sightings(); d.Unrecorded() != 1 || !slices.Equal(got, told) {
		t.Errorf("%d objects are not recorded, and what nobody was told is seen: %v", d.Unrecorded(), got)
	}
	if diff := cmp.Diff(map[string]float64{"mooring_status_write_failures_total Bucket": 1}, counted()); diff != "" {
		t.Error(diff)
	}
	d.count(d.turn, outcome{}, reconcile.Result{})
	if want := []telemetry.Sighting{{Name: client.ObjectKeyFromObject(d.obj), Provider: "aws", At: d.mem.seen}}; d.Unrecorded() != 0 || !slices.Equal(d.Sightings(), want) {
		t.Errorf("%d objects are not recorded after one was, seen %v", d.Unrecorded(), d.Sightings())
	}
	d.notRecorded(t.Context(), d.turn, errors.New("no"))
	d.memories.forget(client.ObjectKeyFromObject(d.obj))
	if d.Unrecorded() != 0 {
		t.Error("it is gone, and still not recorded")
	}
}
