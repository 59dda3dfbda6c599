package identity

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	// due is when of the hour that sessions last all are renewed, and ended is after that hour.
	due, ended = 55 * time.Minute, 65 * time.Minute
	// renewals is how many each identity has to go through before tokens are renewed, too.
	renewals = 2
	// each is how many buckets each identity has, all of which are looked at every second.
	each = 3
)

// A user is one identity, and those who use it.
type user struct {
	*fixture
	signIn
	tenant
	id      identity
	config  string
	buckets []*v1alpha1.Bucket
}

// lastSession is the session that the user's calls are signed with.
func (p *user) lastSession() localcloud.AWSSession {
	all := p.id.sessions(p.tenant)
	return all[len(all)-1]
}

// sessions returns how many sessions of AWS, or access tokens of Google Cloud, the user had so far.
func (p *user) sessions() (n int) {
	if !p.isAmazon() {
		for _, token := range p.Cloud.GCPTokens() {
			if token.Principal == p.id.caller(p.tenant) {
				n++
			}
		}
		return n
	}
	for _, s := range p.Cloud.AWSSessions() {
		if want := p.lastSession(); s.Role == want.Role && s.Name == want.Name {
			n++
		}
	}
	return n
}

// users are the users on the loaded environment.
type users []*user

// where returns those that a test is about.
func (c users) where(f func(*user) bool) (chosen users) {
	for _, p := range c {
		if f(p) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

func (c users) buckets() (all []*v1alpha1.Bucket) {
	for _, p := range c {
		all = append(all, p.buckets...)
	}
	return all
}

// awaitObservations waits until n more observations of all Buckets have begun.
func (c users) awaitObservations(n int) {
	for _, p := range c {
		p.awaitObservations(p.cloud, p.buckets, n)
	}
}

// renew moves the clock of sessions to where they have five minutes left, waits until each user has another, and checks that it is one
// for all who share it. When it returns, nobody uses the sessions from before.
func (c users) renew(s *environment) {
	before := map[*user]int{}
	for _, p := range c {
		before[p] = p.sessions()
	}
	s.clock.Forward(due)
	for _, p := range c {
		p.Eventually("another session begins while the last has five minutes left", func() bool { return p.sessions() > before[p] })
	}
	c.awaitObservations(2)
	for _, p := range c {
		if n := p.sessions() - before[p]; n != 1 {
			p.Errorf("%s of %s: %d sessions began for one that was about to end", p.signIn.name, p.tenant.name, n)
		}
	}
}

// newUsers makes eight identities on both clouds: of teams with keys, of teams with tokens, and of two teams through one platform.
func newUsers(t *testing.T, s *environment) users {
	t.Helper()
	var all users
	add := func(w *fixture, way signIn, n tenant, id identity, config string, spec v1alpha1.ResourceSpec) {
		all = append(all, &user{fixture: w, signIn: way, tenant: n, id: id, config: config, buckets: w.buckets(n, way.cloud.name, each, spec)})
	}
	of := func(names ...string) []signIn {
		return slices.DeleteFunc(slices.Clone(signIns), func(w signIn) bool { return !slices.Contains(names, w.name) })
	}
	for _, group := range [][]signIn{of("keys and a role", "key and impersonation"), of("web identity and a role", "federation and impersonation")} {
		w := s.fixture(t)
		n := w.tenant("team", true)
		for _, way := range group {
			name := config + "-" + way.cloud.name
			id := way.allow(w, name, n)
			add(w, way, n, id, name, w.use(n, way.cloud, id))
		}
	}
	w := s.fixture(t)
	one, two := w.tenant("one", true), w.tenant("two", true)
	for _, way := range of("web identity", "federation") {
		name := w.name + "-" + way.cloud.name
		id := way.allow(w, name, one, two)
		spec := w.offer(way.cloud, id)
		for _, n := range []tenant{one, two} {
			w.wants(way.cloud, id, n)
			add(w, way, n, id, name, spec)
		}
	}
	for _, p := range all {
		p.ready(p.buckets...)
	}
	return all
}

func (p *user) isAmazon() bool { return p.cloud.name == amazon.name }

// TestLoad has sessions end again and again, while every object is looked at each second. Drivers and clouds count the lives of sessions by
// one clock, which only the test moves.
func TestLoad(t *testing.T) {
	t.Parallel()
	s := newEnvironment(t, "load", time.Second, cluster.Options{}, localcloud.Options{})
	s.clock.Stop()
	all := newUsers(t, s)
	for _, phase := range []struct {
		name string
		test func(*testing.T, *environment, users)
	}{
		{"sessions are renewed", sessionsRenewed}, {"tokens are renewed", tokensRenewed}, {"trust is taken back", trustTaken},
	} {
		if !t.Run(phase.name, func(t *testing.T) { phase.test(t, s, all.in(t)) }) {
			t.FailNow()
		}
	}
}

// in returns the users as a sub-test has it.
func (c users) in(t *testing.T) (sub users) {
	for _, p := range c {
		inside, fixture := *p, *p.fixture
		fixture.T = t
		inside.fixture = &fixture
		sub = append(sub, &inside)
	}
	return sub
}

// A steadyPeriod is a time in which nothing may fail.
type steadyPeriod struct {
	users    users
	since    position
	failures int
	calls    int
}

func (c users) steadyPeriod(s *environment) steadyPeriod {
	return steadyPeriod{c, s.position(c.buckets()), failureLog.mark(), s.Cloud.Ledger.Count(localcloud.Filter{})}
}

// verify checks that no reconciliation failed, no condition changed, and no call of the users was refused.
func (c steadyPeriod) verify(t *testing.T, s *environment) {
	t.Helper()
	s.verifyUnchanged(t, c.since)
	ours := map[string]bool{}
	for _, p := range c.users {
		for _, f := range failureLog.of(p.fixture, c.failures) {
			if f.Namespace == p.tenant.name && slices.ContainsFunc(p.buckets, func(b *v1alpha1.Bucket) bool { return b.Name == f.Name }) || f.Name == p.config {
				t.Errorf("%s, %s: %v", p.signIn.name, p.tenant.name, f)
			}
		}
		for _, b := range p.buckets {
			ours[b.Status.ExternalName] = true
		}
	}
	for _, call := range s.Cloud.Ledger.Calls(localcloud.Filter{})[c.calls:] {
		if ours[call.Resource] && refusedCaller(call) {
			t.Errorf("a call was refused: %+v", call)
		}
	}
}

// Sessions that are about to end are renewed in time, once for all who use them, and no call is refused meanwhile.
func sessionsRenewed(t *testing.T, s *environment, all users) {
	quiet := all.steadyPeriod(s)
	for range renewals {
		all.renew(s)
	}
	quiet.verify(t, s)
}

// Tokens of which most of their life is gone are replaced: one for each tenant and cloud. Sessions begin with them, and request no others.
func tokensRenewed(t *testing.T, s *environment, all users) {
	quiet, before := all.steadyPeriod(s), map[string]int{}
	withToken := all.where(func(p *user) bool { return p.web })
	for _, p := range withToken {
		before[p.tenant.name] = s.tokens.count(p.tenant.name)
	}
	s.controllerClock.Stop() // the API server's goes on: the new ones would soon have less left than drivers are promised
	defer s.controllerClock.Resume()
	s.controllerClock.Forward(50*time.Minute - 30*time.Second) // of sixty: more than drivers are promised is left
	for _, p := range withToken {
		p.Eventually("both clouds get another token", func() bool { return s.tokens.count(p.tenant.name) >= before[p.tenant.name]+2 })
	}
	all.renew(s)
	quiet.verify(t, s)
	for _, p := range withToken {
		if n := s.tokens.count(p.tenant.name) - before[p.tenant.name]; n != 2 {
			t.Errorf("%d requests for tokens in %s, want one for each cloud", n, p.tenant.name)
		}
	}
}

// refusedSignIns returns the calls that began after a moment and that a cloud refused for who made them, those of signing in among them.
func (s *environment) refusedSignIns(after time.Time) (refused []localcloud.Call) {
	for _, call := range s.Cloud.Ledger.Calls(localcloud.Filter{}) {
		signsIn := slices.Contains([]string{"sts", "token", "iamcredentials"}, call.Service)
		if call.Time.After(after) && (refusedCaller(call) || signsIn && call.Status >= http.StatusBadRequest) {
			refused = append(refused, call)
		}
	}
	return refused
}

// Who is no longer trusted is told what is wrong and what to do, and nobody else notices. What is put right heals by itself, at the first
// call: nobody brings along what was refused before.
func trustTaken(t *testing.T, s *environment, all users) {
	lucky := func(p *user) bool {
		return p.signIn.name == "federation and impersonation" || p.tenant.name == p.fixture.name+"-two"
	}
	quiet, began := all.where(lucky).steadyPeriod(s), time.Now()
	shut := all.where(func(p *user) bool { return !lucky(p) })
	for _, p := range shut {
		p.id.shut(p.tenant)
	}
	quiet.users.renew(s)
	s.clock.Forward(ended - due)
	for _, p := range shut {
		p.denied(p.buckets, p.id.advice(p.tenant)...)
	}
	for _, p := range shut.where(func(p *user) bool { return p.tenant.name == p.fixture.name+"-team" }) {
		p.Eventually("the config says so", func() bool {
			pc := &v1alpha1.ProviderConfig{}
			p.Must(p.Client.Get(t.Context(), client.ObjectKey{Namespace: p.tenant.name, Name: p.config}, pc))
			ready := meta.FindStatusCondition(pc.Status.Conditions, v1alpha1.ConditionReady)
			return ready != nil && ready.Status == "False" && ready.Reason == string(v1alpha1.ReasonDenied)
		})
	}
	quiet.users.awaitObservations(2)
	quiet.verify(t, s)

	if len(s.refusedSignIns(began)) < len(shut) {
		t.Error("hardly a call was refused, so the rest proves nothing")
	}
	for _, p := range shut {
		p.id.reopen(p.tenant)
	}
	reopened := time.Now()
	for _, p := range shut {
		p.ready(p.buckets...)
	}
	if refused := s.refusedSignIns(reopened); len(refused) > 0 {
		t.Errorf("%d calls were refused after all were trusted again, the first of them: %+v", len(refused), refused[0])
	}
	quiet.users.awaitObservations(1)
	quiet.verify(t, s)
}
