package login

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

const rotationPeriodOfTests = 720 * time.Hour

// A rotating database is Ready, and its password is due at the time now.
type rotatingDatabase struct {
	d      *v1alpha1.Database
	o      driver.Observation
	p      plan.Policy
	stored password.Stored
	now    time.Time
}

func newRotating() *rotatingDatabase {
	born := time.Unix(1_700_000_000, 0)
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid", Generation: 3}}
	d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
	d.Spec.Credentials = &v1alpha1.DatabaseCredentials{RotationPeriod: "720h"}
	d.Status.FirstReadyTime, d.Status.AppliedGeneration = &metav1.Time{Time: born}, 3
	d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, ObservedGeneration: 3}}
	d.Status.Rotation = &v1alpha1.PasswordRotation{
		Period: "720h", LastTime: metav1.NewTime(born), NextTime: metav1.NewTime(born.Add(rotationPeriodOfTests)),
	}
	return &rotatingDatabase{
		d: d, o: driver.Observation{State: driver.Ready, Available: true}, p: plan.Policy{Management: v1alpha1.ManagementFull},
		stored: password.Stored{Current: "one", Serial: 1}, now: born.Add(rotationPeriodOfTests),
	}
}

// stalled has a person to act.
func (r *rotatingDatabase) stalled(reason v1alpha1.Reason) {
	r.d.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, ObservedGeneration: 3},
		{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: string(reason), ObservedGeneration: 3},
	}
}

// A password is changed once its period has passed, and only while nothing is the matter with the database.
func TestRotationDue(t *testing.T) {
	drift := driver.Change{Field: "size", From: "b", To: "a", Effect: driver.Restarts}
	for _, tt := range []struct {
		name string
		edit func(*rotatingDatabase)
		due  bool
		// look: whether the password Secret is read for it.
		look bool
	}{
		{"its period has passed", func(*rotatingDatabase) {}, true, true},
		{"a month ago", func(r *rotatingDatabase) { r.now = r.now.Add(rotationPeriodOfTests) }, true, true},
		{"not yet", func(r *rotatingDatabase) { r.now = r.now.Add(-time.Second) }, false, false},
		{"the clock went back", func(r *rotatingDatabase) { r.now = r.now.Add(-2 * rotationPeriodOfTests) }, false, false},
		{"it was changed since, and the status does not say so", func(r *rotatingDatabase) { r.stored.Confirmed = r.now.Unix() - 60 }, false, true},
		{"another is on its way", func(r *rotatingDatabase) { r.stored.Next, r.stored.Serial = "two", 2 }, false, true},
		{"only others know it", func(r *rotatingDatabase) { r.stored = password.Stored{Next: "two", Serial: 2, Foreign: true} }, false, true},
		{"the period was removed", func(r *rotatingDatabase) { r.d.Spec.Credentials.RotationPeriod = "" }, false, false},
		{"another period was set", func(r *rotatingDatabase) { r.d.Spec.Credentials.RotationPeriod = "1h" }, false, true},
		{"the status was lost", func(r *rotatingDatabase) { r.d.Status.Rotation = nil }, false, true},
		{"the spec names the password", func(r *rotatingDatabase) {
			r.d.Spec.Credentials.PasswordSecretRef = &v1alpha1.SecretKeyReference{Name: "mine"}
		}, false, false},
		{"nobody is told", func(r *rotatingDatabase) { r.d.Spec.Connection = nil }, false, false},
		{"the spec was edited", func(r *rotatingDatabase) { r.d.Generation++ }, false, false},
		{"it is not Ready", func(r *rotatingDatabase) { r.d.Status.Conditions[0].Status = metav1.ConditionFalse }, false, false},
		{"nothing is known of it", func(r *rotatingDatabase) { r.d.Status.Conditions = nil }, false, false},
		{"it is Stalled", func(r *rotatingDatabase) { r.stalled(v1alpha1.ReasonFailed) }, false, false},
		{"it is Stalled for its connection Secret", func(r *rotatingDatabase) { r.stalled(v1alpha1.ReasonSecretNotWritten) }, true, true},
		{"it is Stalled for its connection Secret, and edited", func(r *rotatingDatabase) { r.stalled(v1alpha1.ReasonSecretNotWritten); r.d.Generation++ }, false, false},
		{"the class refuses it", func(r *rotatingDatabase) { r.p.Refused.Reason = v1alpha1.ReasonClassNotAllowed }, false, false},
		{"the cloud is at work", func(r *rotatingDatabase) { r.o.State = driver.Pending }, false, false},
		{"an operation has not ended", func(r *rotatingDatabase) { r.o.Operation = "op-1" }, false, false},
		{"it can't be used", func(r *rotatingDatabase) { r.o.Available = false }, false, false},
		{"it is stopped", func(r *rotatingDatabase) { r.o.Stopped = true }, false, false},
		{"a part can't be read", func(r *rotatingDatabase) { r.o.Unreadable = []driver.FieldError{{Field: "tags"}} }, false, false},
		{"the cloud could not set the last one", func(r *rotatingDatabase) { r.o.Login = &driver.LoginState{PasswordRefused: true} }, false, false},
		{"something differs", func(r *rotatingDatabase) { r.o.Changes = []driver.Change{drift} }, false, false},
		{"what differs waits for approval", func(r *rotatingDatabase) {
			r.o.Changes, r.d.Status.PendingChanges = []driver.Change{drift}, []v1alpha1.PendingChange{{Field: "size", From: "b", To: "a"}}
		}, true, true},
		{"the server from before an upgrade is about to wait for approval", func(r *rotatingDatabase) {
			r.o.Changes = []driver.Change{{Field: "formerServer", From: "orders-old1", To: "Deleted", Effect: driver.Irreversible}}
		}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRotating()
			tt.edit(r)
			s := password.State{Stored: r.stored}
			if got := isRotationDue(kind.Database(), r.d, r.d, r.o, r.p, s, r.now); got != tt.due {
				t.Errorf("due %t, want %t", got, tt.due)
			}
			if got := rotationNeedsSecret(kind.Database(), r.d, r.d, r.o, r.p, r.now); got != tt.look {
				t.Errorf("needs a look %t, want %t", got, tt.look)
			}
		})
	}
	if b := (&v1alpha1.Bucket{}); rotationNeedsSecret(kind.Bucket(), b, b, driver.Observation{}, plan.Policy{}, time.Now()) {
		t.Error("a bucket has a password")
	}
}

