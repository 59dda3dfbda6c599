package resource

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A desk is a reconciler of buckets, one reconciliation of a bucket that was Ready, and a cloud that notes what it is asked.
type desk struct {
	*Reconciler
	reconciliation.State
	mem   *memory
	cloud *obedient
}

// begin begins another reconciliation.
func (d *desk) begin() {
	now := d.Settings.Now()
	d.mem = d.memories.of(client.ObjectKeyFromObject(d.Object), d.Object.GetUID(), d.Cadence, now)
	d.State = d.mem.begin(d.Object, now)
	d.Object = d.Stored.DeepCopyObject().(v1alpha1.ResourceObject)
	d.Want = d.Object
	d.Facts = outcome.Facts{Kind: d.Kind, Policy: plan.PolicyOf(d.Kind, d.Object), Deleting: !d.Object.GetDeletionTimestamp().IsZero(), Now: now}
	d.Before, d.WasReady = slices.Clone(d.status().Conditions), d.status().FirstReadyTime != nil
}

// act has an action executed.
func (d *desk) act(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	d.Memory, d.Failures, d.Redact = d.mem.shared, d.mem.report.Failures, d.Redactor()
	d.State = d.execute(ctx, d.mem, d.State, a)
	d.mem.remember(d.State)
	return d.Outcome, d.Err
}

// record has reported what the reconciliation came to.
func (d *desk) record(ctx context.Context, out outcome.Outcome, err error) (reconcile.Result, error) {
	observed := d.Memory.LastObserved
	d.Memory, d.Redact, d.Outcome, d.Err = d.mem.shared, d.Redactor(), out, err
	d.Memory.LastObserved = observed
	reported := d.reporter().Report(ctx, d.State, d.mem.report)
	next := d.remember(d.mem, d.State, reported)
	d.Done, d.Notes = reconciliation.Done{}, nil
	stored := d.Kind.New()
	if err := d.Client.Get(ctx, client.ObjectKeyFromObject(d.Object), stored); client.IgnoreNotFound(err) != nil {
		return next, err
	} else if err == nil {
		stored.SetGeneration(d.Object.GetGeneration()) // this API server counts none
		stored.SetCreationTimestamp(d.Object.GetCreationTimestamp())
		d.Object, d.Stored = stored.DeepCopyObject().(v1alpha1.ResourceObject), stored
	}
	return next, nil
}

func (d *desk) status() *v1alpha1.ResourceStatus { return d.Object.GetResourceStatus() }

// obedient is a cloud that does what it is asked.
type obedient struct {
	driver.Session
	asked []string
	done  driver.Result
}

func (o *obedient) Update(_ context.Context, _ string, _ driver.Request, edit driver.Edit, _ driver.Secrets) (driver.Result, error) {
	o.asked = append(o.asked, "update "+plan.ListChanges(edit.Changes))
	return o.done, nil
}

func (o *obedient) Do(_ context.Context, _ string, _ driver.Request, command driver.Command, _ driver.Secrets) (driver.Result, error) {
	o.asked = append(o.asked, string(command.Verb))
	return o.done, nil
}

func (o *obedient) Create(context.Context, string, driver.Request, driver.Secrets) (driver.Result, error) {
	o.asked = append(o.asked, "create")
	return o.done, nil
}

func (o *obedient) Delete(context.Context, string, driver.Request, driver.Secrets) (driver.Result, error) {
	o.asked = append(o.asked, "delete")
	return o.done, nil
}

// bucket returns the object that the desk reconciles.
func (d *desk) bucket() *v1alpha1.Bucket { return d.Object.(*v1alpha1.Bucket) }

func newDesk(t *testing.T, others ...client.Object) *desk {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "photos", UID: "uid-now", Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource},
	}}
	b.Status.ExternalName, b.Status.Provider, b.Status.AppliedGeneration = "photos", "aws", 1
	b.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)}
	b.Spec.ForceDestroy = new(true)
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(append(others, b)...).WithStatusSubresource(b).Build()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
		t.Fatal(err)
	}
	d := &desk{cloud: &obedient{}}
	d.Reconciler = &Reconciler{
		Settings: Settings{
			Client: c, Reader: c, Recorder: events.NewFakeRecorder(100), Deadline: time.Minute, Now: time.Now,
			Cadence: retry.DefaultCadence(time.Minute), Namespace: "mooring-system",
		},
		Kind: kind.Bucket(),
	}
	d.Object = b
	d.begin()
	d.Session, d.Connection = d.cloud, &identity.Connection{Provider: "aws"}
	d.Described.Name = driver.NameRule{MaxLength: 63}
	d.Request.Deletion = &driver.Deletion{}
	return d
}

