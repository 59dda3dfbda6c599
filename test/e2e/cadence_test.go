package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/patience"
	"github.com/mooring-dev/mooring/test/system"
)

// daySync is the sync period of the day: every hour.
const daySync = time.Hour

// hours are those of a working day. Nothing comes back less often than each sync period, so that in more of them the same is seen again.
const hours = 8

// How often an object may be observed in a day: not at all; at the cadence of a converged one; at that of one whose calls
// fail, which is every five minutes in the end; and at that of one that waits for the cloud.
const (
	never   = 0
	slowly  = hours*12/10 + 2
	failing = hours*60/5*12/10 + 20
	polled  = hours*17 + 10
)

// perObservation is how many calls one observation and what follows it may take: a bucket in S3 that is only observed has 18 aspects, each with a read of its own.
const perObservation = 20

// mostSteps is more than there are things due in a day, about 3,700. Something that is due each second is due 28,800 times.
const mostSteps = 10_000

// A dayCase is an object in a state that lasts.
type dayCase struct {
	name, kind, cloud string
	// before prepares the cloud and the namespace; with changes the object before it is created.
	before func(*dayFixture, *system.Cloud, string)
	with   func(*dayFixture, client.Object)
	// then brings the object, once it is Ready, to the state. Without it the object gets there by itself.
	then func(*dayFixture, *system.Cloud, client.Object, string)
	// reached reports whether it is there.
	reached func(system.Snapshot) bool
	atMost  int
}

// A dayFixture is a fixture with a clock of its own.
type dayFixture struct {
	*fixture
	clock *schedule
}

// No state of any kind is observed more often than its cadence says, over a day: in none are there calls without end.
func TestADay(t *testing.T) {
	t.Parallel()
	clock := newSchedule()
	clock.seldom = 10 * time.Minute
	w := newDayFixture(t, clock, daySync, localcloud.Durations{Modify: (hours + 6) * time.Hour}) // longer than the day and what comes before it
	w.waitsAMinute()
	type running struct {
		dayCase
		object   client.Object
		external string
	}
	var all []running
	for _, c := range dayCases() {
		k, on := system.TargetOf(c.kind, c.cloud), w.onDay(c.cloud)
		r := running{dayCase: c, external: w.Namespace + "-" + c.name}
		if c.before != nil {
			c.before(w, on, r.external)
		}
		r.object = w.declare(on, k, c.name)
		system.SpecOf(r.object).ExternalName = r.external
		if c.with != nil {
			c.with(w, r.object)
		}
		w.create(r.object)
		all = append(all, r)
	}
	for _, r := range all {
		if r.then == nil {
			w.until(r.object, r.name, r.reached)
		} else {
			w.until(r.object, r.name+": ready", func(s system.Snapshot) bool { return s.IsReady(r.object) })
		}
	}
	w.Disturb()
	for _, r := range all {
		if r.then != nil {
			r.then(w, w.onDay(r.cloud), r.object, r.external)
		}
	}
	for _, r := range all {
		w.until(r.object, r.name, r.reached)
	}
	before, begun := w.Cloud.Ledger.Count(localcloud.Filter{}), w.clock.Now()
	steps := 0
	for ; w.clock.step(begun.Add(hours * time.Hour)); steps++ {
		if steps > mostSteps {
			t.Errorf("the day is over after %v: something is looked at without end", w.clock.Now().Sub(begun))
			break
		}
	}
	t.Logf("a day in %d steps", steps)
	day := w.Cloud.Ledger.Calls(localcloud.Filter{})[before:]
	for _, r := range all {
		observations, calls := observed(day, func(c localcloud.Call) bool { return c.Resource == r.external })
		t.Logf("%-28s %4d observations, %5d calls", r.name, observations, calls)
		if observations > r.atMost || calls > observations*perObservation {
			t.Errorf("%s: observed %d times in a day, with %d calls; want at most %d times", r.name, observations, calls, r.atMost)
		}
		if s := w.last(r.object); !r.reached(s) {
			t.Errorf("%s: after a day it is\n    %v", r.name, s)
		}
	}
	for _, r := range all {
		if strings.HasPrefix(r.name, "converged-") {
			w.observesOnRequest(w.onDay(r.cloud), r.object, r.external)
		}
	}
	// Accounts are asked who they are, those with wrong keys too.
	observations, calls := observed(day, func(c localcloud.Call) bool { return c.Resource == "" && c.Service != "token" })
	t.Logf("accounts: asked %d times, %d calls", observations, calls)
	if most := 3*slowly + 2*failing; calls > most {
		t.Errorf("accounts were asked %d times in a day, want at most %d", calls, most)
	}
}

