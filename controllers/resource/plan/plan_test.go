package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A fixture is everything that Plan decides from.
type fixture struct {
	View
	Seen   driver.Observation
	Policy Policy
}

func (s fixture) plan() Action { return Plan(s.View, s.Seen, s.Policy) }

var (
	itsMark = driver.Mark{Cluster: "c1", Namespace: "shop", Name: "orders", UID: "uid-now"}
	itsID   = "db-1"
)

// settled is a database that works, is as declared, and has a Database's defaults for policy.
func settled() fixture {
	return fixture{
		View: View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, Mark: itsMark, ID: itsID, Applied: driver.Applied{}},
		Seen: driver.Observation{State: driver.Ready, Available: true, ID: itsID, Mark: itsMark},
		Policy: Policy{
			Management: v1alpha1.ManagementFull, Adoption: v1alpha1.AdoptionIfMarked, WhenVanished: v1alpha1.WhenVanishedStop,
			Deletion: v1alpha1.DeletionSnapshot, Disruptive: v1alpha1.DisruptiveOnSpecChange,
		},
	}
}

func marked(edit func(*driver.Mark)) driver.Mark {
	m := itsMark
	edit(&m)
	return m
}

var (
	beforeMark   = marked(func(m *driver.Mark) { m.UID = "uid-before" })
	releasedMark = marked(func(m *driver.Mark) { m.Released = true })
	othersMark   = marked(func(m *driver.Mark) { m.Namespace = "bank" })
	foreignMark  = marked(func(m *driver.Mark) { m.Cluster = "c2" })
	leftByOthers = marked(func(m *driver.Mark) { m.Namespace, m.Released = "bank", true })
	leftBySister = marked(func(m *driver.Mark) { m.Name, m.Released = "payments", true })
)

// absent takes the object out of the cloud.
func absent(s *fixture) { s.Seen = driver.Observation{State: driver.Absent} }

// fresh is an object that was just applied.
func fresh(s *fixture) {
	absent(s)
	s.Bound, s.WasReady, s.WasApplied, s.Origin, s.ID, s.Edited = false, false, false, "", "", true
}

// exists is a cloud object that was there before the Kubernetes object.
func exists(mark driver.Mark) func(*fixture) {
	return func(s *fixture) {
		s.Bound, s.WasReady, s.WasApplied, s.Origin, s.ID, s.Edited, s.Seen.Mark = false, false, false, "", "", true, mark
	}
}

// copied is the copy of another object, as it was born.
func copied(s *fixture) {
	s.WasReady, s.WasApplied, s.ID, s.Edited, s.Restores = false, false, "", true, true
	s.CopyOf = Copy{Mark: marked(func(m *driver.Mark) { m.Name, m.UID = "source", "uid-source" }), Source: "source-1"}
	s.Restored, s.Seen.Mark, s.Seen.ID = true, s.CopyOf.Mark, "copy-1"
}

// edited adds a difference that an edit of the spec made; drifted one that somebody made in the cloud.
func edited(name string, effect driver.Effect) func(*fixture) {
	return func(s *fixture) {
		s.Edited = true
		s.Applied[name] = []string{"old"}
		s.Seen.Changes = append(s.Seen.Changes, driver.Change{Field: name, From: "old", To: "new", Effect: effect, Why: "make another"})
	}
}

func drifted(name string, effect driver.Effect) func(*fixture) {
	return func(s *fixture) {
		s.Applied[name] = []string{"new"}
		s.Seen.Changes = append(s.Seen.Changes, driver.Change{Field: name, From: "theirs", To: "new", Effect: effect, Why: "make another"})
	}
}

// approved approves what waits in the fixture so far.
func approved(s *fixture) { s.Approval = s.plan().Hash }

// begun is what becomes of an approved plan when its first change was made, and the next one not yet.
func begun(s *fixture) {
	approved(s)
	s.Waiting, s.AwaitedHash = PendingChanges(s.View, s.Seen.Changes), s.Approval
	s.Seen.Changes = s.Seen.Changes[1:]
}

// unknownPassword has a password take the place of one that only others know.
func unknownPassword(s *fixture) {
	s.Seen.Changes = append(s.Seen.Changes, driver.Change{
		Field: FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Irreversible, Why: WhyReplaced,
	})
}

// neverApplied is what was taken over, or made, as origin says, and was never as declared.
func neverApplied(origin v1alpha1.Origin) func(*fixture) {
	return func(s *fixture) { s.Origin, s.WasApplied, s.WasReady = origin, false, false }
}
func consented(s *fixture) { s.AdoptFrom = "bank/orders" }
func contradicts(s *fixture) {
	s.Seen.Changes = append(s.Seen.Changes, driver.Change{Field: "engine", From: "mysql", To: "postgres", Effect: driver.Impossible, Why: "make another"})
}