// The status says when the password is changed next, and moves only with the password or its period.
func TestNoteRotation(t *testing.T) {
	r := newRotating()
	note := func() *v1alpha1.PasswordRotation {
		dropRotation(kind.Database(), r.d, r.d, r.p)
		noteRotation(kind.Database(), r.d, r.d, r.o, password.State{Stored: r.stored}, r.now)
		return r.d.Status.Rotation.DeepCopy()
	}
	first := note()
	r.now = r.now.Add(time.Hour)
	if diff := cmp.Diff(first, note()); diff != "" {
		t.Errorf("it moves by itself (-before +after):\n%s", diff)
	}
	r.stored.Next, r.stored.Serial, r.stored.Rotated = "two", 2, true
	if diff := cmp.Diff(first, note()); diff != "" {
		t.Errorf("it moves before the new password is confirmed (-before +after):\n%s", diff)
	}
	r.stored = password.Stored{Current: "two", Serial: 2, Confirmed: r.now.Unix()}
	second := note()
	if !second.LastTime.Time.Equal(r.now) || !second.NextTime.After(r.now) || second.NextTime.After(r.now.Add(rotationPeriodOfTests)) {
		t.Errorf("after a rotation at %s it says %+v", r.now, second)
	}
	if got := nextRotation(kind.Database(), r.d); !got.Equal(second.NextTime.Time) {
		t.Errorf("it comes back at %s, and the next time is %s", got, second.NextTime)
	}
	r.d.Status.Rotation, r.now = nil, r.now.Add(time.Hour)
	if diff := cmp.Diff(second, note()); diff != "" {
		t.Errorf("it is another one after the status was lost (-before +after):\n%s", diff)
	}
	r.p.Management = v1alpha1.ManagementObserve
	dropRotation(kind.Database(), r.d, r.d, r.p)
	if r.d.Status.Rotation != nil {
		t.Error("what is only observed is said to change")
	}
	r.p.Management, r.d.Spec.Credentials = v1alpha1.ManagementFull, nil
	if got := note(); got != nil {
		t.Errorf("without a period it says %+v", got)
	}
}