// observesOnRequest checks that the annotation for doing it now has an object observed while the time stands still, in which nothing else is
// due.
func (w *dayFixture) observesOnRequest(c *system.Cloud, o client.Object, name string) {
	w.Helper()
	before := c.Observations(name)
	edit(w.fixture, o, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationReconcile: "now"}) })
	w.Eventually(name+" is observed for being asked to, and not for the time", func() bool { return c.Observations(name) > before })
}

// observed counts the moments at which there were calls, and these. Time stands still in an observation.
func observed(day []localcloud.Call, of func(localcloud.Call) bool) (observations, calls int) {
	moments := map[time.Time]bool{}
	for _, c := range day {
		if of(c) {
			moments[c.Time] = true
			calls++
		}
	}
	return len(moments), calls
}

// newDayFixture starts an environment on which the time is the test's: on that clock.
func newDayFixture(t *testing.T, clock *schedule, sync time.Duration, durations localcloud.Durations) *dayFixture {
	t.Helper()
	s := newIdleEnvironment(t, localcloud.Options{
		Now: clock.Now, ListenersOnly: true, InstanceQuota: -1, Durations: durations,
	}, 1)
	const timeout = time.Minute
	s.StartManager(t, controllers.Options{
		SyncPeriod: sync, ConsistencyWindow: 5 * time.Second, Now: clock.Now, NewQueue: clock.queue,
		// Tokens and signatures are of the machine's own time.
		Drivers: map[string]driver.Driver{
			"aws": aws.New(aws.Options{Endpoint: s.Cloud.AWSEndpoint(), CallTimeout: timeout}),
			"gcp": gcp.New(gcp.Options{Endpoint: s.Cloud.GCPEndpoint(), CallTimeout: timeout}),
		},
	}, nil)
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop) // after the fixture has waited for its objects
	w := &dayFixture{s.fixture(t), clock}
	t.Cleanup(func() { // deletions take time, too
		w.Disturb()
		s.Cloud.Faults.Reset()
		go func() {
			for ctx.Err() == nil {
				if !clock.step(clock.Now().Add(time.Hour)) {
					time.Sleep(10 * time.Millisecond)
				}
			}
		}()
	})
	return w
}

func (w *dayFixture) onDay(name string) *system.Cloud {
	return system.NewCloud(w.Cloud, name)
}

// last is the latest state of an object.
func (w *dayFixture) last(o client.Object) (s system.Snapshot) {
	if states := w.States(system.KindOf(o), o.GetName(), 0); len(states) > 0 {
		s = states[len(states)-1]
	}
	return s
}

// until lets the time pass until an object is as wanted.
func (w *dayFixture) until(o client.Object, what string, wanted func(system.Snapshot) bool) {
	w.Helper()
	wait := patience.New()
	for limit := w.clock.Now().Add(6 * time.Hour); !wanted(w.last(o)); {
		if w.clock.step(limit) {
			wait = patience.New() // however slow the machine is, something happens
			continue
		}
		time.Sleep(5 * time.Millisecond) // a watch may be on its way
		if wait.Over() {
			w.Fatalf("%s: it does not get there within %s:\n    %v", what, wait, w.last(o))
		}
	}
}

