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
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// killed is the fault after which the process is no more: the call was committed, and nobody learned of it.
const killed localcloud.FaultKind = "killed"

// A trap is where in a life something goes wrong.
type trap struct {
	phase phase
	call  call
	kind  localcloud.FaultKind
}

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

// A life is one object from its creation to its end.
type life struct {
	*world
	subject
	name    string // of its namespace and its object
	account string
	kill    func() // ends the process that manages it

	mu        sync.Mutex
	trap      *trap
	hits      int
	refusedAt time.Time // when this life first ran into a trap
	phase     phase
	// count numbers the calls of this phase by name; writes and reads are those to the API server.
	count  map[string]int
	writes []call
	reads  []read
	lift   func()
	ledger int // how long the account's ledger was when the phase began

	uids      []types.UID
	secrets   []string // what must never be shown
	passwords int
}

// A read is one that was made, and when.
type read struct {
	call
	at time.Time
}

// born makes a life, its namespace, account and credentials.
func (w *world) born(t testing.TB, s subject) *life {
	t.Helper()
	l := w.newLife(s)
	l.settle(t)
	return l
}

// newLife makes a life of which there is nothing in Kubernetes yet.
func (w *world) newLife(s subject) *life {
	n := w.lives.Add(1)
	account := lifeName(n)
	if s.cloud == "aws" {
		account = fmt.Sprintf("%012d", 100000000000+int64(n))
	}
	return w.newLifeAs(s, lifeName(n), account)
}

func (w *world) newLifeAs(s subject, name, account string) *life {
	l := &life{world: w, subject: s, name: name, account: account, count: map[string]int{}}
	w.wire.know(l, l.name)
	remember(l)
	return l
}

// settle makes namespace, account and credentials of a life.
func (l *life) settle(t testing.TB) {
	t.Helper()
	l.must(t, system.EnsureNamespace(t.Context(), l.Client, l.name))
	l.must(t, l.Client.Create(t.Context(), l.credentials()))
	config := &v1alpha1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: accountName},
		Spec: v1alpha1.ProviderConfigSpec{
			Account:     l.accountOf(l.account),
			Credentials: v1alpha1.Credentials{SecretRef: &v1alpha1.LocalSecretReference{Name: accountName}},
		},
	}
	l.must(t, l.Client.Create(t.Context(), config))
	l.knows(config.UID)
}

// credentials returns the Secret that leads to the life's account.
func (l *life) credentials() *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: accountName}}
	if l.cloud == "aws" {
		id, secret := l.Cloud.AWSKeys(l.account)
		s.StringData = map[string]string{v1alpha1.SecretKeyAWSAccessKeyID: id, v1alpha1.SecretKeyAWSSecretAccessKey: secret}
		l.secrets = append(l.secrets, secret)
		return s
	}
	key := l.Cloud.GCPKey(l.account)
	s.Data = map[string][]byte{v1alpha1.SecretKeyGCPCredentials: key}
	var parsed map[string]string
	if err := json.Unmarshal(key, &parsed); err != nil {
		panic(err)
	}
	for line := range strings.SplitSeq(parsed["private_key"], "\n") {
		if len(line) == 64 { // a line of the key itself
			l.secrets = append(l.secrets, line)
		}
	}
	return s
}

func (l *life) knows(uid types.UID) {
	l.uids = append(l.uids, uid)
	l.wire.know(l, string(uid))
}

func (l *life) must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
}

func (l *life) key() client.ObjectKey { return client.ObjectKey{Namespace: l.name, Name: l.name} }

// get reads the object from the API server.
func (l *life) get(t testing.TB) client.Object {
	t.Helper()
	o := l.empty()
	l.must(t, l.Client.Get(t.Context(), l.key(), o))
	return o
}

// seenNow is the object as the test's cache has it, nil if it has none.
func (l *life) seenNow(ctx context.Context) client.Object {
	o := l.empty()
	if l.seen.Get(ctx, l.key(), o) != nil {
		return nil
	}
	return o
}

// enter begins a phase, and sets the trap if it is in there.
func (l *life) enter(p phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lift != nil {
		l.lift() // a trap is for its own phase
		l.lift = nil
	}
	l.phase, l.count, l.writes, l.reads = p, map[string]int{}, nil, nil
	l.ledger = l.Cloud.Ledger.Count(localcloud.Filter{Account: l.account})
	if l.trap != nil && l.trap.phase == p && l.trap.call.side == cloud {
		l.lift = l.trapCloud(l.trap)
	}
}

