package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// killed is the fault after which the process is no more: the call was committed, and nobody learned of it.
const killed localcloud.FaultKind = "killed"

// An injectedFault is where in a lifecycle something goes wrong.
type injectedFault struct {
	phase phase
	call  call
	kind  localcloud.FaultKind
	// code is that of the error in which an operation ends that fails late; empty for an internal error.
	code string
}

func (f injectedFault) String() string { return fmt.Sprintf("%s/%s/%s", f.phase, f.call, f.kind) }

func (f injectedFault) at() call { return f.call }

// A call is one call of a phase: the n-th of its name. Calls are known by name, since the controllers of
// objects and of provider configs work at the same time, in no order.
type call struct {
	side string // kubernetes or cloud
	name string
	n    int // 0: each
}

// Sides of a call.
const (
	kubernetes = "kubernetes"
	cloud      = "cloud"
)

func (c call) String() string {
	if c.n == 0 {
		return c.name
	}
	return fmt.Sprintf("%s %d", c.name, c.n)
}

// A lifecycle is one object from its creation to its end.
type lifecycle struct {
	*environment
	target  system.Target
	name    string // of its namespace and its object
	account string
	kill    func() // ends the process that manages it

	faults injectedFaults // that phases begin with

	mu        sync.Mutex
	injected  *injectedFault
	hits      int
	refusedAt time.Time // when this lifecycle first ran into a fault
	phase     phase
	// count numbers the calls of this phase by name; writes and reads are those to the API server.
	count  map[string]int
	writes []call
	reads  []read
	lift   func()
	ledger int // how long the account's ledger was when the phase began

	removed   atomic.Bool // the object is gone, and what it left may remain
	uids      []types.UID
	secrets   []string // what must never be shown
	passwords int
}

// A read is one that was made, and when.
type read struct {
	call
	at time.Time
}

// prepared makes a lifecycle, its namespace, account and credentials.
func (w *environment) prepared(t testing.TB, s system.Target) *lifecycle {
	t.Helper()
	l := w.newLifecycle(s)
	l.prepare(t)
	return l
}

// newLifecycle makes a lifecycle of which there is nothing in Kubernetes yet.
func (w *environment) newLifecycle(s system.Target) *lifecycle {
	n := w.lifecycles.Add(1)
	account := lifecycleName(n)
	if s.Cloud == "aws" {
		account = fmt.Sprintf("%012d", 100000000000+int64(n))
	}
	return w.newLifecycleAs(s, lifecycleName(n), account)
}

func (w *environment) newLifecycleAs(s system.Target, name, account string) *lifecycle {
	l := &lifecycle{environment: w, target: s, name: name, account: account, count: map[string]int{}}
	w.interceptor.track(l, l.name)
	remember(l)
	return l
}

// prepare makes namespace, account and credentials of a lifecycle.
func (l *lifecycle) prepare(t testing.TB) {
	t.Helper()
	l.must(t, system.EnsureNamespace(t.Context(), l.Client, l.name))
	l.must(t, l.Client.Create(t.Context(), l.credentials()))
	config := &v1alpha1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: accountName},
		Spec: v1alpha1.ProviderConfigSpec{
			Account:     l.console().AccountSpec(),
			Credentials: v1alpha1.Credentials{SecretRef: &v1alpha1.LocalSecretReference{Name: accountName}},
		},
	}
	l.must(t, l.Client.Create(t.Context(), config))
	l.track(config.UID)
}

// credentials returns the Secret that leads to the lifecycle's account.
func (l *lifecycle) credentials() *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: accountName}, Data: l.console().Keys()}
	if secret, ok := s.Data[v1alpha1.SecretKeyAWSSecretAccessKey]; ok {
		l.secrets = append(l.secrets, string(secret))
		return s
	}
	var parsed map[string]string
	if err := json.Unmarshal(s.Data[v1alpha1.SecretKeyGCPCredentials], &parsed); err != nil {
		panic(err)
	}
	for line := range strings.SplitSeq(parsed["private_key"], "\n") {
		if len(line) == 64 { // a line of the key itself
			l.secrets = append(l.secrets, line)
		}
	}
	return s
}