var drift = plan.Action{
	Verb: plan.Update, Reason: v1alpha1.ReasonDrifted, Message: "being applied",
	Changes: []driver.Change{{Field: "tags", From: "team=z", To: "team=b", Effect: driver.Online}},
}

// What a person reverted meanwhile is not applied, although there is nothing to store beforehand that would tell.
func TestUpdateOfAnOldSpec(t *testing.T) {
	d := newDesk(t)
	edited := d.bucket().DeepCopy()
	edited.Spec.Tags = map[string]v1alpha1.TagValue{"team": "c"}
	if err := d.Client.Update(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	if _, err := d.act(t.Context(), drift); !apierrors.IsConflict(err) || len(d.cloud.asked) > 0 {
		t.Errorf("got %v, and the cloud was asked to %q", err, d.cloud.asked)
	}
}

// Drift is put right in silence, unless that does not help.
func TestDriftIsToldIfItLasts(t *testing.T) {
	d := newDesk(t)
	for i, want := range []outcome.Outcome{
		{KeepConditions: true, Next: outcome.Soon},
		{State: condition.DriftWaits, Next: outcome.AfterError, Retried: true, Planned: true},
	} {
		got, err := d.act(t.Context(), drift)
		if err != nil {
			t.Fatal(err)
		}
		if got.KeepConditions != want.KeepConditions || got.Next != want.Next || got.Retried != want.Retried || !got.KeepConditions && got.State != want.State {
			t.Errorf("time %d: %+v, want %+v", i+1, got, want)
		}
	}
	if len(d.cloud.asked) != 2 {
		t.Errorf("the cloud was asked to %q", d.cloud.asked)
	}
}

// A mark that was removed from what serves people is written again in silence: it serves on.
func TestMarkIsWrittenAgainInSilence(t *testing.T) {
	d := newDesk(t)
	d.View, d.Observation = plan.View{HasFinalizer: true, ID: "of-the-cloud"}, driver.Observation{State: driver.Ready, ID: "of-the-cloud"}
	if out, err := d.act(t.Context(), plan.Action{Verb: plan.Adopt, Reason: v1alpha1.ReasonAdopting}); err != nil || !out.KeepConditions {
		t.Errorf("%+v, %v", out, err)
	}
	d = newDesk(t)
	d.status().FirstReadyTime = nil
	if out, err := d.act(t.Context(), plan.Action{Verb: plan.Adopt, Reason: v1alpha1.ReasonAdopting}); err != nil || out.State != condition.Progressing || out.KeepConditions {
		t.Errorf("of what was not ours yet: %+v, %v", out, err)
	}
}

// A deletion is asked for once, and again at once only if it is done by parts.
func TestDeletionByParts(t *testing.T) {
	d := newDesk(t)
	remove := plan.Action{Verb: plan.Delete, Reason: v1alpha1.ReasonDeleting}
	d.ConsistencyWindow = time.Minute
	for _, unfinished := range []bool{true, true, false, false} {
		d.cloud.done.Unfinished = unfinished
		if _, err := d.act(t.Context(), remove); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"delete", "delete", "delete"}; !slices.Equal(d.cloud.asked, want) {
		t.Errorf("asked to %q, want %q", d.cloud.asked, want)
	}
}

// How far the emptying of what is deleted has come is told, and not with each part: a bucket of a million objects has thousands.
func TestEmptyingTellsHowFarItIs(t *testing.T) {
	d := newDesk(t)
	remove := plan.Action{Verb: plan.Delete, Reason: v1alpha1.ReasonDeleting, Message: "deleting"}
	now := time.Date(2026, 11, 25, 21, 0, 0, 0, time.UTC)
	d.Settings.Now = func() time.Time { return now }
	d.cloud.done.Unfinished, d.cloud.done.Removed = true, 1000
	told := map[string]int{}
	for range 121 { // two minutes
		out, err := d.act(t.Context(), remove)
		if err != nil {
			t.Fatal(err)
		}
		told[out.Message]++
		now = now.Add(time.Second)
	}
	want := map[string]int{"deleting": 30}
	for _, far := range []struct{ removed, times int }{{31, 30}, {61, 30}, {91, 30}, {121, 1}} {
		want[fmt.Sprintf("deleting; it is being emptied first: %d objects and versions deleted since 2026-11-25 21:00 UTC", far.removed*1000)] = far.times
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("messages, and how often (-want +got):\n%s", diff)
	}
}

// What stays in the cloud beside an object that is deleted or released is told.
func TestWhatIsLeftIsTold(t *testing.T) {
	for verb, want := range map[plan.Verb]string{plan.Delete: "its group stays", plan.Release: "retained photos in aws account ; its group stays"} {
		d := newDesk(t)
		d.Policy.Deletion, d.Request.Name, d.Provider, d.cloud.done.Left = v1alpha1.DeletionRetain, "photos", "aws", "its group stays"
		if _, err := d.act(t.Context(), plan.Action{Verb: verb, Reason: v1alpha1.ReasonDeleting}); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(d.Notes, func(n outcome.Note) bool { return n.Reason == v1alpha1.EventRetained && n.Message == want }) {
			t.Errorf("%s: told %+v, want %q", verb, d.Notes, want)
		}
	}
}

// refusing is a cloud that takes no update.
type refusing struct {
	*obedient
	code   driver.Code
	during func()
}

func (c *refusing) Update(context.Context, string, driver.Request, driver.Edit, driver.Secrets) (driver.Result, error) {
	c.during()
	return driver.Result{}, &driver.Error{Code: c.code, Op: "PutBucketTagging", Message: "no"}
}

// What the cloud refuses stays Stalled while it is tried again, also by another process; once it is taken, that is told.
func TestWhatIsRefusedStaysStalled(t *testing.T) {
	d := newDesk(t)
	d.RecordDeadline = time.Minute
	d.bucket().Generation, d.View.Edited = 2, true
	edit := plan.Action{Verb: plan.Update, Reason: v1alpha1.ReasonUpdating, Message: "being applied", Changes: drift.Changes}
	var told []bool
	stored := func() *v1alpha1.Bucket {
		b := &v1alpha1.Bucket{}
		if err := d.Reader.Get(t.Context(), client.ObjectKeyFromObject(d.Object), b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	d.Session = &refusing{d.cloud, driver.Invalid, func() {
		told = append(told, meta.IsStatusConditionTrue(stored().Status.Conditions, v1alpha1.ConditionStalled))
	}}
	take := func() {
		out, err := d.act(t.Context(), edit)
		if _, err := d.record(t.Context(), out, err); err != nil {
			t.Fatal(err)
		}
	}
	take()
	take()
	d.mem.report.Failures = 0
	take()
	if want := []bool{false, true, true}; !slices.Equal(told, want) {
		t.Errorf("at each try it was told to be stalled: %v, want %v", told, want)
	}
	d.Session = d.cloud
	take()
	if meta.IsStatusConditionTrue(stored().Status.Conditions, v1alpha1.ConditionStalled) {
		t.Error("the cloud took it, and it is stalled still")
	}
}

// While calls fail, what is told of that stays too: that one is made again is no news.
func TestWhatFailsStaysRetrying(t *testing.T) {
	d := newDesk(t)
	d.RecordDeadline = time.Minute
	d.bucket().Generation, d.View.Edited = 2, true
	var told []string
	d.Session = &refusing{d.cloud, driver.Unavailable, func() {
		b := &v1alpha1.Bucket{}
		if err := d.Reader.Get(t.Context(), client.ObjectKeyFromObject(d.Object), b); err != nil {
			t.Fatal(err)
		}
		told = append(told, meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionReconciling).Reason)
	}}
	for range report.Lasting + 2 {
		out, err := d.act(t.Context(), plan.Action{Verb: plan.Update, Reason: v1alpha1.ReasonUpdating, Message: "being applied", Changes: drift.Changes})
		if _, err := d.record(t.Context(), out, err); err != nil {
			t.Fatal(err)
		}
	}
	updating, retrying := string(v1alpha1.ReasonUpdating), string(v1alpha1.ReasonRetrying)
	if want := []string{updating, updating, updating, retrying, retrying}; !slices.Equal(told, want) {
		t.Errorf("at each try it was Reconciling for %q, want %q", told, want)
	}
}

// An edit that the cloud takes again and again is not called done, nor a drift of what was applied.
func TestEditThatDoesNotComeTrue(t *testing.T) {
	d := newDesk(t)
	d.bucket().Generation, d.View.Edited = 2, true
	for i, message := range []string{"being applied", "does not show it"} {
		out, err := d.act(t.Context(), drift)
		if err != nil || out.KeepConditions || out.State != condition.Updating || !strings.Contains(out.Message, message) || out.Retried != (i > 0) {
			t.Errorf("time %d: %+v, %v", i+1, out, err)
		}
	}
	d.mem.report.Failures = 1
	if out, err := d.act(t.Context(), drift); err != nil || !out.KeepConditions {
		t.Errorf("what the cloud said of it does not stand: %+v, %v", out, err)
	}
	if told := len(d.Notes); told != 1 {
		t.Errorf("%d Events of one edit: %+v", told, d.Notes)
	}
}

// What the spec no longer has is told once, and not of what is only observed: there it would never end.
func TestReleasedIsToldOnce(t *testing.T) {
	for management, want := range map[v1alpha1.Management]int{v1alpha1.ManagementFull: 1, v1alpha1.ManagementObserve: 0} {
		t.Run(string(management), func(t *testing.T) {
			d := newDesk(t)
			d.RecordDeadline, d.Policy.Management, d.Facts.Observed = time.Minute, management, true
			d.View.Mark = driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
			d.status().Applied = map[string][]string{"versioning": {"Enabled"}, "tags": {"team"}}
			d.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: d.View.Mark, Applied: driver.Applied{"tags": {"team"}}}
			for range 3 {
				if _, err := d.record(t.Context(), outcome.Outcome{State: condition.UpToDate, Reason: v1alpha1.ReasonReady, Next: outcome.AtSync}, nil); err != nil {
					t.Fatal(err)
				}
			}
			told := 0
			for len(d.Recorder.(*events.FakeRecorder).Events) > 0 {
				if strings.Contains(<-d.Recorder.(*events.FakeRecorder).Events, "no longer managed") {
					told++
				}
			}
			if told != want {
				t.Errorf("it was told %d times, want %d", told, want)
			}
		})
	}
}

// An object that is gone without a reconciliation of its own, as when its finalizer was removed by hand, gives up its place in a rollout.
func TestWhoIsGoneLeavesTheRollout(t *testing.T) {
	d := newDesk(t)
	d.Limiters = account.New(1, time.Now, nil)
	d.Rollouts = &class.Rollouts{Idle: time.Hour, Now: time.Now}
	d.Rollouts.Enter("standard", 1, 5, d.bucket().UID, func() {})
	d.bucket().Finalizers = nil
	if err := d.Client.Update(t.Context(), d.Object); err != nil {
		t.Fatal(err)
	}
	if err := d.Client.Delete(t.Context(), d.Object); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ByName().Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(d.Object)}); err != nil {
		t.Fatal(err)
	}
	if left := d.Rollouts.Progress(); len(left) > 0 {
		t.Errorf("places are held still: %v", left)
	}
}

// What was known of the place where it never came to be is not held against what is made elsewhere.
func TestClearedBindingForgets(t *testing.T) {
	d := newDesk(t)
	d.status().Location, d.status().AccountID, d.status().ExternalID, d.status().Operation = "eu-north-9", "111", "id-there", "operation-there"
	d.status().Applied = map[string][]string{"tags": {"team"}}
	if _, err := d.act(t.Context(), plan.Action{Verb: plan.ClearBinding}); err != nil {
		t.Fatal(err)
	}
	s := d.status()
	if len(s.Applied) > 0 || s.AppliedGeneration != 0 {
		t.Errorf("applied %v and generation %d are left", s.Applied, s.AppliedGeneration)
	}
	if left := s.Provider + s.ExternalName + s.Location + s.AccountID + s.ExternalID + s.Operation; left != "" {
		t.Errorf("%q is left", left)
	}
}