// set sets a trap in the present phase, in place of the one before; nil sets none.
func (l *life) set(tr *trap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lift != nil {
		l.lift()
	}
	l.trap, l.lift, l.hits = tr, nil, 0
	if tr != nil && tr.call.side == cloud {
		l.lift = l.trapCloud(tr)
	}
}

// trapCloud has the n-th call of an operation, or each, go wrong in the life's account.
func (l *life) trapCloud(tr *trap) (lift func()) {
	f := localcloud.Fault{
		Filter: localcloud.Filter{Account: l.account, Operation: tr.call.name}, Kind: tr.kind,
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

func (l *life) hit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.countHit()
}

// countHit is called with mu held.
func (l *life) countHit() {
	if l.hits++; l.refusedAt.IsZero() {
		l.refusedAt = time.Now()
	}
}

func (l *life) hitCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hits
}

// send passes a request of the life to the API server, unless it runs into the trap.
func (l *life) send(next http.RoundTripper, r *http.Request, name string, write bool) (*http.Response, error) {
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
	if l.trap != nil && l.trap.phase == l.phase && (l.trap.call == c || l.trap.call == each) {
		kind = l.trap.kind
		l.countHit()
	}
	l.mu.Unlock()
	if kind != "" {
		return fail(kind, next, r, l.kill)
	}
	return next.RoundTrip(r)
}

// written returns the writes of this phase to Kubernetes.
func (l *life) written() []call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.writes)
}

// tellIfFailed helps whoever looks into a failure.
func (l *life) tellIfFailed(t testing.TB) {
	if t.Failed() {
		t.Logf("%s: %d hits; writes to Kubernetes: %v; to the cloud: %v\n%s",
			l.name, l.hitCount(), l.written(), l.cloudCalls(localcloud.Writes), logs.about(t, l.name))
	}
}

// cloudCalls returns the calls of this phase that reached the cloud.
func (l *life) cloudCalls(side localcloud.Side) []localcloud.Call {
	all := l.Cloud.Ledger.Calls(localcloud.Filter{Account: l.account})[l.ledger:]
	return slices.DeleteFunc(all, func(c localcloud.Call) bool { return c.Write != (side == localcloud.Writes) })
}

// committed counts what this phase changed in the cloud, by operation.
func (l *life) committed() map[string]int {
	return l.committedSince(time.Time{})
}

// committedSince counts those that began at that time or later.
func (l *life) committedSince(when time.Time) map[string]int {
	done := map[string]int{}
	for _, c := range l.cloudCalls(localcloud.Writes) {
		if c.Committed && c.Code == "" && !c.Time.Before(when) {
			done[c.Operation]++
		}
	}
	return done
}

// firstRefusal returns when this life first ran into a trap.
func (l *life) firstRefusal() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusedAt
}

// do does what a person does in a phase, and waits until it has come true.
func (l *life) do(t testing.TB, p phase) {
	t.Helper()
	switch p {
	case creation:
		l.declare(t)
		l.awaitReady(t)
		l.awaitConfig(t)
		l.secrets = append(l.secrets, l.password(t)) // where Mooring made one
	case edit:
		l.patch(t, l.change)
		l.awaitReady(t)
	case rotation:
		before := statusOf(l.get(t)).Applied[driver.FieldPassword]
		password := l.givePassword(t)
		l.patch(t, func(o client.Object) {
			o.(*v1alpha1.Database).Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: givenPassword}}
		})
		await(t, l.name+": another password is in force", func() string {
			o := l.seenNow(t.Context())
			if slices.Equal(statusOf(o).Applied[driver.FieldPassword], before) {
				return conditions(statusOf(o).Conditions)
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
	case deletion:
		l.must(t, l.Client.Delete(t.Context(), l.get(t)))
		l.awaitGone(t)
	}
}

// declare creates the object.
func (l *life) declare(t testing.TB) {
	t.Helper()
	if l.kind == "Database" && l.cloud == "aws" {
		l.givePassword(t)
	}
	o := l.object(l.name)
	l.must(t, l.Client.Create(t.Context(), o))
	l.knows(o.GetUID())
}

// patch edits the object as a person would: once, and beside whatever Mooring writes.
func (l *life) patch(t testing.TB, change func(client.Object)) {
	t.Helper()
	o := l.get(t)
	before := o.DeepCopyObject().(client.Object)
	change(o)
	l.must(t, l.Client.Patch(t.Context(), o, client.MergeFrom(before)))
	await(t, l.name+": the test sees its edit", func() string {
		if seen := l.seenNow(t.Context()); seen == nil || seen.GetGeneration() < o.GetGeneration() {
			return "not yet"
		}
		return ""
	})
}

// givePassword puts a fresh password into the Secret for given ones.
func (l *life) givePassword(t testing.TB) string {
	t.Helper()
	l.passwords++
	password := fmt.Sprintf("Canary-%s-%d", l.name, l.passwords)
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
func (l *life) password(t testing.TB) string {
	t.Helper()
	s := &corev1.Secret{}
	l.must(t, l.Client.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: connection}, s))
	return string(s.Data["password"])
}