func (l *lifecycle) track(uid types.UID) {
	l.uids = append(l.uids, uid)
	l.interceptor.track(l, string(uid))
}

func (l *lifecycle) must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
}

func (l *lifecycle) key() client.ObjectKey { return client.ObjectKey{Namespace: l.name, Name: l.name} }

// get reads the object from the API server.
func (l *lifecycle) get(t testing.TB) client.Object {
	t.Helper()
	o := l.target.New()
	l.must(t, l.Client.Get(t.Context(), l.key(), o))
	return o
}

// cached is the object as the test's cache has it, nil if it has none.
func (l *lifecycle) cached(ctx context.Context) client.Object {
	o := l.target.New()
	if l.cache.Get(ctx, l.key(), o) != nil {
		return nil
	}
	return o
}

// enterPhase begins a phase, and sets its fault.
func (l *lifecycle) enterPhase(p phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lift != nil {
		l.lift() // a fault is for its own phase
		l.lift = nil
	}
	l.phase, l.count, l.writes, l.reads = p, map[string]int{}, nil, nil
	l.ledger = l.Cloud.Ledger.Count(localcloud.Filter{Account: l.account})
	if l.faults != nil {
		f, faulty := l.faults[p]
		if l.injected, l.hits = nil, 0; faulty {
			l.injected = &f
		}
	}
	if l.injected != nil && l.injected.phase == p && l.injected.call.side == cloud {
		l.lift = l.injectIntoCloud(l.injected)
	}
}

// inject sets a fault in the present phase, in place of the one before; nil sets none.
func (l *lifecycle) inject(tr *injectedFault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lift != nil {
		l.lift()
	}
	l.injected, l.lift, l.hits = tr, nil, 0
	if tr != nil && tr.call.side == cloud {
		l.lift = l.injectIntoCloud(tr)
	}
}

// injectIntoCloud has the n-th call of an operation, or each, go wrong in the lifecycle's account.
func (l *lifecycle) injectIntoCloud(tr *injectedFault) (lift func()) {
	f := localcloud.Fault{
		Filter: localcloud.Filter{Account: l.account, Operation: tr.call.name}, Kind: tr.kind, Code: tr.code, Message: words[tr.code],
		Hook: func(localcloud.Call) { l.hit() },
	}
	if tr.call.n > 0 {
		f.Times, f.Skip = 1, tr.call.n-1
	}
	switch tr.kind {
	case localcloud.Hang:
		f.Kind = localcloud.RequestLost // which the manager takes for a call that has timed out; see runTimingOut
	case killed:
		f.Kind = localcloud.Latency // of nothing: what counts is the moment
		f.Hook = func(localcloud.Call) { l.hit(); l.kill() }
	}
	return l.Cloud.Faults.Add(f)
}

func (l *lifecycle) hit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.countHit()
}

// countHit is called with mu held.
func (l *lifecycle) countHit() {
	if l.hits++; l.refusedAt.IsZero() {
		l.refusedAt = time.Now()
	}
}

func (l *lifecycle) hitCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hits
}

// send passes a request of the lifecycle to the API server, unless it runs into the fault.
func (l *lifecycle) send(next http.RoundTripper, r *http.Request, name string, write bool) (*http.Response, error) {
	l.mu.Lock()
	l.count[name]++
	c := call{kubernetes, name, l.count[name]}
	if write {
		l.writes = append(l.writes, c)
	} else {
		l.reads = append(l.reads, read{c, time.Now()})
	}
	each := call{kubernetes, name, 0}
	var kind localcloud.FaultKind
	if l.injected != nil && l.injected.phase == l.phase && (l.injected.call == c || l.injected.call == each) {
		kind = l.injected.kind
		l.countHit()
	}
	l.mu.Unlock()
	if kind != "" {
		return fail(kind, next, r, l.kill)
	}
	return next.RoundTrip(r)
}

