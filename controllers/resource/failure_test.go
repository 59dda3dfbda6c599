package resource

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// edit is one that changes two fields.
var edit = plan.Action{
	Verb: plan.Update, Reason: v1alpha1.ReasonUpdating, Message: "being applied",
	Changes: []driver.Change{{Field: "tags", From: "a", To: "b", Effect: driver.Online}, {Field: "cors", From: "c", To: "d", Effect: driver.Online}},
	Pending: []v1alpha1.PendingChange{{Field: "tags", From: "a", To: "b"}, {Field: "cors", From: "c", To: "d"}},
}

func (d *desk) pendingFields(t *testing.T) (fields []string) {
	t.Helper()
	b := &v1alpha1.Bucket{}
	if err := d.Reader.Get(t.Context(), client.ObjectKeyFromObject(d.Object), b); err != nil {
		t.Fatal(err)
	}
	for _, p := range b.Status.PendingChanges {
		fields = append(fields, p.Field)
	}
	return fields
}

// take does what was planned, and records it.
func (d *desk) take(t *testing.T, a plan.Action) reconcile.Result {
	t.Helper()
	out, err := d.act(t.Context(), a)
	result, err := d.record(t.Context(), out, err)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// What an edit still has to change is shown before the cloud is called, and while the cloud refuses it; the message names the
// fields also where the cloud does not.
func TestRefusedEditIsPending(t *testing.T) {
	for code, names := range map[driver.Code]bool{driver.Invalid: true, driver.Quota: false, driver.Busy: false, driver.Unavailable: false} {
		t.Run(code.String(), func(t *testing.T) {
			d := newDesk(t)
			d.RecordDeadline, d.bucket().Generation, d.View.Edited = time.Minute, 2, true
			var shown []string
			d.Session = &refusing{d.cloud, code, func() { shown = d.pendingFields(t) }}
			d.take(t, edit)
			want := []string{"tags", "cors"}
			if after := d.pendingFields(t); !slices.Equal(shown, want) || !slices.Equal(after, want) {
				t.Errorf("pending are %q while the cloud is called and %q after that, want %q", shown, after, want)
			}
			if c := meta.FindStatusCondition(d.status().Conditions, v1alpha1.ConditionReady); names && !strings.HasPrefix(c.Message, "cors, tags: ") {
				t.Errorf("the message is %q", c.Message)
			}
		})
	}
}

// Every field that the cloud refuses is told, and what it took is pending no longer.
func TestEveryRefusalIsTold(t *testing.T) {
	d := newDesk(t)
	d.RecordDeadline, d.bucket().Generation, d.View.Edited = time.Minute, 2, true
	refused := func(field string, code driver.Code) driver.FieldError {
		return driver.FieldError{Field: field, Err: &driver.Error{Code: code, Op: "Put", Message: "no " + field}}
	}
	d.cloud.done.Failed = []driver.FieldError{refused("tags", driver.Busy), refused("cors", driver.Invalid)}
	d.take(t, edit)
	c := meta.FindStatusCondition(d.status().Conditions, v1alpha1.ConditionStalled)
	if c == nil || c.Reason != string(v1alpha1.ReasonInvalid) || c.Message != "cors: Put: no cors; tags: Put: no tags" {
		t.Errorf("it stalls so: %+v", c)
	}
	d.cloud.done.Failed = d.cloud.done.Failed[1:]
	d.take(t, edit)
	if got := d.pendingFields(t); !slices.Equal(got, []string{"cors"}) {
		t.Errorf("pending are %q", got)
	}
}

// While the cloud is at work it may show as done what it only accepted.
func TestPendingWhileTheCloudWorks(t *testing.T) {
	d := newDesk(t)
	d.RecordDeadline, d.bucket().Generation, d.View.Edited, d.View.WasReady = time.Minute, 2, true, true
	d.take(t, edit)
	d.Facts.Observed, d.Observation = true, driver.Observation{State: driver.Pending, Mark: d.Request.Mark}
	wait := plan.Action{Verb: plan.Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "an operation is in progress in the cloud"}
	d.take(t, wait)
	if got := d.pendingFields(t); !slices.Equal(got, []string{"tags", "cors"}) {
		t.Errorf("pending are %q", got)
	}
	d.bucket().Generation = 3
	wait.Pending = edit.Pending[1:]
	d.take(t, wait)
	if got := d.pendingFields(t); !slices.Equal(got, []string{"cors"}) {
		t.Errorf("after another edit, pending are %q", got)
	}
}

// A showing is a cloud that shows one thing after the other.
type showing struct {
	*obedient
	shows []driver.Observation
}

func (s *showing) Observe(context.Context, string, driver.Request, driver.Secrets) (driver.Observation, error) {
	next := s.shows[0]
	if len(s.shows) > 1 {
		s.shows = s.shows[1:]
	}
	return next, nil
}

func (s *showing) Create(context.Context, string, driver.Request, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, nil
}

// teamConfig returns a team's provider config, and what it refers to.
func teamConfig() []client.Object {
	cfg := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "team"}}
	cfg.Spec.AWS = &v1alpha1.AWSAccount{Region: "eu-central-1"}
	cfg.Spec.Credentials.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "cloud"}
	return []client.Object{
		cfg, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "uid-of-shop"}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cloud", Annotations: map[string]string{v1alpha1.AnnotationIssueTokens: "true"}}},
	}
}

