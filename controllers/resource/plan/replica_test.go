package plan

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A server that follows another one, or is to, is what its spec says, or a person has to act: nothing is ever sent to it that would make it another one.
func TestPlanOfAReplica(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "reads", UID: "uid"}
	is := driver.Observation{State: driver.Ready, Available: true, ID: "db-2", Mark: mark, Replication: &driver.Replication{Follows: &driver.Following{Primary: "orders"}}}
	with := func(change func(*driver.Observation)) driver.Observation {
		o := is
		follows := *is.Replication.GetFollows()
		o.Replication = &driver.Replication{Follows: &follows}
		change(&o)
		return o
	}
	alone := with(func(o *driver.Observation) { o.Replication = nil })
	differs := driver.Change{Field: "tags", From: "a", To: "b", Effect: driver.Online}
	v := View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-2", Mark: mark, AbsenceSure: true,
		Replica: Replica{Primary: "Database orders", Server: "orders", Followed: true}}
	for _, tt := range []struct {
		name    string
		view    func(*View)
		policy  func(*Policy)
		seen    driver.Observation
		verb    Verb
		reason  v1alpha1.Reason
		message string
	}{
		{name: "as declared", seen: is, verb: Converge, reason: v1alpha1.ReasonReady},
		{name: "with a difference", seen: with(func(o *driver.Observation) { o.Changes = []driver.Change{differs} }), verb: Update},
		{name: "new, and not yet as declared", view: func(v *View) {
			v.WasReady, v.WasApplied, v.Applied = false, false, driver.Applied{"backup.retentionDays": {"7"}}
		}, verb: Update,
			seen: with(func(o *driver.Observation) {
				o.Changes = []driver.Change{{Field: "backup.retentionDays", From: "0", To: "7", Effect: driver.Interrupts}}
			})},
		{name: "its primary's name in other letters", view: func(v *View) { v.Replica.Server = "Orders" }, seen: is, verb: Converge},
		{name: "its primary is not known now", view: func(v *View) { v.Replica.Server = "" }, seen: is, verb: Converge},
		{name: "it does not repeat what is written", seen: with(func(o *driver.Observation) { o.Replication.GetFollows().Problem = "the log is gone" }), verb: Stall, reason: v1alpha1.ReasonReplicationImpaired, message: "the log is gone"},
		{name: "it follows another one", view: func(v *View) { v.Replica.Server = "invoices" }, seen: is, verb: Stall, reason: v1alpha1.ReasonImmutable, message: "never follows another server"},
		{name: "it follows one of the name elsewhere", view: func(v *View) { v.Replica.Location = "eu-central-1" }, seen: with(func(o *driver.Observation) { o.Replication.GetFollows().Location = "eu-west-1" }), verb: Stall, reason: v1alpha1.ReasonImmutable},
		{name: "it follows one elsewhere, as it should", view: func(v *View) { v.Replica.Location = "eu-west-1" }, seen: with(func(o *driver.Observation) { o.Replication.GetFollows().Location = "eu-west-1" }), verb: Converge},
		{name: "somebody promoted it", seen: alone, verb: Stall, reason: v1alpha1.ReasonImmutable, message: "set spec.replica.role to Primary"},
		{name: "somebody promoted it, and the spec says so", view: func(v *View) { v.Replica.Promote = true }, seen: alone, verb: Converge},
		{name: "the spec no longer says that it follows", view: func(v *View) { v.Replica = Replica{Followed: true} }, seen: is, verb: Stall, reason: v1alpha1.ReasonImmutable, message: "put it back"},
		{name: "taken over as a replica", view: func(v *View) { v.Replica, v.Origin = Replica{Followed: true}, v1alpha1.OriginAdopted }, seen: is, verb: Converge},
		{name: "promoted, and the spec says nothing of it any more", view: func(v *View) { v.Replica = Replica{} }, seen: alone, verb: Converge},
		{name: "being promoted", view: func(v *View) { v.Replica.Promote = true }, seen: with(func(o *driver.Observation) { o.State = driver.Pending }), verb: Wait, reason: v1alpha1.ReasonCloudBusy},
		{name: "gone", seen: driver.Observation{State: driver.Absent}, verb: Stall, reason: v1alpha1.ReasonVanished, message: "a new read replica of Database orders"},
		{name: "gone, and to be made again", policy: func(p *Policy) { p.WhenVanished = v1alpha1.WhenVanishedRecreate }, seen: driver.Observation{State: driver.Absent}, verb: Create, message: "as a read replica"},
		{name: "gone, and to be promoted", view: func(v *View) { v.Replica.Promote = true }, policy: func(p *Policy) { p.WhenVanished = v1alpha1.WhenVanishedRecreate },
			seen: driver.Observation{State: driver.Absent}, verb: Stall, reason: v1alpha1.ReasonInvalid, message: "no read replica to promote"},
		{name: "gone, to be promoted, and kept from being made again", view: func(v *View) { v.Replica.Promote = true }, seen: driver.Observation{State: driver.Absent}, verb: Stall, reason: v1alpha1.ReasonVanished, message: "spec.whenVanished: Restore"},
		{name: "new, and to be promoted", view: func(v *View) { v.Replica.Promote, v.Bound, v.WasReady = true, false, false }, seen: driver.Observation{State: driver.Absent}, verb: Stall, reason: v1alpha1.ReasonInvalid},
		{name: "new", view: func(v *View) { v.Bound, v.WasReady = false, false }, seen: driver.Observation{State: driver.Absent}, verb: Create, reason: v1alpha1.ReasonCreating, message: "as a read replica"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			view, policy := v, Policy{Management: v1alpha1.ManagementFull, WhenVanished: v1alpha1.WhenVanishedStop, Restores: true}
			if tt.view != nil {
				tt.view(&view)
			}
			if tt.policy != nil {
				tt.policy(&policy)
			}
			a := Plan(view, tt.seen, policy)
			if a.Verb != tt.verb || tt.reason != "" && a.Reason != tt.reason || !strings.Contains(a.Message, tt.message) {
				t.Errorf("got %s %s: %q; want %s %s: %q", a.Verb, a.Reason, a.Message, tt.verb, tt.reason, tt.message)
			}
		})
	}
}