// written returns the writes of this phase to Kubernetes.
func (l *lifecycle) written() []call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.writes)
}

// logIfFailed helps whoever looks into a failure.
func (l *lifecycle) logIfFailed(t testing.TB) {
	if t.Failed() {
		t.Logf("%s: %d hits; writes to Kubernetes: %v; to the cloud: %v\n%s",
			l.name, l.hitCount(), l.written(), l.cloudCalls(localcloud.Writes), logs.about(t, l.name))
	}
}

// cloudCalls returns the calls of this phase that reached the cloud.
func (l *lifecycle) cloudCalls(side localcloud.Side) []localcloud.Call {
	all := l.Cloud.Ledger.Calls(localcloud.Filter{Account: l.account})[l.ledger:]
	return slices.DeleteFunc(all, func(c localcloud.Call) bool { return c.Write != (side == localcloud.Writes) })
}

// committed counts what this phase changed in the cloud, by operation.
func (l *lifecycle) committed() map[string]int {
	return l.committedSince(time.Time{})
}

// committedSince counts those that began at that time or later.
func (l *lifecycle) committedSince(when time.Time) map[string]int {
	done := map[string]int{}
	for _, c := range l.cloudCalls(localcloud.Writes) {
		if c.Committed && c.Code == "" && !c.Time.Before(when) {
			done[c.Operation]++
		}
	}
	return done
}

// firstRefusal returns when this lifecycle first ran into a fault.
func (l *lifecycle) firstRefusal() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusedAt
}

// perform does what a person does in a phase, and waits until it has come true.
func (l *lifecycle) perform(t testing.TB, p phase) {
	t.Helper()
	switch p {
	case creation:
		l.declare(t)
		l.awaitReady(t)
		l.awaitConfig(t)
		l.secrets = append(l.secrets, l.password(t)) // where Mooring made one
	case edit:
		l.patch(t, l.edit)
		l.awaitReady(t)
	case power:
		l.setPower(t, v1alpha1.PowerStateStopped)
		await(t, l.name+" is stopped", func() string { return unstopped(l.cached(t.Context())) })
		l.setPower(t, v1alpha1.PowerStateRunning)
		l.awaitReady(t)
	case rotation:
		before := system.StatusOf(l.get(t)).Applied["credentials.password"]
		password := l.givePassword(t)
		l.patch(t, func(o client.Object) {
			o.(*v1alpha1.Database).Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: givenPassword}}
		})
		await(t, l.name+": another password is in force", func() string {
			o := l.cached(t.Context())
			if slices.Equal(system.StatusOf(o).Applied["credentials.password"], before) {
				return conditions(system.StatusOf(o).Conditions)
			}
			return unready(o)
		})
		await(t, l.name+": the connection Secret has the new password", func() string {
			if l.password(t) != password {
				return "it has another"
			}
			return ""
		})
		l.awaitReady(t)
	case period:
		l.rotateByPeriod(t)
	case deletion:
		o := l.get(t)
		l.must(t, l.Client.Delete(t.Context(), o))
		l.awaitRemoved(t)
		l.removed.Store(true)
		l.verifyFinalSnapshot(t, system.StatusOf(o).ExternalName)
		l.awaitDeleted(t)
	default:
		l.update(t, p)
	}
}

func (l *lifecycle) setPower(t testing.TB, state v1alpha1.PowerState) {
	t.Helper()
	l.patch(t, func(o client.Object) { o.(*v1alpha1.Database).Spec.PowerState = &state })
}