// opening is a driver that opens one session.
type opening struct {
	driver.Driver
	session driver.Session
}

func (o opening) Open(context.Context, driver.Opening) (driver.Session, error) { return o.session, nil }

// connect has the team's provider config lead to a cloud.
func (d *desk) connect(cloud driver.Session) {
	d.ClusterID, d.RecordDeadline, d.Limiters = "here", time.Minute, account.New(1, time.Now, nil)
	d.Credentials = identity.New(identity.Options{
		Client: d.Client, Reader: d.Reader, Limiters: d.Limiters, Now: time.Now,
		Drivers: map[string]driver.Driver{"aws": opening{mem.New(mem.Options{}).Driver(), cloud}},
	})
}

func (o *obedient) Identity(context.Context) (driver.AccountID, error) { return "111111111111", nil }

// Why a creation failed is said once, by its operation. It stays, also in another process and while the creation is tried
// again, until a person acts or the object works.
func TestWhyACreationFailedStays(t *testing.T) {
	quota := driver.Observation{State: driver.Failed, OperationError: &driver.Error{Code: driver.Quota, Op: "instances.insert", Message: "too many"}}
	odd := driver.Observation{State: driver.Failed, OperationError: &driver.Error{Code: driver.Internal, Op: "instances.insert", Message: "no capacity"}}
	failed := driver.Observation{State: driver.Failed, Problem: "the instance is failed"}
	for _, test := range []struct {
		name    string
		shows   []driver.Observation
		between func(*desk)
		reason  v1alpha1.Reason
		says    string
	}{
		{"a quota", []driver.Observation{quota, failed, failed}, nil, v1alpha1.ReasonQuotaExceeded, "too many"},
		{"a quota, in another process", []driver.Observation{quota, failed, failed}, func(d *desk) { d.memories.forget(client.ObjectKeyFromObject(d.Object)) },
			v1alpha1.ReasonQuotaExceeded, "too many"},
		{"what no code says", []driver.Observation{odd, failed, failed}, nil, v1alpha1.ReasonFailed, "no capacity"},
		{"nothing is left, and it is tried again", []driver.Observation{quota, {State: driver.Absent}, {State: driver.Pending}}, nil, v1alpha1.ReasonQuotaExceeded, "too many"},
		{"its id was seen, nothing is left, and it is tried again", []driver.Observation{quota, {State: driver.Absent}, {State: driver.Pending}},
			func(d *desk) { d.bucket().Status.ExternalID = "2026" }, v1alpha1.ReasonQuotaExceeded, "too many"},
		{"a person asks for it", []driver.Observation{quota, failed, failed},
			func(d *desk) { d.bucket().Annotations = map[string]string{v1alpha1.AnnotationReconcile: "now"} }, v1alpha1.ReasonFailed, "the instance is failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, teamConfig()...)
			cloud := &showing{obedient: d.cloud, shows: slices.Clone(test.shows)}
			for i := range test.shows {
				cloud.shows[i].Mark = driver.Mark{Cluster: "here", Namespace: "shop", Name: "photos", UID: "uid-now"}
			}
			d.connect(cloud)
			b := d.bucket()
			b.Spec.ExternalName, b.Spec.ProviderConfigRef = "photos", &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}
			b.Status.FirstReadyTime, b.Status.AppliedGeneration, b.Status.Origin, b.Status.Location = nil, 0, v1alpha1.OriginCreated, "eu-central-1"
			spec := *b.Spec.DeepCopy()
			if err := d.Client.Status().Update(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			b.Spec = spec
			for i := range len(test.shows) {
				if i == 1 && test.between != nil {
					test.between(d)
				}
				if _, err := d.Reconcile(t.Context(), d.Object); err != nil {
					t.Fatal(err)
				}
				annotations := d.Object.GetAnnotations()
				if err := d.Reader.Get(t.Context(), client.ObjectKeyFromObject(d.Object), d.Object); err != nil {
					t.Fatal(err)
				}
				d.Object.SetAnnotations(annotations)
				d.bucket().Spec = spec
			}
			c := meta.FindStatusCondition(d.status().Conditions, v1alpha1.ConditionStalled)
			if c == nil || c.Reason != string(test.reason) || !strings.Contains(c.Message, test.says) {
				t.Errorf("it stalls so: %+v", c)
			}
		})
	}
}