func deleted(s *fixture) { s.Deleting = true }
func gone(s *fixture)    { deleted(s); absent(s); s.AbsenceSure = true }

func retained(s *fixture)        { s.Policy.Deletion = v1alpha1.DeletionRetain }
func withoutSnapshot(s *fixture) { s.Policy.Deletion = v1alpha1.DeletionDelete }
func observed(s *fixture)        { s.Policy.Management = v1alpha1.ManagementObserve }
func observeMarked(s *fixture)   { s.Policy.ObserveMarked = true }
func counted(s *fixture) {
	s.Policy.Unreleased = Refusal{v1alpha1.ReasonClassViolated, "set spec.deletionPolicy: Delete"}
}
func refused(s *fixture) {
	s.Policy.Refused = Refusal{v1alpha1.ReasonClassViolated, "at most 100 GiB"}
}

// byClass makes a change one of a field that the class decides, and now decides otherwise than it did.
func byClass(name string, effect driver.Effect) func(*fixture) {
	return func(s *fixture) {
		drifted(name, effect)(s)
		s.Applied[name] = []string{"what the class said before"}
		s.ByClass = class.Fields{name}
	}
}
func justChanged(name string) func(*fixture) {
	return func(s *fixture) { s.ClassChanged = class.Fields{name} }
}
func editedToo(s *fixture) { s.Edited = true }
func state(x driver.State) func(*fixture) {
	return func(s *fixture) { s.Seen.State = x }
}

const (
	instance   = "aws.instanceClass" // disruptive
	days       = "backup.retentionDays"
	protection = "deletionProtection"
)

// A decision is what a case checks of an action; its words are checked for every action by the properties.
type decision struct {
	Verb           Verb
	Reason         v1alpha1.Reason
	Changes        []string
	Asks           bool // there is a hash to approve
	EditWaits      bool
	KeepConditions bool
	Snapshot       bool
	Orphaned       bool
	Lost           bool
}

func decided(a Action) decision {
	d := decision{Verb: a.Verb, Reason: a.Reason, Asks: a.Hash != "", EditWaits: a.EditWaits, KeepConditions: a.KeepConditions, Snapshot: a.Snapshot, Orphaned: a.Orphaned, Lost: a.Lost}
	if len(a.Changes) > 0 {
		d.Changes = driver.Names(a.Changes)
	}
	return d
}