// rotateByPeriod has the period of a generated password pass, and waits until another one is in force.
func (l *lifecycle) rotateByPeriod(t testing.TB) {
	t.Helper()
	l.patch(t, func(o client.Object) {
		o.(*v1alpha1.Database).Spec.Credentials = &v1alpha1.DatabaseCredentials{RotationPeriod: "720h"}
	})
	l.awaitReady(t)
	scheduled := func(after time.Time) (at time.Time) {
		await(t, l.name+": the status says when the password is changed", func() string {
			o := l.cached(t.Context())
			r := o.(*v1alpha1.Database).Status.Rotation
			if r == nil || !r.LastTime.After(after) {
				return fmt.Sprintf("%+v, %s", r, conditions(system.StatusOf(o).Conditions))
			}
			at = r.LastTime.Time
			return unready(o)
		})
		return at
	}
	last, former := scheduled(time.Time{}), l.password(t)
	d := l.get(t).(*v1alpha1.Database)
	before := d.DeepCopy()
	d.Status.Rotation.NextTime = metav1.NewTime(last.Add(time.Second))
	l.must(t, l.Client.Status().Patch(t.Context(), d, client.MergeFrom(before)))
	l.patch(t, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationReconcile: "now"}) })
	scheduled(last)
	await(t, l.name+": the connection Secret has the new password", func() string {
		if l.password(t) == former {
			return "it has the former one"
		}
		return ""
	})
	l.secrets = append(l.secrets, former, l.password(t))
	l.awaitReady(t)
	if r := l.get(t).(*v1alpha1.Database).Status.Rotation; time.Until(r.NextTime.Time) < 600*time.Hour {
		t.Errorf("after a rotation the next one is at %s", r.NextTime)
	}
}

// declare creates the object.
func (l *lifecycle) declare(t testing.TB) {
	t.Helper()
	if l.givesPassword() {
		l.givePassword(t)
	}
	o := l.object()
	l.must(t, l.Client.Create(t.Context(), o))
	l.track(o.GetUID())
}

// patch edits the object as a person would: once, and beside whatever Mooring writes.
func (l *lifecycle) patch(t testing.TB, change func(client.Object)) {
	t.Helper()
	o := l.get(t)
	before := o.DeepCopyObject().(client.Object)
	change(o)
	l.must(t, l.Client.Patch(t.Context(), o, client.MergeFrom(before)))
	await(t, l.name+": the test sees its edit", func() string {
		if seen := l.cached(t.Context()); seen == nil || seen.GetGeneration() < o.GetGeneration() {
			return "not yet"
		}
		return ""
	})
}

// givePassword puts a fresh password into the Secret for given ones.
func (l *lifecycle) givePassword(t testing.TB) string {
	t.Helper()
	l.passwords++
	password := fmt.Sprintf("Secret-%s-%d", l.name, l.passwords)
	l.secrets = append(l.secrets, password)
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: givenPassword}, StringData: map[string]string{"password": password}}
	err := l.Client.Create(t.Context(), s)
	if apierrors.IsAlreadyExists(err) {
		err = l.Client.Update(t.Context(), s)
	}
	l.must(t, err)
	return password
}

// password returns what the connection Secret has.
func (l *lifecycle) password(t testing.TB) string {
	t.Helper()
	return string(l.published(t)["password"])
}

func (l *lifecycle) awaitReady(t testing.TB) {
	t.Helper()
	await(t, l.name+" is ready", func() string {
		o := l.cached(t.Context())
		if o == nil {
			return "it is not there"
		}
		return unready(o)
	})
}

// awaitConfig waits until the provider config is Ready and held: then its controller rests.
func (l *lifecycle) awaitConfig(t testing.TB) {
	t.Helper()
	await(t, l.name+": its provider config is ready", func() string {
		c := &v1alpha1.ProviderConfig{}
		if err := l.cache.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: accountName}, c); err != nil {
			return err.Error()
		}
		if len(c.Status.Conditions) == 0 || c.Status.Conditions[0].Status != metav1.ConditionTrue || len(c.Finalizers) == 0 {
			return conditions(c.Status.Conditions) + fmt.Sprint(c.Finalizers)
		}
		return ""
	})
}

