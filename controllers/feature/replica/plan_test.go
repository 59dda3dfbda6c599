package replica

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A sample is a database in one reconciliation.
type sample struct {
	reconciliation.State
	spec   *v1alpha1.DatabaseSpec
	status *v1alpha1.DatabaseStatus
}

// replicaOfOrders returns a read replica of the server orders that is as declared.
func replicaOfOrders() *sample {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "reads", UID: "uid"}
	d := reads()
	d.Status.Replica = &v1alpha1.ReplicaStatus{Primary: "orders"}
	s := &sample{spec: &d.Spec, status: &d.Status, State: reconciliation.State{Object: d, Want: d, Facts: outcome.Facts{
		Kind: kind.Database(), Provider: "aws", Account: "111", Observed: true,
		View:        plan.View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-2", Mark: mark, AbsenceSure: true},
		Policy:      plan.Policy{Management: v1alpha1.ManagementFull, WhenVanished: v1alpha1.WhenVanishedStop, Restores: true},
		Observation: driver.Observation{State: driver.Ready, Available: true, ID: "db-2", Mark: mark, Replication: &driver.Replication{Follows: &driver.Following{Primary: "orders"}}},
	}}}
	s.Primary.Provider, s.Primary.Account, s.Primary.Ref = "aws", "111", driver.ParentRef{Name: "orders", ID: "db-1"}
	return s
}

// promote has the spec ask for the promotion.
func (s *sample) promote() { s.spec.Replica.Role = v1alpha1.ReplicaRolePrimary }

// alone has it follow nothing, neither in the spec nor as was observed before.
func (s *sample) alone() { s.spec.Replica, s.status.Replica, s.Observation.Replication = nil, nil, nil }

// gone has the cloud show nothing.
func (s *sample) gone(snapshot driver.State) {
	s.Observation = driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: snapshot}}
}

// interpret has the feature say what the plan goes by.
func (s *sample) interpret() {
	s.Observation.Changes = append(s.Observation.Changes, interpret(&s.State, time.Minute)...)
}

// plan returns what is planned.
func (s *sample) plan() plan.Action {
	s.interpret()
	return plan.Plan(s.View, s.Observation, s.Policy)
}