func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fixture []func(*fixture)
		want    decision
	}{
		// Being created.
		{"nothing is there yet", []func(*fixture){fresh},
			decision{Verb: Create, Reason: v1alpha1.ReasonCreating}},
		{"a creation was tried, and the cloud may not show it yet", []func(*fixture){fresh, func(s *fixture) { s.Bound = true }},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"a creation came to nothing, and the spec has another place for it", []func(*fixture){fresh, func(s *fixture) { s.Bound, s.AbsenceSure, s.Moved = true, true, true }},
			decision{Verb: ClearBinding, Reason: v1alpha1.ReasonCreating}},
		{"a creation may have come to nothing, and the spec has another place for it", []func(*fixture){fresh, func(s *fixture) { s.Bound, s.Moved = true, true }},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"the name was another's before the creation, and the spec has another place for it", []func(*fixture){exists(foreignMark), func(s *fixture) { s.Bound, s.Moved = true, true }},
			decision{Verb: ClearBinding, Reason: v1alpha1.ReasonCreating}},
		{"the name is another's by now, and the spec has another place for it", []func(*fixture){exists(foreignMark), func(s *fixture) { s.Bound, s.Moved, s.WasReady = true, true, true }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"the name is another's, and the object has an identity in the cloud", []func(*fixture){exists(foreignMark), func(s *fixture) { s.Bound, s.Moved, s.ID = true, true, "id-now" }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"a creation was tried, and surely came to nothing", []func(*fixture){fresh, func(s *fixture) { s.Bound, s.AbsenceSure = true, true }},
			decision{Verb: Create, Reason: v1alpha1.ReasonCreating}},
		{"the cloud is creating it", []func(*fixture){state(driver.Pending), func(s *fixture) { s.WasReady = false }},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCreating}},
		{"the creation failed", []func(*fixture){state(driver.Failed), func(s *fixture) { s.WasReady = false }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonFailed}},
		{"the cloud's answer makes no sense", []func(*fixture){state(driver.Unknown)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonRetrying}},

		// At rest.
		{"usable and as declared", nil,
			decision{Verb: Converge, Reason: v1alpha1.ReasonReady}},
		{"stopped by somebody", []func(*fixture){func(s *fixture) { s.Seen.Available, s.Seen.Stopped = false, true }},
			decision{Verb: Converge, Reason: v1alpha1.ReasonStopped}},
		{"as declared, and its disk is full", []func(*fixture){full},
			decision{Verb: Stall, Reason: v1alpha1.ReasonFailed}},
		{"its disk is full, and drift of its size waits", []func(*fixture){full, drifted(instance, driver.Restarts)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonFailed, Asks: true}},
		{"its disk is full, and the spec now has a larger one", []func(*fixture){full, edited("storage.sizeGiB", driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{"storage.sizeGiB"}}},
		{"as declared, and without an address yet", []func(*fixture){func(s *fixture) { s.Seen.Available, s.WasReady = false, false }},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCreating}},
		{"an operation is in progress in the cloud", []func(*fixture){state(driver.Pending)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy}},
		{"it broke", []func(*fixture){state(driver.Failed)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonFailed}},
		{"what was written is not to be seen yet", []func(*fixture){func(s *fixture) { s.InConsistencyWindow = true }},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},

		// Differences.
		{"an edit that nobody notices", []func(*fixture){edited(days, driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{days}}},
		{"drift that nobody notices", []func(*fixture){drifted(days, driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonDrifted, Changes: []string{days}}},
		{"an edit that restarts", []func(*fixture){edited(instance, driver.Restarts)},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{instance}}},
		{"the class changed, online", []func(*fixture){byClass(days, driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonClassChanged, Changes: []string{days}}},
		{"the class changed, and that restarts", []func(*fixture){byClass(instance, driver.Restarts)},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true}},
		{"the class changed, and that restarts, Always", []func(*fixture){byClass(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveAlways)},
			decision{Verb: Update, Reason: v1alpha1.ReasonClassChanged, Changes: []string{instance}}},
		{"the class changed, and that restarts, approved", []func(*fixture){byClass(instance, driver.Restarts), approved},
			decision{Verb: Update, Reason: v1alpha1.ReasonClassChanged, Changes: []string{instance}}},
		{"the class changed, and the spec was edited at the same time", []func(*fixture){byClass(instance, driver.Restarts), justChanged(instance), editedToo},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true}},
		{"another size was chosen", []func(*fixture){byClass(instance, driver.Restarts), editedToo},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{instance}}},
		{"the class changed what can't change, and it can't be used", []func(*fixture){byClass(instance, driver.Impossible), func(s *fixture) { s.Seen.Available, s.Seen.Problem = false, "the disk is full" }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonFailed}},
		{"the class changed what can't change", []func(*fixture){byClass(instance, driver.Impossible)},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonImmutable}},
		{"drift of what the class decides", []func(*fixture){drifted(days, driver.Online), func(s *fixture) { s.ByClass = class.Fields{days} }},
			decision{Verb: Update, Reason: v1alpha1.ReasonDrifted, Changes: []string{days}}},
		{"the class does not allow it", []func(*fixture){refused, drifted(days, driver.Online)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonClassViolated}},
		{"the class does not allow it, and it is gone", []func(*fixture){refused, absent, sure},
			decision{Verb: Stall, Reason: v1alpha1.ReasonClassViolated}},
		{"the class does not allow it, and it is deleted", []func(*fixture){refused, deleted, withoutSnapshot},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting}},
		{"the class does not allow it, and it is observed", []func(*fixture){refused, observed},
			decision{Verb: Stall, Reason: v1alpha1.ReasonClassViolated}},
		{"an edit that restarts, OnApproval", []func(*fixture){edited(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveOnApproval)},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true, EditWaits: true}},
		{"drift whose correction restarts", []func(*fixture){drifted(instance, driver.Restarts)},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true}},
		{"drift whose correction restarts, Always", []func(*fixture){drifted(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveAlways)},
			decision{Verb: Update, Reason: v1alpha1.ReasonDrifted, Changes: []string{instance}}},
		{"drift whose correction restarts, approved", []func(*fixture){drifted(instance, driver.Restarts), approved},
			decision{Verb: Update, Reason: v1alpha1.ReasonDrifted, Changes: []string{instance}}},
		{"an approval of a plan that was settled", []func(*fixture){drifted(instance, driver.Restarts), approved, func(s *fixture) { s.Serial++ }},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true}},
		{"what is left of an approved plan", []func(*fixture){drifted(instance, driver.Restarts), drifted(days, driver.Interrupts), begun},
			decision{Verb: Update, Reason: v1alpha1.ReasonDrifted, Changes: []string{days}}},
		{"more than an approved plan", []func(*fixture){drifted(instance, driver.Restarts), drifted(days, driver.Interrupts), begun, drifted("version", driver.Interrupts)},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true}},
		{"what is left of an approved plan that was settled", []func(*fixture){drifted(instance, driver.Restarts), drifted(days, driver.Interrupts), begun, func(s *fixture) { s.AwaitedHash = "" }},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true}},
		{"a password that only others know", []func(*fixture){unknownPassword},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true, EditWaits: true}},
		{"a password that only others know, Always", []func(*fixture){unknownPassword, disruptive(v1alpha1.DisruptiveAlways)},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true, EditWaits: true}},
		{"a password that only others know, approved", []func(*fixture){unknownPassword, approved},
			decision{Verb: Update, Reason: v1alpha1.ReasonDrifted, Changes: []string{FieldPassword}}},
		{"an edit of something else does not approve drift", []func(*fixture){drifted(instance, driver.Restarts), edited(days, driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{days}, Asks: true}},
		{"a field declared for the first time", []func(*fixture){edited(instance, driver.Restarts), func(s *fixture) { delete(s.Applied, instance) }},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{instance}}},
		{"just adopted, and a restart away from what is declared", []func(*fixture){notYetApplied, func(s *fixture) { s.WasReady = false }},
			decision{Verb: AwaitApproval, Reason: v1alpha1.ReasonApprovalRequired, Asks: true, EditWaits: true}},
		{"an edit of something else does not approve what waits since the adoption", []func(*fixture){notYetApplied, waits, edited(days, driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{days}, Asks: true, EditWaits: true}},
		{"what can't be changed", []func(*fixture){edited("engine", driver.Impossible)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonImmutable}},
		{"an entry that the cloud does not have", []func(*fixture){edited("parameters", driver.Impossible), entries("a=2")},
			decision{Verb: Stall, Reason: v1alpha1.ReasonInvalid}},
		{"what can't be changed keeps nothing else waiting", []func(*fixture){edited("engine", driver.Impossible), edited(days, driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{days}}},
		{"what can't be changed keeps a restart waiting", []func(*fixture){edited("engine", driver.Impossible), edited(instance, driver.Restarts), edited(days, driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{days}}},
		{"what can't be changed keeps an approved restart waiting", []func(*fixture){edited("engine", driver.Impossible), edited(instance, driver.Restarts)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonImmutable}},
		{"differences while the cloud is at work", []func(*fixture){edited(days, driver.Online), state(driver.Pending)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy}},

		// Born as a copy of another one.
		{"a copy is being made", []func(*fixture){copied, state(driver.Pending)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCreating}},
		{"a copy is there, with the mark that it was born with", []func(*fixture){copied},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonCreating}},
		{"a copy is there, and differs: its own mark comes first", []func(*fixture){copied, edited(days, driver.Online), contradicts},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonCreating}},
		{"a copy came to nothing", []func(*fixture){copied, state(driver.Failed)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonFailed}},
		{"a copy has its own mark by now, and differs", []func(*fixture){copied, mark(itsMark), drifted(instance, driver.Restarts)},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{instance}}},
		{"a copy has what its spec lacks, and to undo that restarts", []func(*fixture){copied, mark(itsMark), func(s *fixture) {
			s.Policy.Disruptive = v1alpha1.DisruptiveOnApproval
			s.Applied["tls"] = []string{}
			s.Seen.Changes = []driver.Change{{Field: "tls", From: "Required", To: "Optional", Effect: driver.Restarts, Release: true}}
		}},
			decision{Verb: Update, Reason: v1alpha1.ReasonUpdating, Changes: []string{"tls"}}},
		{"a copy of that one, and another than the one that is known", []func(*fixture){copied, func(s *fixture) { s.ID = "copy-0" }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"a copy of a later object of the name", []func(*fixture){copied, func(s *fixture) { s.Seen.Mark.UID = "uid-later" }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"a copy that was left behind", []func(*fixture){copied, func(s *fixture) { s.Seen.Mark.Released = true }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"what may be another one's copy", []func(*fixture){copied, func(s *fixture) { s.CopyOf.Doubtful = true }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"what may be a copy is not given up for another name", []func(*fixture){copied, func(s *fixture) { s.CopyOf.Doubtful, s.Moved = true, true }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"the source itself is no copy", []func(*fixture){copied, func(s *fixture) { s.Seen.ID = "source-1" }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"the source itself is not deleted as a copy", []func(*fixture){copied, deleted, func(s *fixture) { s.Seen.ID = "source-1" }},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},
		{"a copy is deleted before it has its own mark", []func(*fixture){copied, deleted},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting}},
		{"a copy is deleted that has its own mark and was never used", []func(*fixture){copied, mark(itsMark), deleted},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting}},
		{"a copy is to stay before it has its own mark", []func(*fixture){copied, deleted, retained},
			decision{Verb: Release, Reason: v1alpha1.ReasonDeleting}},
		{"what bears that mark and is no copy of ours is deleted", []func(*fixture){copied, deleted, func(s *fixture) { s.CopyOf = Copy{} }},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},

		// What exists already.
		{"a stranger's object", []func(*fixture){exists(driver.Mark{})},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"a part of its mark was removed, perhaps", []func(*fixture){partOfMark},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"a part of its mark was removed", []func(*fixture){partOfMark, surelyUnmarked},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"a stranger's object, IfExists", []func(*fixture){exists(driver.Mark{}), adopt(v1alpha1.AdoptionIfExists)},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"its own from before the cluster was lost", []func(*fixture){exists(beforeMark)},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"its own from before, Never", []func(*fixture){exists(beforeMark), adopt(v1alpha1.AdoptionNever)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"its own, which another object of this name took", []func(*fixture){mark(beforeMark)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"its own, which another object of this name took, IfExists", []func(*fixture){mark(beforeMark), adopt(v1alpha1.AdoptionIfExists)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"its own, which another object of this name took, and it differs", []func(*fixture){mark(beforeMark), edited(days, driver.Online)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"its own, which another object of this name took, and it is deleted", []func(*fixture){mark(beforeMark), deleted},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},
		{"its own from before, with a status from a backup of the cluster", []func(*fixture){mark(beforeMark), func(s *fixture) { s.FromBackup = true }},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"its own from before, left behind on purpose", []func(*fixture){exists(releasedMark)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"left behind on purpose, IfExists", []func(*fixture){exists(releasedMark), adopt(v1alpha1.AdoptionIfExists)},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"what another namespace left behind, IfExists", []func(*fixture){exists(leftByOthers), adopt(v1alpha1.AdoptionIfExists)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"what another namespace left behind, and the platform consents", []func(*fixture){exists(leftByOthers), adopt(v1alpha1.AdoptionIfExists), consented},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"what another namespace still has, and the platform consents", []func(*fixture){exists(othersMark), adopt(v1alpha1.AdoptionIfExists), consented},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"what another object of the namespace left behind, IfExists", []func(*fixture){exists(leftBySister), adopt(v1alpha1.AdoptionIfExists)},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"a stranger's of another engine, IfExists", []func(*fixture){exists(driver.Mark{}), adopt(v1alpha1.AdoptionIfExists), contradicts},
			decision{Verb: Stall, Reason: v1alpha1.ReasonImmutable}},
		{"its own from before, of another engine", []func(*fixture){exists(beforeMark), contradicts},
			decision{Verb: Stall, Reason: v1alpha1.ReasonImmutable}},
		{"what the cloud just created does not show its mark", []func(*fixture){mark(driver.Mark{}), withoutID, markMissing},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"what the cloud created never showed its mark", []func(*fixture){mark(driver.Mark{}), withoutID, markMissing, surelyUnmarked},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"what the cloud created showed its mark, which somebody removed", []func(*fixture){mark(driver.Mark{}), withoutID, surelyUnmarked},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"another namespace's", []func(*fixture){exists(othersMark)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"another cluster's", []func(*fixture){exists(foreignMark)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"a stranger's that the cloud is at work on, IfExists", []func(*fixture){exists(driver.Mark{}), adopt(v1alpha1.AdoptionIfExists), state(driver.Pending)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonAdopting}},
		{"somebody removed its mark", []func(*fixture){mark(driver.Mark{}), surelyUnmarked},
			decision{Verb: Adopt, Reason: v1alpha1.ReasonAdopting}},
		{"its mark does not show yet", []func(*fixture){mark(driver.Mark{})},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"its mark does not show yet, and it has no id", []func(*fixture){mark(driver.Mark{}), withoutID, adopt(v1alpha1.AdoptionIfExists)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"somebody took it over", []func(*fixture){mark(othersMark), adopt(v1alpha1.AdoptionIfExists)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"another object has its name and mark", []func(*fixture){func(s *fixture) { s.Seen.ID = "db-2" }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},

		// Vanished.
		{"it is missing for the first time", []func(*fixture){absent},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"it was deleted behind our back, Stop", []func(*fixture){absent, sure},
			decision{Verb: Stall, Reason: v1alpha1.ReasonVanished}},
		{"it was deleted behind our back, Recreate", []func(*fixture){absent, sure, func(s *fixture) { s.Policy.WhenVanished = v1alpha1.WhenVanishedRecreate }},
			decision{Verb: Create, Reason: v1alpha1.ReasonCreating}},
		{"it was deleted behind our back, Restore", []func(*fixture){absent, sure, func(s *fixture) { s.Policy.WhenVanished = v1alpha1.WhenVanishedRestore }},
			decision{Verb: Create, Reason: v1alpha1.ReasonCreating}},
		{"it may have been deleted behind our back, Restore", []func(*fixture){absent, func(s *fixture) { s.Policy.WhenVanished = v1alpha1.WhenVanishedRestore }},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"it is being deleted behind our back", []func(*fixture){state(driver.Deleting)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy}},

		// Observed only.
		{"observed, and there", []func(*fixture){observed, mark(foreignMark), drifted(instance, driver.Restarts)},
			decision{Verb: Converge, Reason: v1alpha1.ReasonObserved}},
		{"no longer observed only, and without a mark", []func(*fixture){mark(driver.Mark{}), surelyUnmarked, func(s *fixture) { s.HasFinalizer, s.WasReady = false, false }},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"observed, without a mark", []func(*fixture){observed, mark(driver.Mark{})},
			decision{Verb: Converge, Reason: v1alpha1.ReasonObserved}},
		{"observed, and left behind by another namespace", []func(*fixture){observed, mark(leftByOthers)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"observed, and left behind by another namespace, and the platform consents", []func(*fixture){observed, mark(leftByOthers), consented},
			decision{Verb: Converge, Reason: v1alpha1.ReasonObserved}},
		{"observed, and another namespace's", []func(*fixture){observed, mark(othersMark)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"observed, and its own, where only that is allowed", []func(*fixture){observed, observeMarked, mark(beforeMark)},
			decision{Verb: Converge, Reason: v1alpha1.ReasonObserved}},
		{"observed, without a mark, where that is not allowed", []func(*fixture){observed, observeMarked, mark(driver.Mark{})},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"observed, and left behind, where that is not allowed", []func(*fixture){observed, observeMarked, mark(releasedMark)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"observed, and not there", []func(*fixture){observed, absent, sure},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotFound}},
		{"observed, and not shown just now", []func(*fixture){observed, absent},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, KeepConditions: true}},
		{"observed, and it can't be used", []func(*fixture){observed, full},
			decision{Verb: Stall, Reason: v1alpha1.ReasonFailed}},
		{"observed, and it can't be used yet", []func(*fixture){observed, unusable},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy}},
		{"observed, and deleted in the cloud", []func(*fixture){observed, state(driver.Deleting)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy}},
		{"observed, and deleted", []func(*fixture){observed, deleted},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},

		// Deletion.
		{"deleted", []func(*fixture){deleted},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting, Snapshot: true}},
		{"deleted, without a snapshot", []func(*fixture){deleted, withoutSnapshot},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting}},
		{"deleted, and never worked", []func(*fixture){deleted, state(driver.Failed), func(s *fixture) { s.WasReady = false }},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting}},
		{"deleted while the cloud is at work on it", []func(*fixture){deleted, state(driver.Pending)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting}},
		{"deleted, and the cloud is at it", []func(*fixture){deleted, state(driver.Deleting)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting}},
		{"deleted, and missing for the first time", []func(*fixture){deleted, absent},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting, KeepConditions: true}},
		{"gone, and the snapshot is being made", []func(*fixture){gone, snapshot(driver.Pending)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting}},
		{"gone, and the snapshot failed", []func(*fixture){gone, snapshot(driver.Failed)},
			decision{Verb: Stall, Reason: v1alpha1.ReasonFailed}},
		{"gone, and the snapshot was not seen", []func(*fixture){gone, snapshot(driver.Unknown)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting}},
		{"gone, and the snapshot is there", []func(*fixture){gone, snapshot(driver.Ready)},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting}},
		{"gone, and the snapshot is not shown", []func(*fixture){gone, snapshot(driver.Absent)},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting}},
		{"gone, and somebody else deleted it", []func(*fixture){gone, snapshot(driver.Absent), func(s *fixture) { s.SnapshotAbsenceSure = true }},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Lost: true}},
		{"gone, and it never worked", []func(*fixture){gone, snapshot(driver.Absent), func(s *fixture) { s.SnapshotAbsenceSure, s.WasReady = true, false }},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting}},
		{"deleted, taken over, and never as declared", []func(*fixture){deleted, neverApplied(v1alpha1.OriginAdopted)},
			decision{Verb: Release, Reason: v1alpha1.ReasonDeleting}},
		{"deleted, taken over, never as declared, and without its mark", []func(*fixture){deleted, neverApplied(v1alpha1.OriginAdopted), mark(driver.Mark{}), surelyUnmarked, withoutID},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},
		{"deleted, made, and never as declared", []func(*fixture){deleted, neverApplied(v1alpha1.OriginCreated)},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting, Snapshot: true}},
		{"deleted, never as declared, and made by 0.1.0", []func(*fixture){deleted, neverApplied("")},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting, Snapshot: true}},
		{"deleted, never as declared, and taken over by 0.1.0", []func(*fixture){deleted, neverApplied(""), adopt(v1alpha1.AdoptionIfExists)},
			decision{Verb: Release, Reason: v1alpha1.ReasonDeleting}},
		{"deleted, never as declared, and of another engine", []func(*fixture){deleted, neverApplied(""), contradicts},
			decision{Verb: Release, Reason: v1alpha1.ReasonDeleting}},
		{"retained", []func(*fixture){deleted, retained},
			decision{Verb: Release, Reason: v1alpha1.ReasonDeleting}},
		{"retained, and counted by a limit", []func(*fixture){deleted, retained, counted},
			decision{Verb: Stall, Reason: v1alpha1.ReasonClassViolated}},
		{"deleted, and counted by a limit", []func(*fixture){deleted, withoutSnapshot, counted},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting}},
		{"retained, and released before a crash", []func(*fixture){deleted, retained, mark(releasedMark)},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},
		{"deleted, but another's", []func(*fixture){deleted, mark(othersMark)},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},
		{"deleted, but another object has its name", []func(*fixture){deleted, func(s *fixture) { s.Seen.ID = "db-2" }},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},
		{"deleted, and somebody removed its mark", []func(*fixture){deleted, mark(driver.Mark{})},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting, Snapshot: true}},
		{"deleted, and the mark does not show yet", []func(*fixture){deleted, mark(driver.Mark{}), withoutID},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting}},
		{"deleted, and the mark is gone of what has no id", []func(*fixture){deleted, mark(driver.Mark{}), surelyUnmarked, withoutID},
			decision{Verb: Stall, Reason: v1alpha1.ReasonNotOwned}},
		{"retained, and the mark is gone of what has no id", []func(*fixture){deleted, retained, mark(driver.Mark{}), surelyUnmarked, withoutID},
			decision{Verb: RemoveFinalizer, Reason: v1alpha1.ReasonDeleting, Orphaned: true}},
		{"deleted, a working database that never was as declared", []func(*fixture){deleted, func(s *fixture) { s.WasReady = false }},
			decision{Verb: Delete, Reason: v1alpha1.ReasonDeleting, Snapshot: true}},
		{"gone before it was ever as declared, and its snapshot is being made", []func(*fixture){gone, snapshot(driver.Pending), func(s *fixture) { s.WasReady = false }},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting}},
		{"deleted under protection", []func(*fixture){deleted, protected},
			decision{Verb: Stall, Reason: v1alpha1.ReasonDeletionProtected}},
		{"deleted, protection lifted, and the cloud still shows it", []func(*fixture){deleted, protected, func(s *fixture) { s.InConsistencyWindow = true }},
			decision{Verb: Wait, Reason: v1alpha1.ReasonDeleting}},
		{"deleted under protection that the spec has lifted", []func(*fixture){deleted, protected, unprotect, edited(days, driver.Online)},
			decision{Verb: Update, Reason: v1alpha1.ReasonDeleting, Changes: []string{protection}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			for _, change := range tt.fixture {
				change(&s)
			}
			if diff := cmp.Diff(tt.want, decided(s.plan())); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, s.plan().Message)
			}
		})
	}
}

