package fault

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// refused are the ways in which a read can fail to say anything.
var refused = []localcloud.FaultKind{localcloud.Denied, localcloud.Throttled, localcloud.ServerError, localcloud.Hang}

// idle is when nothing is to be done.
const idle phase = "rest"

// before are the reads that a deletion in the cloud comes after, and those of them that look at the cloud are made at
// each look; the finalizer goes after those of afterwards too. All others have answers that are kept for a while, or
// belong to a reconciliation from before the deletion.
var (
	before     = append(system.Calls(func(o system.Operations) string { return o.Observe }), readsOfObjects()...)
	afterwards = []string{"get secrets (connection)", "DescribeDBSnapshots", "Backups.ListBackups"}
)

// readsOfObjects are the reads of the objects themselves, a read a kind.
func readsOfObjects() (reads []string) {
	for _, k := range kind.All() {
		if k.OutlivesParent() { // it is left by what is deleted, and decides nothing about that
			continue
		}
		reads = append(reads, "get "+k.Plural)
	}
	return reads
}

// A decidingRead is a read that a phase makes, and what depends on its answer.
type decidingRead struct {
	call
	// decides: the phase's creation or deletion in the cloud comes after it; ends: the finalizer's end does.
	decides, ends bool
	// must: the phase can't do without it.
	must bool
}

// TestReads has each read fail in each way while an object is created, at rest, or deleted. What could not be
// read is no reason to create, to delete, or to let go, nor to ask a person for anything but the permission; and once it can be read all
// comes right.
func TestReads(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.runTimingOut(t)
	var all sync.WaitGroup
	places := make(chan struct{}, 32)
	for _, s := range system.Targets {
		asked := w.decidingReads(t, s)
		for _, p := range []phase{creation, idle, deletion} {
			if !slices.ContainsFunc(asked[p], func(q decidingRead) bool { return q.must }) {
				t.Errorf("%s/%s: nothing was read that must be read: %v", s, p, asked[p])
			}
			for _, q := range asked[p] {
				if q.side == kubernetes && !standsForClouds(s) { // whose reads of Kubernetes are the same
					continue
				}
				all.Go(func() {
					places <- struct{}{}
					defer func() { <-places }()
					t.Run(fmt.Sprintf("%s/%s/%s", s, p, q.name), func(t *testing.T) {
						l := w.newLifecycle(s)
						if p == creation { // the controller of provider configs may be the first to ask
							l.enterPhase(p)
							l.inject(&injectedFault{phase: p, call: q.call, kind: refused[0]})
						}
						l.prepare(t)
						l.verifyRead(t, p, q)
					})
				})
			}
		}
	}
	all.Wait()
}

// runTimingOut is run with a manager whose calls time out as soon as the cloud cuts them, since it has them hang: no call that
// is answered late on a busy machine times out, and nobody waits for those that do.
func (w *environment) runTimingOut(t *testing.T) {
	t.Helper()
	next := http.DefaultTransport.(*http.Transport).Clone()
	cut := roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil && r.Context().Err() == nil {
			return nil, context.DeadlineExceeded
		}
		return resp, err
	})
	m, err := w.startWith(t.Context(), map[string]driver.Driver{
		"aws": aws.New(aws.Options{Endpoint: w.Cloud.AWSEndpoint(), HTTPClient: &http.Client{Transport: cut}, CallTimeout: timeout}),
		"gcp": gcp.New(gcp.Options{Endpoint: w.Cloud.GCPEndpoint(), Transport: cut, CallTimeout: timeout}),
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Kill)
}

// TestDefinitionUnreadable is TestReads for the definition of a kind, which all lifecycles share.
func TestDefinitionUnreadable(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	for _, s := range []system.Target{system.TargetOf("Bucket", "aws"), system.TargetOf("Database", "gcp")} {
		l := w.prepared(t, s)
		w.process(t, func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if c := apiCall(r); c.resource == "customresourcedefinitions" {
					return l.send(next, r, c.name(nil), false)
				}
				return next.RoundTrip(r)
			})
		}, l.name)
		t.Run(s.String(), func(t *testing.T) {
			q := decidingRead{call: call{kubernetes, "get customresourcedefinitions", 0}, decides: true, ends: true, must: true}
			l.verifyRead(t, deletion, q)
		})
	}
}