// A server that follows another one, or is to, is what its spec says, or a person has to act: nothing is ever sent to it that would make it another one.
func TestPlanOfAReplica(t *testing.T) {
	differs := driver.Change{Field: "tags", From: "a", To: "b", Effect: driver.Online}
	follows := func(s *sample) *driver.Following { return s.Observation.Replication.Follows }
	for _, tt := range []struct {
		name    string
		is      func(*sample)
		verb    plan.Verb
		reason  v1alpha1.Reason
		message string
	}{
		{name: "as declared", verb: plan.Converge, reason: v1alpha1.ReasonReady},
		{name: "with a difference", is: func(s *sample) { s.Observation.Changes = []driver.Change{differs} }, verb: plan.Update},
		{name: "new, and not yet as declared", is: func(s *sample) {
			s.View.WasReady, s.View.WasApplied, s.View.Applied = false, false, driver.Applied{"backup.retentionDays": {"7"}}
			s.Observation.Changes = []driver.Change{{Field: "backup.retentionDays", From: "0", To: "7", Effect: driver.Interrupts}}
		}, verb: plan.Update},
		{name: "its primary's name in other letters", is: func(s *sample) { s.Primary.Ref.Name = "Orders" }, verb: plan.Converge},
		{name: "its primary is not known now", is: func(s *sample) { s.Primary = reconciliation.Primary{} }, verb: plan.Converge},
		{name: "its primary is in another account", is: func(s *sample) { s.Primary.Account, s.Primary.Ref.Name = "222", "invoices" }, verb: plan.Converge},
		{name: "it does not repeat what is written", is: func(s *sample) { follows(s).Problem = "the log is gone" }, verb: plan.Stall, reason: v1alpha1.ReasonReplicationImpaired, message: "the log is gone"},
		{name: "it follows another one", is: func(s *sample) { s.Primary.Ref.Name = "invoices" }, verb: plan.Stall, reason: v1alpha1.ReasonImmutable, message: "never follows another server"},
		{name: "it follows one of the name elsewhere", is: func(s *sample) { s.Primary.Location, follows(s).Location = "eu-central-1", "eu-west-1" }, verb: plan.Stall, reason: v1alpha1.ReasonImmutable},
		{name: "it follows one elsewhere, as it should", is: func(s *sample) { s.Primary.Location, follows(s).Location = "eu-west-1", "eu-west-1" }, verb: plan.Converge},
		{name: "somebody promoted it", is: func(s *sample) { s.Observation.Replication = nil }, verb: plan.Stall, reason: v1alpha1.ReasonImmutable, message: "set spec.replica.role to Primary"},
		{name: "somebody promoted it, and the spec says so", is: func(s *sample) { s.promote(); s.Observation.Replication = nil }, verb: plan.Converge},
		{name: "the spec no longer says that it follows", is: func(s *sample) { s.spec.Replica = nil }, verb: plan.Stall, reason: v1alpha1.ReasonImmutable, message: "put it back"},
		{name: "taken over as a replica", is: func(s *sample) { s.spec.Replica, s.View.Origin = nil, v1alpha1.OriginAdopted }, verb: plan.Converge},
		{name: "promoted, and the spec says nothing of it any more", is: (*sample).alone, verb: plan.Converge},
		{name: "being promoted", is: func(s *sample) { s.promote(); s.Observation.State = driver.Pending }, verb: plan.Wait, reason: v1alpha1.ReasonCloudBusy},
		{name: "gone", is: func(s *sample) { s.gone(driver.Unknown) }, verb: plan.Stall, reason: v1alpha1.ReasonVanished, message: "a new read replica of Database orders"},
		{name: "gone, and to be made again", is: func(s *sample) { s.gone(driver.Unknown); s.Policy.WhenVanished = v1alpha1.WhenVanishedRecreate }, verb: plan.Create, message: "as a read replica"},
		{name: "gone, and to be promoted", is: func(s *sample) {
			s.promote()
			s.gone(driver.Unknown)
			s.Policy.WhenVanished = v1alpha1.WhenVanishedRecreate
		}, verb: plan.Stall, reason: v1alpha1.ReasonInvalid, message: "no read replica to promote"},
		{name: "gone, to be promoted, and kept from being made again", is: func(s *sample) { s.promote(); s.gone(driver.Unknown) }, verb: plan.Stall, reason: v1alpha1.ReasonVanished, message: "spec.whenVanished: Restore"},
		{name: "new, and to be promoted", is: func(s *sample) {
			s.promote()
			s.gone(driver.Unknown)
			s.View.Bound, s.View.WasReady = false, false
		}, verb: plan.Stall, reason: v1alpha1.ReasonInvalid},
		{name: "new", is: func(s *sample) { s.gone(driver.Unknown); s.View.Bound, s.View.WasReady = false, false }, verb: plan.Create, reason: v1alpha1.ReasonCreating, message: "as a read replica"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := replicaOfOrders()
			if tt.is != nil {
				tt.is(s)
			}
			a := s.plan()
			if a.Verb != tt.verb || tt.reason != "" && a.Reason != tt.reason || !strings.Contains(a.Message, tt.message) {
				t.Errorf("got %s %s: %q; want %s %s: %q", a.Verb, a.Reason, a.Message, tt.verb, tt.reason, tt.message)
			}
		})
	}
}