// A new server is scheduled by the reconciliation that finds it to be ready, at the time that the status then has.
func TestNoteRotationOfANewServer(t *testing.T) {
	r := newRotating()
	r.d.Status.FirstReadyTime, r.d.Status.Rotation, r.d.Status.Conditions = nil, nil, nil
	r.o.Changes = []driver.Change{{Field: "size"}}
	noteRotation(kind.Database(), r.d, r.d, r.o, password.State{Stored: r.stored}, r.now)
	if r.d.Status.Rotation != nil {
		t.Errorf("while it is being created it says %+v", r.d.Status.Rotation)
	}
	r.o.Changes, r.now = nil, r.now.Add(time.Millisecond)
	noteRotation(kind.Database(), r.d, r.d, r.o, password.State{Stored: r.stored}, r.now)
	before := r.d.Status.Rotation.DeepCopy()
	r.d.Status.FirstReadyTime = &metav1.Time{Time: r.now.Truncate(time.Second)}
	noteRotation(kind.Database(), r.d, r.d, r.o, password.State{Stored: r.stored}, r.now.Add(time.Hour))
	if diff := cmp.Diff(before, r.d.Status.Rotation); before == nil || diff != "" {
		t.Errorf("it is scheduled again (-before +after):\n%s", diff)
	}
}

// A password that a person asked for is made once, and only while nothing keeps it from being made.
func TestRotationRequested(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*rotatingDatabase)
		due  bool
	}{
		{"stored, and not made", func(*rotatingDatabase) {}, true},
		{"made already", func(r *rotatingDatabase) { r.stored.Serial = 2 }, false},
		{"not stored", func(r *rotatingDatabase) { r.d.Status.Actions[0].Outcome = v1alpha1.ActionSucceeded }, false},
		{"the spec names the password", func(r *rotatingDatabase) {
			r.d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "mine"}}
		}, false},
		{"nobody is told", func(r *rotatingDatabase) { r.d.Spec.Connection = nil }, false},
		{"it is Stalled", func(r *rotatingDatabase) { r.stalled(v1alpha1.ReasonFailed) }, false},
		{"the cloud is at work", func(r *rotatingDatabase) { r.o.State = driver.Pending }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRotating()
			r.d.Spec.Credentials, r.d.Status.Rotation = nil, nil
			r.d.Status.Actions = []v1alpha1.ActionStatus{{Name: string(driver.RotatePassword), Value: "one", Outcome: v1alpha1.ActionRequested, Before: "1"}}
			tt.edit(r)
			if got := isRotationDue(kind.Database(), r.d, r.d, r.o, r.p, password.State{Stored: r.stored}, r.now); got != tt.due {
				t.Errorf("due %t, want %t", got, tt.due)
			}
			if tt.due && !rotationNeedsSecret(kind.Database(), r.d, r.d, r.o, r.p, r.now) {
				t.Error("nobody reads the password Secret")
			}
		})
	}
}

// Why a password is changed is told by what is stored: a person asked for it, also if the spec has changed since so that nobody could ask for it now.
func TestRotationStored(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*v1alpha1.Database)
		want bool
	}{
		{"stored", func(*v1alpha1.Database) {}, true},
		{"stored, and nobody is told the password any more", func(d *v1alpha1.Database) { d.Spec.Connection = nil }, true},
		{"done", func(d *v1alpha1.Database) { d.Status.Actions[0].Outcome = v1alpha1.ActionSucceeded }, false},
		{"another action", func(d *v1alpha1.Database) { d.Status.Actions[0].Name = string(driver.Restart) }, false},
		{"the cloud manages the password", func(d *v1alpha1.Database) { d.Spec.Credentials.Source = v1alpha1.CredentialsCloudManaged }, false},
	} {
		r := newRotating()
		r.d.Status.Actions = []v1alpha1.ActionStatus{{Name: string(driver.RotatePassword), Value: "one", Outcome: v1alpha1.ActionRequested, Before: "1"}}
		tt.edit(r.d)
		if got := rotationStored(kind.Database(), r.d, r.d); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