// decidingReads leads a lifecycle without faults and returns what it reads, by phase.
func (w *environment) decidingReads(t *testing.T, s system.Target) map[phase][]decidingRead {
	t.Helper()
	l := w.prepared(t, s)
	asked := map[phase][]decidingRead{}
	for _, p := range []phase{creation, idle, deletion} {
		l.enterPhase(p)
		if p == idle { // the second look begins after all calls of the first; one that was under way before may still end
			l.awaitReads(t, s.Observe, 2)
		} else {
			l.perform(t, p)
		}
		asked[p] = l.readsOf(p)
	}
	return asked
}

// readsOf returns the reads of this phase, each once.
func (l *lifecycle) readsOf(p phase) []decidingRead {
	var created time.Time
	for _, c := range l.cloudCalls(localcloud.Writes) {
		if slices.Contains(creates, c.Operation) {
			created = c.Time
		}
	}
	l.mu.Lock()
	all := slices.Clone(l.reads)
	l.mu.Unlock()
	for _, c := range l.cloudCalls(localcloud.Reads) {
		if c.Operation == "DescribeAccountAttributes" { // it is about the account, once an hour, and decides about no object
			continue
		}
		all = append(all, read{call{cloud, c.Operation, 1}, c.Time})
	}
	slices.SortStableFunc(all, func(a, b read) int { return a.at.Compare(b.at) })
	var out []decidingRead
	for _, r := range all {
		if slices.ContainsFunc(out, func(q decidingRead) bool { return q.name == r.name }) {
			continue
		}
		q := decidingRead{call: call{r.side, r.name, 0}, decides: r.at.Before(created), must: true}
		switch p {
		case creation: // the object itself is read only where no status is written that would fail if it changed
			q.must = r.name != "get buckets" && r.name != "get databases" && r.name != "DescribeDBMajorEngineVersions" // which is not asked for twice within an hour
		case idle:
			q.must = slices.Contains(before, r.name)
		case deletion:
			q.decides = slices.Contains(before, r.name)
			q.ends = q.decides || slices.Contains(afterwards, r.name)
			q.must = q.ends
		}
		out = append(out, q)
	}
	return out
}

// awaitObservations waits until the cloud was looked at n times more.
func (l *lifecycle) awaitObservations(t testing.TB, n int) {
	t.Helper()
	from := len(l.cloudCalls(localcloud.Reads))
	await(t, l.name+" is looked at", func() string {
		if len(l.cloudCalls(localcloud.Reads)) < from+n {
			return "too rarely"
		}
		return ""
	})
}

// awaitReads waits until n more reads of one kind were answered.
func (l *lifecycle) awaitReads(t testing.TB, operation string, n int) {
	t.Helper()
	reads := localcloud.Filter{Account: l.account, Operation: operation}
	from := l.Cloud.Ledger.Count(reads)
	await(t, l.name+" is observed", func() string {
		if l.Cloud.Ledger.Count(reads) < from+n {
			return "too rarely"
		}
		return ""
	})
}