// notYetApplied is a difference that restarts, of a field that Mooring never set.
func notYetApplied(s *fixture) {
	drifted(instance, driver.Restarts)(s)
	delete(s.Applied, instance)
	s.Edited = true
}

// waits puts what waits in the fixture into its status, as a reconciliation does; then the edit is over.
func waits(s *fixture) {
	s.Edited = false
	s.Waiting = s.plan().Pending
}

func disruptive(p v1alpha1.DisruptivePolicy) func(*fixture) {
	return func(s *fixture) { s.Policy.Disruptive = p }
}

func adopt(p v1alpha1.Adoption) func(*fixture) { return func(s *fixture) { s.Policy.Adoption = p } }

func mark(m driver.Mark) func(*fixture) { return func(s *fixture) { s.Seen.Mark = m } }

func snapshot(x driver.State) func(*fixture) {
	return func(s *fixture) { s.Seen.Backup = &driver.Backup{FinalSnapshot: x} }
}

func partOfMark(s *fixture) { s.Seen.Mark.Name = "" }

func surelyUnmarked(s *fixture) { s.UnmarkedSure = true }
func markMissing(s *fixture)    { s.MarkMissing = true }
func unusable(s *fixture)       { s.Seen.Available = false }
func full(s *fixture)           { s.Seen.Available, s.Seen.Problem = false, "the disk is full" }
func sure(s *fixture)           { s.AbsenceSure = true }
func withoutID(s *fixture)      { s.ID, s.Seen.ID = "", "" }
func protected(s *fixture)      { s.Seen.Protected = true }
func unprotect(s *fixture) {
	s.Applied[protection] = []string{"true"}
	s.Seen.Changes = append(s.Seen.Changes, driver.Change{Field: protection, From: "true", To: "false", Effect: driver.Online})
}