// A promotion can't be undone, so a person approves it whatever the policy says. It is sent alone, after what else is to be changed, and only to what follows.
func TestPromotion(t *testing.T) {
	follows := driver.Observation{State: driver.Ready, Available: true, Replication: &driver.Replication{Follows: &driver.Following{Primary: "orders"}}}
	if c := Promotion(Replica{Primary: "Database orders"}, follows); len(c) > 0 {
		t.Errorf("nobody wants it, and it is %+v", c)
	}
	if c := Promotion(Replica{Primary: "Database orders", Promote: true}, driver.Observation{State: driver.Ready}); len(c) > 0 {
		t.Errorf("it follows nothing, and is promoted: %+v", c)
	}
	promotion := Promotion(Replica{Primary: "Database orders", Promote: true}, follows)
	if len(promotion) != 1 || !Promotes(promotion[0]) || promotion[0].Effect != driver.Irreversible || !strings.Contains(promotion[0].Why, "orders") {
		t.Fatalf("got %+v", promotion)
	}
	v := View{WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, Edited: true}
	behind := Promotion(Replica{Primary: "Database orders", Promote: true, Lag: v1alpha1.ReplicaLagMinutes}, follows)
	if !strings.Contains(behind[0].Why, "lags behind by minutes") || strings.Contains(promotion[0].Why, "lags") {
		t.Errorf("the lag is not said, or said where it is not known: %q, %q", behind[0].Why, promotion[0].Why)
	}
	if Decide(v, behind, Policy{}).Hash != Decide(v, promotion, Policy{}).Hash {
		t.Error("an approval depends on the lag")
	}
	follows.Changes = promotion
	for _, disruptive := range []v1alpha1.DisruptivePolicy{v1alpha1.DisruptiveAlways, v1alpha1.DisruptiveOnSpecChange, v1alpha1.DisruptiveOnApproval} {
		d := Decide(v, promotion, Policy{Disruptive: disruptive})
		if d.Changes[0].Fate != AfterApproval || d.Changes[0].Cause != v1alpha1.CauseSpec || !d.EditWaits {
			t.Errorf("%s: %+v", disruptive, d)
		}
		v := v
		v.Approval = d.Hash
		if d := Decide(v, promotion, Policy{Disruptive: disruptive}); d.Changes[0].Fate != AtOnce || !d.Approved {
			t.Errorf("%s, approved: %+v", disruptive, d)
		}
		others := []driver.Change{{Field: "tags", From: "a", To: "b", Effect: driver.Online}, promotion[0]}
		if d := Decide(v, others, Policy{Disruptive: disruptive}); len(d.With(AtOnce)) != 1 || !Promotes(d.With(AtOnce)[0]) || !d.Approved {
			t.Errorf("%s, beside another change: %+v", disruptive, d)
		}
		theirs := driver.Change{Field: "tags", From: "a", To: "b", Effect: driver.Online, Names: []string{"team"}, Foreign: []string{"team"}}
		seen := follows
		seen.Changes = []driver.Change{theirs, promotion[0]}
		v.Replica = Replica{Primary: "Database orders", Promote: true}
		if a := planReady(v, seen, Policy{Management: v1alpha1.ManagementFull, Disruptive: disruptive}); a.Verb != Update || len(a.Changes) != 1 || !a.Does(driver.Promote) {
			t.Errorf("%s, beside entries of others: %+v", disruptive, a)
		}
		stop := driver.Change{Field: driver.FieldPowerState, From: "Running", To: "Stopped", Effect: driver.Online}
		if d := Decide(v, []driver.Change{stop, promotion[0]}, Policy{Disruptive: disruptive}); len(d.With(AtOnce)) != 1 || !Promotes(d.With(AtOnce)[0]) {
			t.Errorf("%s, beside a stop: %+v", disruptive, d)
		}
		if d := Decide(v, promotion, Policy{Disruptive: disruptive, Window: window.FromSpec(&v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("03:00")})}); d.Changes[0].Fate == AtOnce && d.Closes.IsZero() {
			t.Errorf("%s, outside its window: %+v", disruptive, d)
		}
	}
}