// verifyRead leads a lifecycle in one phase of which a read is refused, in each way, for as long as it is made. Whether it is or
// not, the lifecycle must come to a good end.
func (l *lifecycle) verifyRead(t *testing.T, p phase, q decidingRead) {
	defer l.logIfFailed(t)
	stalled := l.watchStalled(t)
	if p != creation {
		l.enterPhase(creation)
		l.perform(t, creation)
	}
	l.enterPhase(p)
	l.inject(&injectedFault{phase: p, call: q.call, kind: refused[0]})
	switch p {
	case creation:
		l.declare(t)
	case deletion:
		l.must(t, l.Client.Delete(t.Context(), l.get(t)))
	}
	for _, kind := range refused {
		l.inject(&injectedFault{phase: p, call: q.call, kind: kind})
		if !l.refusedTwice(t, p, q) {
			t.Logf("%s need not be asked, and was not while %s", q.name, kind)
			break
		}
		l.verifyUndecided(t, p, q, kind)
		if kind == localcloud.Denied && p == idle && q.name == l.target.Observe {
			await(t, l.name+" says that it is not allowed to be observed", func() string {
				if said := stalled(); said[string(v1alpha1.ReasonDenied)] == "" {
					return fmt.Sprint("it was stalled for ", said)
				}
				return ""
			})
		}
	}
	l.inject(nil)
	defer func() {
		said := stalled()
		delete(said, string(v1alpha1.ReasonDenied))
		if len(said) > 0 {
			t.Errorf("a person was asked for, because of what could not be read: %s", said)
		}
	}()
	if p == deletion {
		l.awaitDeleted(t)
		l.verify(t, p)
		return
	}
	if p == idle { // what its conditions say may be from before the last refusal: that observation, and one more, have to end
		l.awaitReads(t, l.target.Observe, 3)
	}
	l.awaitReady(t)
	l.awaitConfig(t)
	l.secrets = append(l.secrets, l.password(t)) // where Mooring made one
	l.verify(t, p)
	l.enterPhase(deletion)
	l.perform(t, deletion)
	l.verify(t, deletion)
}

// refusedTwice waits until the fault was run into twice. It returns false for a read that the phase came to its end without.
func (l *lifecycle) refusedTwice(t testing.TB, p phase, q decidingRead) bool {
	t.Helper()
	from := l.observations()
	await(t, l.name+": "+q.name+" is refused twice", func() string {
		if n := l.hitCount(); n < 2 && (q.must || !l.ended(t.Context(), p, from)) {
			return fmt.Sprintf("%d times", n)
		}
		return ""
	})
	return l.hitCount() >= 2
}

// ended reports whether a phase has come to its end: that at rest once the cloud was looked at five times more.
func (l *lifecycle) ended(ctx context.Context, p phase, from int) bool {
	o := l.cached(ctx)
	switch p {
	case creation:
		return o != nil && unready(o) == ""
	case deletion:
		return o == nil
	default:
		return l.observations() >= from+5
	}
}

// observations counts how often the cloud was looked at in this phase.
func (l *lifecycle) observations() (n int) {
	for _, c := range l.cloudCalls(localcloud.Reads) {
		if slices.Contains(before, c.Operation) {
			n++
		}
	}
	return n
}

// verifyUndecided checks that nothing was decided without the answer.
func (l *lifecycle) verifyUndecided(t testing.TB, p phase, q decidingRead, kind localcloud.FaultKind) {
	t.Helper()
	changed, done := l.committed(), 0
	if p == creation {
		// A creation that began before the first refusal was decided without it. Which comes first can differ: a reconciliation that
		// loses a conflict reads the password Secret before the creation, another one after it.
		changed = l.committedSince(l.firstRefusal())
	}
	for op, n := range changed {
		if p == idle || p == creation && strings.Contains(strings.ToLower(op), "delete") {
			t.Errorf("%s: %s at rest, or deleted", kind, op)
		}
		marks := op == "AddTagsToResource" // on the backups that outlive the server, right before it is deleted
		if p == deletion && !marks || slices.Contains(creates, op) {
			done += n
		}
	}
	if limit := map[bool]int{true: 0, false: 1}[q.decides]; done > limit {
		t.Errorf("%s: the cloud was changed: %v", kind, changed)
	}
	if p == creation || p == deletion && !q.ends {
		return
	}
	o := l.target.New()
	err := l.Client.Get(t.Context(), l.key(), o)
	if apierrors.IsNotFound(err) || err == nil && !controllerutil.ContainsFinalizer(o, v1alpha1.FinalizerResource) {
		t.Errorf("%s: the finalizer was dropped", kind)
	}
}