// TestObservedShowsChanges: who only looks sees what would be changed, before they let it be changed.
func TestObservedShowsChanges(t *testing.T) {
	changes := []driver.Change{{Field: "aws.instanceClass", From: "db.t4g.small", To: "db.t4g.micro", Effect: driver.Restarts}}
	a := Plan(View{}, driver.Observation{State: driver.Ready, Available: true, Changes: changes}, Policy{Management: v1alpha1.ManagementObserve})
	want := []v1alpha1.PendingChange{{Field: "aws.instanceClass", From: "db.t4g.small", To: "db.t4g.micro", Effect: "Restarts", Cause: v1alpha1.CauseDrift}}
	if diff := cmp.Diff(want, a.Pending); diff != "" || len(a.Changes) > 0 {
		t.Errorf("changes %v; pending -want +got:\n%s", a.Changes, diff)
	}
}

// What the cloud is at work on is told wherever that is waited for.
func TestPlanSaysWhatTheCloudIsAtWorkOn(t *testing.T) {
	const says = "restarting it, since 2026-01-02 03:12 UTC"
	for name, change := range map[string]func(*fixture){
		"an object in use":        func(*fixture) {},
		"an object to be deleted": func(s *fixture) { s.Deleting = true },
		"one that lost its mark":  func(s *fixture) { s.Seen.Mark, s.UnmarkedSure = driver.Mark{}, true },
		"deleted by others":       func(s *fixture) { s.Seen.State = driver.Deleting },
	} {
		s := settled()
		state(driver.Pending)(&s)
		change(&s)
		s.Seen.Work = driver.Work{What: "restarting it", Since: time.Date(2026, 1, 2, 3, 12, 0, 0, time.UTC)}
		if a := s.plan(); a.Verb != Wait || !strings.Contains(a.Message, ": "+says) {
			t.Errorf("%s: %s, %q", name, a.Verb, a.Message)
		}
	}
}

