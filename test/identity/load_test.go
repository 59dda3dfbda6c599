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
	// life is how long sessions last on the loaded environment. They are renewed half-way.
	life = 5 * time.Second
	// renewals is how many each identity has to go through.
	renewals = 3
	// each is how many buckets each identity has, all of which are looked at every second.
	each = 5
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

// sessions returns how many sessions of AWS the user had so far.
func (p *user) sessions() (n int) {
	for _, s := range p.Cloud.AWSSessions() {
		if want := p.lastSession(); s.Role == want.Role && s.Name == want.Name {
			n++
		}
	}
	return n
}

// exchanges returns how many tokens Google Cloud handed out in the first of an identity's steps, to all users together.
func exchanges(c *localcloud.Cloud) int { return c.Ledger.Count(localcloud.Filter{Service: "token"}) }

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

// awaitAnswers waits until the clouds have answered all Buckets' calls n times more.
func (c users) awaitAnswers(n int) {
	for _, p := range c {
		p.awaitAnswers(p.cloud, p.buckets, n)
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

// TestLoad has sessions end every few seconds, while every object is looked at each second.
func TestLoad(t *testing.T) {
	t.Parallel()
	s := newEnvironment(t, "load", time.Second, cluster.Options{}, localcloud.Options{SessionLife: life})
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

// Sessions that are about to end are renewed in time, once for all who use them.
func sessionsRenewed(t *testing.T, s *environment, all users) {
	quiet, began := all.steadyPeriod(s), time.Now()
	before, exchanged := map[*user]int{}, exchanges(s.Cloud)
	ofAWS := all.where((*user).isAmazon)
	for _, p := range ofAWS {
		before[p] = p.sessions()
	}
	for _, p := range ofAWS {
		p.Eventually("the session was renewed again and again", func() bool { return p.sessions() >= before[p]+renewals })
	}
	all.awaitAnswers(1)
	took := time.Since(began)
	quiet.verify(t, s)

	// One for each renewal; to look at a config takes none.
	most := int(took/(life/2)) + 3
	for _, p := range ofAWS {
		if n := p.sessions() - before[p]; n > most {
			t.Errorf("%s of %s: %d sessions in %v, want %d at most", p.signIn.name, p.tenant.name, n, took, most)
		}
	}
	ofGCP := len(all) - len(ofAWS)
	if n := exchanges(s.Cloud) - exchanged; n > ofGCP*most || n < ofGCP*renewals {
		t.Errorf("Google Cloud handed out %d tokens in %v, want between %d and %d", n, took, ofGCP*renewals, ofGCP*most)
	}
	for _, p := range all {
		looks := 0
		for _, call := range s.Cloud.Ledger.Calls(localcloud.Filter{Service: p.service}) {
			if call.Caller == p.id.caller(p.tenant) && call.Time.After(began) {
				looks++
			}
		}
		if looks < each*renewals {
			t.Errorf("%s of %s: %d calls in %v are no load", p.signIn.name, p.tenant.name, looks, took)
		}
	}
}

// Tokens of which most of their life is gone are replaced: one for each tenant and cloud.
func tokensRenewed(t *testing.T, s *environment, all users) {
	quiet, before := all.steadyPeriod(s), map[string]int{}
	withToken := all.where(func(p *user) bool { return p.web })
	for _, p := range withToken {
		before[p.tenant.name] = s.tokens.count(p.tenant.name)
	}
	s.controllerClock.Forward(50*time.Minute - 30*time.Second) // of sixty: more than drivers are promised is left
	for _, p := range withToken {
		p.Eventually("both clouds get another token", func() bool { return s.tokens.count(p.tenant.name) >= before[p.tenant.name]+2 })
	}
	sessions := map[*user]int{}
	for _, p := range withToken.where((*user).isAmazon) {
		sessions[p] = p.sessions()
	}
	for p, n := range sessions {
		p.Eventually("a session begins with it", func() bool { return p.sessions() > n+1 })
	}
	all.awaitAnswers(1)
	quiet.verify(t, s)
	for _, p := range withToken {
		if n := s.tokens.count(p.tenant.name) - before[p.tenant.name]; n > 4 { // who keeps them and who uses them may come at once
			t.Errorf("%d requests for tokens in %s", n, p.tenant.name)
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
	quiet.users.awaitAnswers(2)
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
	quiet.users.awaitAnswers(1)
	quiet.verify(t, s)
}