func (l *lifecycle) awaitRemoved(t testing.TB) {
	t.Helper()
	await(t, l.name+" is gone", func() string {
		if o := l.cached(t.Context()); o != nil {
			return conditions(system.StatusOf(o).Conditions)
		}
		return ""
	})
}

// awaitDeleted waits for the object to go, then takes away what it left and its provider config too.
func (l *lifecycle) awaitDeleted(t testing.TB) {
	t.Helper()
	l.awaitRemoved(t)
	l.dropSnapshots(t)
	config := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: accountName}}
	l.must(t, client.IgnoreNotFound(l.Client.Delete(t.Context(), config)))
	await(t, l.name+": its provider config is gone", func() string {
		c := &v1alpha1.ProviderConfig{}
		if err := l.cache.Get(t.Context(), client.ObjectKeyFromObject(config), c); err != nil {
			return ""
		}
		return conditions(c.Status.Conditions)
	})
}

// verify checks what must be true after a phase, whatever went wrong in it.
func (l *lifecycle) verify(t testing.TB, p phase) {
	t.Helper()
	here := l.console().Names(t)
	if p == deletion {
		if len(here) > 0 {
			t.Errorf("left in the cloud: %s", here)
		}
		l.verifyGroups(t, "")
		l.verifyNoSecrets(t)
		return
	}
	o := l.get(t)
	if why := unready(o); why != "" {
		t.Errorf("not at rest: %s", why)
	}
	status := system.StatusOf(o)
	if !slices.Equal(here, []string{status.ExternalName}) || status.AccountID != l.account {
		t.Errorf("account %s has %q; the status says %q in %q", l.account, here, status.ExternalName, status.AccountID)
	}
	config := &v1alpha1.ProviderConfig{}
	l.must(t, l.Client.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: accountName}, config))
	for _, shown := range []client.Object{o, config} {
		text, err := json.Marshal(shown)
		l.must(t, err)
		for _, secret := range scannerOf(l).shownIn(text) {
			t.Errorf("%s: %T shows a secret that begins with %q", l.name, shown, secret[:6])
		}
	}
	if l.target.Kind == "Database" {
		l.verifyPasswordSecret(t, o)
		l.awaitLogin(t, connection)
	}
	l.verifyGroups(t, status.ExternalName)
}

// verifyPasswordSecret checks that the connection Secret has the password that is known to be in force. Of the password that the creation set
// the status says so, and the password Secret does not yet.
func (l *lifecycle) verifyPasswordSecret(t testing.TB, o client.Object) {
	t.Helper()
	stored := &corev1.Secret{}
	l.must(t, l.Client.Get(t.Context(), l.passwordSecret(o), stored))
	inForce, other := stored.Data["current"], stored.Data["next"]
	if noted := system.StatusOf(o).Applied["credentials.password"]; string(stored.Data["serial"]) == "1" && slices.Equal(noted, []string{"1"}) {
		inForce, other = other, inForce
	}
	if password := l.password(t); password == "" || password != string(inForce) || len(other) > 0 {
		t.Errorf("the password Secret has the keys %s, and its current password is not the one that is published", slices.Sorted(maps.Keys(stored.Data)))
	}
}

// verifyNoSecrets checks that nothing was left of what was kept for the lifecycle.
func (l *lifecycle) verifyNoSecrets(t testing.TB) {
	t.Helper()
	names := []client.ObjectKey{{Namespace: l.name, Name: connection}}
	for _, uid := range l.uids {
		names = append(names, client.ObjectKey{Namespace: system.Namespace, Name: "credentials-" + string(uid)},
			client.ObjectKey{Namespace: system.Namespace, Name: "password-" + string(uid)})
	}
	for _, name := range names {
		if err := l.Client.Get(t.Context(), name, &corev1.Secret{}); !apierrors.IsNotFound(err) {
			t.Errorf("Secret %s was left (%v)", name, err)
		}
	}
}