// A promotion can't be undone, so a person approves it whatever the policy says. It is sent alone, after what else is to be changed, and only to what follows.
func TestPromotion(t *testing.T) {
	unwanted := replicaOfOrders()
	if unwanted.interpret(); len(unwanted.Observation.Changes) > 0 {
		t.Errorf("nobody wants it, and it is %+v", unwanted.Observation.Changes)
	}
	over := replicaOfOrders()
	over.promote()
	over.Observation.Replication = nil
	if over.interpret(); len(over.Observation.Changes) > 0 {
		t.Errorf("it follows nothing, and is promoted: %+v", over.Observation.Changes)
	}
	promoting := func() *sample {
		s := replicaOfOrders()
		s.promote()
		s.View.Edited = true
		return s
	}
	s, behind := promoting(), promoting()
	s.interpret()
	behind.Observation.Replication.Follows.Lag = new(3 * time.Minute)
	behind.interpret()
	promotion, v := s.Observation.Changes, s.View
	if len(promotion) != 1 || v.Treatments[promotion[0].Field].Command != driver.Promote || promotion[0].Effect != driver.Irreversible || !strings.Contains(promotion[0].Why, "orders") {
		t.Fatalf("got %+v", promotion)
	}
	if why := behind.Observation.Changes[0].Why; !strings.Contains(why, "lags behind by minutes") || strings.Contains(promotion[0].Why, "lags") {
		t.Errorf("the lag is not said, or said where it is not known: %q, %q", why, promotion[0].Why)
	}
	if plan.Decide(v, behind.Observation.Changes, plan.Policy{}).Hash != plan.Decide(v, promotion, plan.Policy{}).Hash {
		t.Error("an approval depends on the lag")
	}
	promotes := func(d plan.DecidedChanges) bool {
		now := d.With(plan.AtOnce)
		return len(now) == 1 && now[0].Field == fieldRole
	}
	for _, disruptive := range []v1alpha1.DisruptivePolicy{v1alpha1.DisruptiveAlways, v1alpha1.DisruptiveOnSpecChange, v1alpha1.DisruptiveOnApproval} {
		policy := plan.Policy{Management: v1alpha1.ManagementFull, Disruptive: disruptive}
		d := plan.Decide(v, promotion, policy)
		if d.Changes[0].Fate != plan.AfterApproval || d.Changes[0].Cause != v1alpha1.CauseSpec || !d.EditWaits {
			t.Errorf("%s: %+v", disruptive, d)
		}
		v := v
		v.Approval = d.Hash
		if d := plan.Decide(v, promotion, policy); !promotes(d) || !d.Approved {
			t.Errorf("%s, approved: %+v", disruptive, d)
		}
		others := []driver.Change{{Field: "tags", From: "a", To: "b", Effect: driver.Online}, promotion[0]}
		if d := plan.Decide(v, others, policy); !promotes(d) || !d.Approved {
			t.Errorf("%s, beside another change: %+v", disruptive, d)
		}
		theirs := driver.Change{Field: "tags", From: "a", To: "b", Effect: driver.Online, Names: []string{"team"}, Foreign: []string{"team"}}
		seen := s.Observation
		seen.Changes = []driver.Change{theirs, promotion[0]}
		if a := plan.Plan(v, seen, policy); a.Verb != plan.Update || len(a.Changes) != 1 || !a.Does(driver.Promote) {
			t.Errorf("%s, beside entries of others: %+v", disruptive, a)
		}
		stop := driver.Change{Field: driver.FieldPowerState, From: "Running", To: "Stopped", Effect: driver.Online}
		if d := plan.Decide(v, []driver.Change{stop, promotion[0]}, policy); !promotes(d) {
			t.Errorf("%s, beside a stop: %+v", disruptive, d)
		}
		policy.Window = window.FromSpec(&v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("03:00")})
		if d := plan.Decide(v, promotion, policy); d.Changes[0].Fate == plan.AtOnce && d.Closes.IsZero() {
			t.Errorf("%s, outside its window: %+v", disruptive, d)
		}
	}
}

// No cloud promotes a server that is stopped.
func TestPromotionWaitsForTheStart(t *testing.T) {
	s := replicaOfOrders()
	s.promote()
	s.Observation.Stopped, s.Observation.Available = true, false
	if s.interpret(); len(s.Observation.Changes) != 1 || !s.Observation.Changes[0].NeedsRunning {
		t.Errorf("got %+v", s.Observation.Changes)
	}
}