func (l *life) awaitReady(t testing.TB) {
	t.Helper()
	await(t, l.name+" is ready", func() string {
		o := l.seenNow(t.Context())
		if o == nil {
			return "it is not there"
		}
		return unready(o)
	})
}

// awaitConfig waits until the provider config is Ready and held: then its controller rests.
func (l *life) awaitConfig(t testing.TB) {
	t.Helper()
	await(t, l.name+": its provider config is ready", func() string {
		c := &v1alpha1.ProviderConfig{}
		if err := l.seen.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: accountName}, c); err != nil {
			return err.Error()
		}
		if len(c.Status.Conditions) == 0 || c.Status.Conditions[0].Status != metav1.ConditionTrue || len(c.Finalizers) == 0 {
			return conditions(c.Status.Conditions) + fmt.Sprint(c.Finalizers)
		}
		return ""
	})
}

// awaitGone waits for the object to go, then takes its provider config away too.
func (l *life) awaitGone(t testing.TB) {
	t.Helper()
	await(t, l.name+" is gone", func() string {
		if o := l.seenNow(t.Context()); o != nil {
			return conditions(statusOf(o).Conditions)
		}
		return ""
	})
	config := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: l.name, Name: accountName}}
	l.must(t, client.IgnoreNotFound(l.Client.Delete(t.Context(), config)))
	await(t, l.name+": its provider config is gone", func() string {
		c := &v1alpha1.ProviderConfig{}
		if err := l.seen.Get(t.Context(), client.ObjectKeyFromObject(config), c); err != nil {
			return ""
		}
		return conditions(c.Status.Conditions)
	})
}

// verify checks what must be true after a phase, whatever went wrong in it.
func (l *life) verify(t testing.TB, p phase) {
	t.Helper()
	here := inCloud(t, l.Cloud, l.cloud, l.account)
	if p == deletion {
		if len(here) > 0 {
			t.Errorf("left in the cloud: %s", here)
		}
		l.verifyNoSecrets(t)
		return
	}
	o := l.get(t)
	if why := unready(o); why != "" {
		t.Errorf("not at rest: %s", why)
	}
	status := statusOf(o)
	if !slices.Equal(here, []string{status.ExternalName}) || status.AccountID != l.account {
		t.Errorf("account %s has %q; the status says %q in %q", l.account, here, status.ExternalName, status.AccountID)
	}
	config := &v1alpha1.ProviderConfig{}
	l.must(t, l.Client.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: accountName}, config))
	for _, shown := range []client.Object{o, config} {
		text, err := json.Marshal(shown)
		l.must(t, err)
		for _, secret := range sieveOf(l).shownIn(text) {
			t.Errorf("%s: %T shows a secret that begins with %q", l.name, shown, secret[:6])
		}
	}
	if l.kind == "Database" {
		l.verifyVault(t, o)
	}
}

// verifyVault checks that the connection Secret has the password that is known to be in force. Of the password that the creation set
// the status says so, and the vault does not yet.
func (l *life) verifyVault(t testing.TB, o client.Object) {
	t.Helper()
	vault := &corev1.Secret{}
	l.must(t, l.Client.Get(t.Context(), client.ObjectKey{Namespace: system.Namespace, Name: "password-" + string(o.GetUID())}, vault))
	inForce, other := vault.Data["current"], vault.Data["next"]
	if noted := statusOf(o).Applied[driver.FieldPassword]; string(vault.Data["serial"]) == "1" && slices.Equal(noted, []string{"1"}) {
		inForce, other = other, inForce
	}
	if password := l.password(t); password == "" || password != string(inForce) || len(other) > 0 {
		t.Errorf("the vault has the keys %s, and its current password is not the one that is published", slices.Sorted(maps.Keys(vault.Data)))
	}
}

// verifyNoSecrets checks that nothing was left of what was kept for the life.
func (l *life) verifyNoSecrets(t testing.TB) {
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