// What can be in no cloud object is not told as if it had been otherwise before.
func TestEntryThatNoCloudObjectHas(t *testing.T) {
	never := []driver.Change{{Field: "parameters", To: "worl_mem=1", Why: "worl_mem: no parameter of postgres16", Effect: driver.Impossible, Entries: true}, {Field: "engine", From: "mysql", To: "postgres", Effect: driver.Impossible}}
	if got := impossible(never[:1]); got != "spec.parameters is refused: worl_mem: no parameter of postgres16" || whyNever(never[:1]) != v1alpha1.ReasonInvalid {
		t.Errorf("%s: %q", whyNever(never[:1]), got)
	}
	if whyNever(never) != v1alpha1.ReasonImmutable {
		t.Errorf("beside a field that can't change: %s", whyNever(never))
	}
}

// What has no mark may be the one that the object had, or a stranger's.
func TestWithoutAMark(t *testing.T) {
	for says, v := range map[string]View{
		"has no mark of Mooring any more":  {Bound: true, WasReady: true},
		"does not have Mooring's mark":     {Bound: true},
		"exists and does not have Mooring": {},
	} {
		if got := planForeign(Unmarked, v, driver.Observation{State: driver.Ready}, Policy{}); !strings.Contains(got.Message, says) || !strings.Contains(got.Message, "IfExists") {
			t.Errorf("%+v: %q, want %q", v, got.Message, says)
		}
	}
}