// A primary goes once nothing follows it, whoever made that; a replica goes without a snapshot, but not if its data may be all that is left.
func TestDeletionBesideReplicas(t *testing.T) {
	followedBy := func(names ...string) func(*sample) {
		return func(s *sample) { s.alone(); s.Observation.Replication = &driver.Replication{Followers: names} }
	}
	held, leaving, some := followers{held: []string{"Database reads"}}, followers{leaving: []string{"reads", "reads-2"}}, followers{leaving: []string{"reads"}}
	behind := func(s *sample) { s.Observation.Replication.Follows.Problem = "the log is gone" }
	lost := func(s *sample) { s.Primary.Object, s.Primary.Usable = reads(), false }
	for _, tt := range []struct {
		name      string
		followers followers
		is        func(*sample)
		policy    v1alpha1.DeletionPolicy
		unsure    bool // whether there is a snapshot
		verb      plan.Verb
		reason    v1alpha1.Reason
		message   string
		snapshot  bool
		foreseen  string
	}{
		{name: "nothing follows it", is: (*sample).alone, policy: v1alpha1.DeletionSnapshot, verb: plan.Delete, snapshot: true},
		{name: "an object follows it", followers: held, is: followedBy("reads", "reads-2"), policy: v1alpha1.DeletionDelete, verb: plan.Stall, reason: v1alpha1.ReasonInUse, message: "Database reads; delete it, or promote it", foreseen: "follow it: Database reads; delete it first"},
		{name: "an object is about to follow it", followers: held, is: (*sample).alone, policy: v1alpha1.DeletionDelete, verb: plan.Stall, reason: v1alpha1.ReasonInUse, message: "Database reads", foreseen: "Database reads"},
		{name: "those that follow it are being deleted", followers: leaving, is: followedBy("reads", "reads-2"), policy: v1alpha1.DeletionDelete, verb: plan.Wait, message: "reads, reads-2", foreseen: "reads, reads-2"},
		{name: "one that follows it is nobody's here", followers: some, is: followedBy("reads", "reads-2"), policy: v1alpha1.DeletionDelete, verb: plan.Stall, reason: v1alpha1.ReasonInUse, message: "reads-2 in the cloud", foreseen: "reads, reads-2; delete them first"},
		{name: "one that follows it from elsewhere is being deleted", followers: some, is: followedBy("arn:aws:rds:eu-west-1:111:db:reads"), policy: v1alpha1.DeletionDelete, verb: plan.Wait, message: "db:reads", foreseen: "db:reads"},
		{name: "it stays", followers: held, is: followedBy("reads", "reads-2"), policy: v1alpha1.DeletionRetain, verb: plan.Release},
		{name: "a replica", policy: v1alpha1.DeletionSnapshot, verb: plan.Delete},
		{name: "a replica whose primary can't be used", is: lost, policy: v1alpha1.DeletionSnapshot, verb: plan.Stall, reason: v1alpha1.ReasonReplicationImpaired, message: "Database orders, which it follows, can't be used"},
		{name: "a replica whose primary is stopped", is: func(s *sample) {
			primary := reads()
			primary.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionAvailable, Status: metav1.ConditionFalse, Reason: string(v1alpha1.ReasonStopped)}}
			s.Primary.Object = primary
		}, policy: v1alpha1.DeletionSnapshot, verb: plan.Delete},
		{name: "a replica whose primary can't be used, and whose data nobody wants", is: lost, policy: v1alpha1.DeletionDelete, verb: plan.Delete},
		{name: "a replica that is behind", is: behind, policy: v1alpha1.DeletionSnapshot, verb: plan.Stall, reason: v1alpha1.ReasonReplicationImpaired, message: "may be all that is left"},
		{name: "a replica that is behind, and whose data nobody wants", is: behind, policy: v1alpha1.DeletionDelete, verb: plan.Delete},
		{name: "a replica that never worked", is: func(s *sample) { behind(s); s.View.WasReady = false }, policy: v1alpha1.DeletionSnapshot, verb: plan.Delete},
		{name: "a replica that is gone", is: func(s *sample) { s.gone(driver.Absent) }, policy: v1alpha1.DeletionSnapshot, verb: plan.RemoveFinalizer},
		{name: "a replica that is gone, and perhaps a snapshot is there", is: func(s *sample) { s.gone(driver.Absent) }, unsure: true, policy: v1alpha1.DeletionSnapshot, verb: plan.Wait},
		{name: "a replica that was promoted, whose snapshot is being taken", is: func(s *sample) { s.gone(driver.Pending) }, policy: v1alpha1.DeletionSnapshot, verb: plan.Wait},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := replicaOfOrders()
			s.View.Deleting, s.View.FinalSnapshot, s.View.SnapshotAbsenceSure = true, "orders-final", !tt.unsure
			s.Policy.Deletion = tt.policy
			if tt.is != nil {
				tt.is(s)
			}
			part.Set(&s.Parts, known{followers: tt.followers})
			a := s.plan()
			if a.Verb != tt.verb || tt.reason != "" && a.Reason != tt.reason || !strings.Contains(a.Message, tt.message) || a.Snapshot != tt.snapshot || a.Lost {
				t.Errorf("got %+v", a)
			}
			foreseen := strings.Join(plan.EndingOf(s.View, s.Observation, s.Policy).Waits, "; ")
			if !strings.Contains(foreseen, tt.foreseen) || (foreseen != "") != (tt.foreseen != "") {
				t.Errorf("a preview says %q, want %q", foreseen, tt.foreseen)
			}
		})
	}
}

// What had to be in the primary of a promoted replica is not created empty.
func TestNothingEmptyTakesThePlaceOfContents(t *testing.T) {
	for name, tt := range map[string]struct {
		is       func(*sample)
		withheld bool
	}{
		"it follows":      {withheld: true},
		"it is promoted":  {is: (*sample).promote, withheld: true},
		"it was adopted":  {is: func(s *sample) { s.View.Origin = v1alpha1.OriginAdopted }},
		"it follows none": {is: (*sample).alone},
	} {
		s := replicaOfOrders()
		if tt.is != nil {
			tt.is(s)
		}
		s.interpret()
		got := s.View.Source.Withhold([]driver.Change{{Field: "databaseName", To: "app", Effect: driver.Online}})
		if withheld := got[0].Effect == driver.Impossible && strings.Contains(got[0].Why, "the primary that it followed"); withheld != tt.withheld {
			t.Errorf("%s: got %+v, want it to be withheld: %t", name, got, tt.withheld)
		}
	}
}