// A primary goes once nothing follows it, whoever made that; a replica goes without a snapshot, but not if its data may be all that is left.
func TestDeletionBesideReplicas(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	v := View{Bound: true, Deleting: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-1", Mark: mark, AbsenceSure: true, FinalSnapshot: "orders-final"}
	seen := driver.Observation{State: driver.Ready, Available: true, ID: "db-1", Mark: mark}
	followed := seen
	followed.Replication = &driver.Replication{Followers: []string{"reads", "reads-2"}}
	replica, behind := seen, seen
	replica.Replication = &driver.Replication{Follows: &driver.Following{Primary: "orders"}}
	behind.Replication = &driver.Replication{Follows: &driver.Following{Primary: "orders", Problem: "the log is gone"}}
	far := seen
	far.Replication = &driver.Replication{Followers: []string{"arn:aws:rds:eu-west-1:111:db:reads"}}
	held, leaving, some := Replica{Held: []string{"Database reads"}}, Replica{Leaving: []string{"reads", "reads-2"}}, Replica{Leaving: []string{"reads"}}
	gone := func(snapshot driver.State) driver.Observation {
		return driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: snapshot}}
	}
	for _, tt := range []struct {
		name     string
		replica  Replica
		seen     driver.Observation
		policy   v1alpha1.DeletionPolicy
		unused   bool
		unsure   bool // whether there is a snapshot
		verb     Verb
		reason   v1alpha1.Reason
		message  string
		snapshot bool
	}{
		{name: "nothing follows it", seen: seen, policy: v1alpha1.DeletionSnapshot, verb: Delete, snapshot: true},
		{name: "an object follows it", replica: held, seen: followed, policy: v1alpha1.DeletionDelete, verb: Stall, reason: v1alpha1.ReasonInUse, message: "Database reads; delete it, or promote it"},
		{name: "an object is about to follow it", replica: held, seen: seen, policy: v1alpha1.DeletionDelete, verb: Stall, reason: v1alpha1.ReasonInUse, message: "Database reads"},
		{name: "those that follow it are being deleted", replica: leaving, seen: followed, policy: v1alpha1.DeletionDelete, verb: Wait, message: "reads, reads-2"},
		{name: "one that follows it is nobody's here", replica: some, seen: followed, policy: v1alpha1.DeletionDelete, verb: Stall, reason: v1alpha1.ReasonInUse, message: "reads-2 in the cloud"},
		{name: "one that follows it from elsewhere is being deleted", replica: some, seen: far, policy: v1alpha1.DeletionDelete, verb: Wait, message: "db:reads"},
		{name: "it stays", replica: held, seen: followed, policy: v1alpha1.DeletionRetain, verb: Release},
		{name: "a replica", seen: replica, policy: v1alpha1.DeletionSnapshot, verb: Delete},
		{name: "a replica whose primary can't be used", replica: Replica{Primary: "Database orders", PrimaryLost: true}, seen: replica, policy: v1alpha1.DeletionSnapshot, verb: Stall, reason: v1alpha1.ReasonReplicationImpaired, message: "Database orders, which it follows, can't be used"},
		{name: "a replica whose primary can't be used, and whose data nobody wants", replica: Replica{Primary: "Database orders", PrimaryLost: true}, seen: replica, policy: v1alpha1.DeletionDelete, verb: Delete},
		{name: "a replica that is behind", seen: behind, policy: v1alpha1.DeletionSnapshot, verb: Stall, reason: v1alpha1.ReasonReplicationImpaired, message: "may be all that is left"},
		{name: "a replica that is behind, and whose data nobody wants", seen: behind, policy: v1alpha1.DeletionDelete, verb: Delete},
		{name: "a replica that never worked", seen: behind, unused: true, policy: v1alpha1.DeletionSnapshot, verb: Delete},
		{name: "a replica that is gone", replica: Replica{Followed: true}, seen: gone(driver.Absent), policy: v1alpha1.DeletionSnapshot, verb: RemoveFinalizer},
		{name: "a replica that is gone, and perhaps a snapshot is there", replica: Replica{Followed: true}, seen: gone(driver.Absent), unsure: true, policy: v1alpha1.DeletionSnapshot, verb: Wait},
		{name: "a replica that was promoted, whose snapshot is being taken", replica: Replica{Followed: true}, seen: gone(driver.Pending), policy: v1alpha1.DeletionSnapshot, verb: Wait},
	} {
		t.Run(tt.name, func(t *testing.T) {
			view := v
			view.Replica, view.WasReady, view.SnapshotAbsenceSure = tt.replica, !tt.unused, !tt.unsure
			a := Plan(view, tt.seen, Policy{Management: v1alpha1.ManagementFull, Deletion: tt.policy})
			if a.Verb != tt.verb || tt.reason != "" && a.Reason != tt.reason || !strings.Contains(a.Message, tt.message) || a.Snapshot != tt.snapshot || a.Lost {
				t.Errorf("got %+v", a)
			}
		})
	}
}