// While it is being deleted an object is never Ready, whatever the cloud answers first.
func TestDeletionShowsAtOnce(t *testing.T) {
	for _, code := range []driver.Code{driver.Busy, driver.Unavailable, driver.Denied} {
		d := newDesk(t)
		d.RecordDeadline = time.Minute
		condition.Set(&d.status().Conditions, condition.Update{State: condition.UpToDate, Reason: v1alpha1.ReasonReady, Generation: 1, Now: metav1.NewTime(d.Facts.Now)})
		d.bucket().Generation, d.Deleting = 2, true
		if _, err := d.record(t.Context(), outcome.Outcome{}, &driver.Error{Code: code, Op: "DeleteBucket", Message: "no"}); err != nil {
			t.Fatal(err)
		}
		if c := meta.FindStatusCondition(d.status().Conditions, v1alpha1.ConditionReady); c.Status != metav1.ConditionFalse || c.Reason != string(v1alpha1.ReasonDeleting) {
			t.Errorf("%v: Ready is %s %s", code, c.Status, c.Reason)
		}
	}
}

// A vanished is a cloud in which the cloud object is gone, and that notes what people were told when it is called.
type vanished struct {
	*showing
	told func()
}

func (v *vanished) Create(context.Context, string, driver.Request, driver.Secrets) (driver.Result, error) {
	v.told()
	return driver.Result{}, nil
}

// That data is lost is told before another cloud object is created: if the process ends during the call, nobody would be told later, because
// the status no longer says that there was one.
func TestLostDataIsToldBeforeTheCreation(t *testing.T) {
	d := newDesk(t, teamConfig()...)
	told := func() (notes []string) {
		found := &eventsv1.EventList{}
		if err := d.Client.List(t.Context(), found); err != nil {
			t.Fatal(err)
		}
		for _, e := range found.Items {
			notes = append(notes, e.Reason+" "+e.Note)
		}
		return notes
	}
	var before []string
	d.connect(&vanished{&showing{d.cloud, []driver.Observation{{State: driver.Absent}}}, func() { before = told() }})
	b := d.bucket()
	b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}
	if _, err := d.Reconcile(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if len(before) != 1 || !strings.Contains(before[0], v1alpha1.EventDataLost) {
		t.Errorf("before the creation the API server had the Events %q", before)
	}
	if after := told(); len(after) != 1 {
		t.Errorf("it is told twice: %q", after)
	}
	for queued := d.Recorder.(*events.FakeRecorder).Events; len(queued) > 0; {
		if again := <-queued; strings.Contains(again, v1alpha1.EventDataLost) {
			t.Errorf("it is told twice: %q", again)
		}
	}
}