// waitsAMinute checks that a new object waits for what it refers to for a minute, and is a person's to mend after that. It
// comes back for that by itself.
func (w *dayFixture) waitsAMinute() {
	w.Helper()
	c := w.onDay("aws")
	noClass := w.bucket(c, "no-class", v1alpha1.BucketParameters{})
	noClass.Spec.ProviderConfigRef, noClass.Spec.ClassName = nil, "none"
	noConfig := w.bucket(c, "no-config", v1alpha1.BucketParameters{})
	noConfig.Spec.ProviderConfigRef.Name = "none"
	w.Must(w.Client.Create(w.Context(), w.team(c)))
	noKeys := ofTeam(w.fixture, c)
	noKeys.SetName("no-keys")
	for o, reason := range map[client.Object]v1alpha1.Reason{
		noClass: v1alpha1.ReasonClassNotFound, noConfig: v1alpha1.ReasonProviderConfigNotFound, noKeys: v1alpha1.ReasonCredentialsNotFound,
	} {
		w.create(o)
		w.awaitMissing(o, reason)
		if s := w.last(o); !s.Is(v1alpha1.ConditionStalled, absent) {
			w.Errorf("a new object is stalled at once:\n    %v", s)
		}
	}
	for _, o := range []client.Object{noClass, noConfig, noKeys} {
		stalled := stalledFor(v1alpha1.ReasonClassNotFound, v1alpha1.ReasonProviderConfigNotFound, v1alpha1.ReasonCredentialsNotFound)
		var now system.Snapshot // as it is stored: while a watch is on its way the time would pass
		w.until(o, o.GetName()+": stalled", func(system.Snapshot) bool {
			stored := o.DeepCopyObject().(client.Object)
			w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), stored))
			now = system.Snapshot{Status: *system.StatusOf(stored)}
			return stalled(now)
		})
		// It was created at a time of the API server's, which goes on while the schedule's stands still.
		since := now.Condition(v1alpha1.ConditionStalled).LastTransitionTime
		if waited := since.Sub(o.GetCreationTimestamp().Time); waited < 30*time.Second || waited > 3*time.Minute {
			w.Errorf("%s: what it refers to was waited for %v", o.GetName(), waited)
		}
	}
}

func stalledFor(reasons ...v1alpha1.Reason) func(system.Snapshot) bool {
	return func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionStalled)
		for _, reason := range reasons {
			if c != nil && c.Status == yes && c.Reason == string(reason) {
				return true
			}
		}
		return false
	}
}

// workingFor is the state of one that goes on by itself, for a reason of Reconciling.
func workingFor(reason v1alpha1.Reason) func(system.Snapshot) bool {
	return func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionReconciling)
		return c != nil && c.Status == yes && c.Reason == string(reason) && s.Is(v1alpha1.ConditionReady, no)
	}
}

func syncedFor(reason v1alpha1.Reason) func(system.Snapshot) bool {
	return func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionSynced)
		return c != nil && c.Reason == string(reason)
	}
}

// dayCases are the states.
func dayCases() []dayCase {
	cases := []dayCase{
		{name: "not-empty", kind: "Bucket", cloud: "aws", then: func(w *dayFixture, c *system.Cloud, o client.Object, name string) {
			c.Buckets().PutObject(w.T, name, "a")
			w.delete(o)
		}, reached: stalledFor(v1alpha1.ReasonNotEmpty), atMost: failing},
		{name: "protected", kind: "Database", cloud: "gcp", with: func(_ *dayFixture, o client.Object) {
			o.(*v1alpha1.Database).Spec.DeletionProtection = new(true)
		}, then: deleted, reached: stalledFor(v1alpha1.ReasonDeletionProtected), atMost: slowly},
		{name: "class-gone", kind: "Bucket", cloud: "aws", before: func(w *dayFixture, c *system.Cloud, _ string) {
			class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "going", Annotations: map[string]string{"mooring.dev/allow-deletion": "true"}}}
			class.Spec.ProviderConfigRef.Name, class.Spec.AllowedNamespaces = c.Config, &metav1.LabelSelector{}
			w.Must(w.Client.Create(w.Context(), class))
		}, with: func(_ *dayFixture, o client.Object) {
			system.SpecOf(o).ProviderConfigRef, system.SpecOf(o).ClassName = nil, "going"
		}, then: func(w *dayFixture, _ *system.Cloud, _ client.Object, _ string) {
			class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "going"}}
			w.Must(w.Client.Delete(w.Context(), class))
		}, reached: stalledFor(v1alpha1.ReasonClassNotFound), atMost: slowly},
		{name: "account-changed", kind: "Bucket", cloud: "aws", before: func(w *dayFixture, c *system.Cloud, _ string) {
			config := w.team(c)
			config.Name, config.Spec.Credentials.SecretRef.Name = "moving", "moving"
			w.Must(w.Client.Create(w.Context(), config))
			w.Must(w.Client.Create(w.Context(), &corev1.Secret{ObjectMeta: w.Meta("moving"), Data: c.Keys()}))
		}, with: func(_ *dayFixture, o client.Object) {
			system.SpecOf(o).ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: "moving"}
		}, then: func(w *dayFixture, c *system.Cloud, _ client.Object, _ string) {
			elsewhere := &system.Cloud{Cloud: c.Cloud, Name: c.Name, Account: "444455556666"}
			w.Must(w.Client.Update(w.Context(), &corev1.Secret{ObjectMeta: w.Meta("moving"), Data: elsewhere.Keys()}))
		}, reached: stalledFor(v1alpha1.ReasonAccountChanged), atMost: never},
		{name: "secret-taken", kind: "Bucket", cloud: "gcp", then: func(w *dayFixture, _ *system.Cloud, o client.Object, _ string) {
			w.theirs("taken")
			edit(w.fixture, o, func(o client.Object) { system.Connect(o, "taken") })
		}, reached: stalledFor(v1alpha1.ReasonSecretNotOwned), atMost: slowly},
		{name: "no-password", kind: "Database", cloud: "aws", with: func(_ *dayFixture, o client.Object) {
			o.(*v1alpha1.Database).Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "none"}}
		}, reached: stalledFor(v1alpha1.ReasonPasswordNotFound), atMost: failing},
		{name: "invalid", kind: "Database", cloud: "aws", with: func(_ *dayFixture, o client.Object) {
			o.(*v1alpha1.Database).Spec.Version = new("99")
		}, reached: stalledFor(v1alpha1.ReasonInvalid), atMost: failing},
		{name: "not-there", kind: "Database", cloud: "gcp", with: func(_ *dayFixture, o client.Object) {
			system.SpecOf(o).Management = v1alpha1.ManagementObserve
		}, reached: stalledFor(v1alpha1.ReasonNotFound), atMost: slowly},
		{name: "approval", kind: "Database", cloud: "gcp", with: func(_ *dayFixture, o client.Object) {
			system.SpecOf(o).Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		}, then: resized, reached: stalledFor(v1alpha1.ReasonApprovalRequired), atMost: slowly},
		{name: "read-denied", kind: "Bucket", cloud: "aws", then: func(w *dayFixture, _ *system.Cloud, _ client.Object, name string) {
			w.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Resource: name}, Kind: localcloud.Denied})
		}, reached: func(s system.Snapshot) bool {
			return stalledFor(v1alpha1.ReasonDenied)(s) && s.Is(v1alpha1.ConditionAvailable, open)
		}, atMost: failing},
		{name: "write-denied", kind: "Database", cloud: "gcp", then: notTaken(localcloud.Denied), reached: stalledFor(v1alpha1.ReasonDenied), atMost: failing},
		{name: "edit-busy", kind: "Database", cloud: "aws", then: notTaken(localcloud.Conflict), reached: workingFor(v1alpha1.ReasonCloudBusy), atMost: polled},
		{name: "deletion-busy", kind: "Bucket", cloud: "aws", then: func(w *dayFixture, c *system.Cloud, o client.Object, name string) {
			w.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Resource: name, Write: localcloud.Writes}, Kind: localcloud.Conflict})
			w.delete(o)
		}, reached: workingFor(v1alpha1.ReasonDeleting), atMost: polled},
		{name: "modifying", kind: "Database", cloud: "aws", then: resized, reached: workingFor(v1alpha1.ReasonCloudBusy), atMost: polled},
		{name: "wrong-keys", kind: "Bucket", cloud: "aws", before: func(w *dayFixture, c *system.Cloud, _ string) {
			w.credentials(c, map[string][]byte{v1alpha1.SecretKeyAWSSecretAccessKey: []byte("not-the-secret")})
		}, with: func(_ *dayFixture, o client.Object) {
			system.SpecOf(o).ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: "team"}
		}, reached: stalledFor(v1alpha1.ReasonDenied), atMost: never},
	}
	for _, k := range system.Targets {
		at := fmt.Sprintf("-%s-%s", k.Cloud, map[string]string{"Bucket": "b", "Database": "d"}[k.Kind])
		cases = append(cases,
			dayCase{name: "converged" + at, reached: syncedFor(v1alpha1.ReasonReady), atMost: slowly},
			dayCase{name: "observed" + at, before: made(k, map[string]string{"theirs": "1"}), with: func(_ *dayFixture, o client.Object) {
				system.SpecOf(o).Management = v1alpha1.ManagementObserve
			}, reached: syncedFor(v1alpha1.ReasonObserved), atMost: slowly},
			dayCase{name: "not-owned" + at, before: made(k, someoneElses()), reached: stalledFor(v1alpha1.ReasonNotOwned), atMost: slowly},
			dayCase{name: "vanished" + at, with: func(_ *dayFixture, o client.Object) {
				system.SpecOf(o).WhenVanished = v1alpha1.WhenVanishedStop
			}, then: func(w *dayFixture, c *system.Cloud, _ client.Object, name string) {
				k.Drop(c, w.T, name)
			}, reached: stalledFor(v1alpha1.ReasonVanished), atMost: slowly},
			dayCase{name: "paused" + at, then: func(w *dayFixture, _ *system.Cloud, o client.Object, _ string) {
				edit(w.fixture, o, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationPaused: "true"}) })
			}, reached: syncedFor(v1alpha1.ReasonPaused), atMost: never},
		)
		for i := range cases[len(cases)-5:] {
			c := &cases[len(cases)-5+i]
			c.kind, c.cloud = k.Kind, k.Cloud
		}
	}
	return cases
}

func deleted(w *dayFixture, _ *system.Cloud, o client.Object, _ string) { w.delete(o) }

func resized(w *dayFixture, c *system.Cloud, o client.Object, _ string) {
	edit(w.fixture, o.(*v1alpha1.Database), func(d *v1alpha1.Database) { system.SetSize(c, &d.Spec.DatabaseParameters, system.Sizes[c.Name][1]) })
}

// notTaken has an edit that the cloud does not take.
func notTaken(kind localcloud.FaultKind) func(*dayFixture, *system.Cloud, client.Object, string) {
	return func(w *dayFixture, _ *system.Cloud, o client.Object, name string) {
		w.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Resource: name, Write: localcloud.Writes}, Kind: kind})
		edit(w.fixture, o.(*v1alpha1.Database), func(d *v1alpha1.Database) { d.Spec.Tags = map[string]v1alpha1.TagValue{"team": "b"} })
	}
}

func made(k system.Target, tags map[string]string) func(*dayFixture, *system.Cloud, string) {
	return func(w *dayFixture, c *system.Cloud, name string) { k.Make(c, w.T, name, tags) }
}
