package outcome

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Facts are what a reconciliation knows beside its object. They are values; nobody changes them.
type Facts struct {
	Kind     *kind.Kind
	Deleting bool
	Policy   plan.Policy
	View     plan.View
	// Class is what the object's class makes of it; nil if it goes by none. Config leads to the account.
	Class  *class.Resolution
	Config identity.Key
	// Provider and Account are where the connection leads; empty as far as that is not known.
	Provider string
	Account  driver.AccountID
	Request  driver.Request
	// Observed: Observation holds what was observed in this reconciliation.
	Observed bool
	// Usable is whether the cloud object could be used when it was seen beside an operation that failed: it counts as not observed then. It is nil for other reconciliations.
	Usable      *bool
	Observation driver.Observation
	// KeepsPrimary: the server followed another one until now, and it is not stored yet that it gets a password of its own for that. The status says on that it follows: else
	// nothing would tell any more that the password may be another than the stored one.
	KeepsPrimary bool
	// Unobserved: the cloud object was not observed for two sync periods, or for longer than retry.StaleAfterRateLimited where it is only late. Paces: its
	// account's calls are limited.
	Unobserved, Paces bool
	Now               time.Time
	// Redact cuts secret values out of a message.
	Redact func(string) string
}

// Described is an object whose status is in line with an outcome and what was observed.
type Described struct {
	Object v1alpha1.ResourceObject
	// Released are the fields that are no longer managed, because the spec no longer has them.
	Released []string
	// Own: the object may see what was observed, and stands for it. Mirrored: the status shows it.
	Own, Mirrored bool
}

// Describe returns a copy of the object whose status is in line with an outcome and what was observed; nothing changes in it that need not. It leaves out what features
// say: phases call feature.Set.Describe.
func (f Facts) Describe(object v1alpha1.ResourceObject, out Outcome) Described {
	described := Described{Object: object.DeepCopyObject().(v1alpha1.ResourceObject)}
	status := described.Object.GetResourceStatus()
	creating := out.State == condition.Progressing && !out.KeepConditions
	if f.Observed {
		f.describeObserved(&described, creating, out)
	}
	if out.Planned && !out.Undecided || out.Voided {
		status.Plan = f.rules(NextPlan(status.Plan, out.Hash), out.Pending)
	}
	exists := f.Observed && f.Observation.State != driver.Absent
	unlisted := out.Undecided && len(out.Pending) == 0 && exists && !f.Deleting // nobody compared, so what waited waits on
	if (out.Planned || out.PendingKnown) && !unlisted && !creating {            // what is still to be set on a new object is no news, and would be a write
		status.PendingChanges = out.Pending
	}
	if !out.KeepConditions {
		f.describeState(described.Object, out, creating)
	}
	return described
}

// describeState brings the conditions in line with an outcome, and what goes with them.
func (f Facts) describeState(object v1alpha1.ResourceObject, out Outcome, creating bool) {
	status, generation := object.GetResourceStatus(), object.GetGeneration()
	// What the class says is recorded together with what differs, and never before it: else nobody could tell any more
	// that the class made the difference.
	if out.Planned && status.ExternalName != "" && f.Account != "" && !f.Deleting && f.Policy.Refused.Reason == "" {
		f.DescribeClass(status)
	}
	if f.Deleting && out.State == condition.Stalled {
		out.State = condition.DeletionStalled
	}
	u := condition.Update{
		State: out.State, Reason: out.Reason, Message: f.Redact(out.Message),
		Available: f.available(), Unobserved: f.Unobserved, Generation: generation, Now: metav1.NewTime(f.Now),
	}
	if f.Observed && plan.IsDown(f.Observation) {
		u.Unavailable = v1alpha1.ReasonStopped
	}
	condition.Set(&status.Conditions, u)
	if out.State.Evaluated() {
		status.ObservedGeneration = generation
	}
	if out.State.Current() && f.Observed {
		status.AppliedGeneration = generation
	}
	// What has worked may hold data, whether or not it is as declared: it is never taken for new again. A server that is stopped has run before. What
	// was copied or restored has the data of another one, and nobody uses it before it is as declared. What has no data of its own is new until it is as declared, too.
	creating = creating || (f.View.Inherits() || f.View.Unfinished() || f.View.DataElsewhere != "") && !out.State.Current()
	if worked := f.Observation.Available || f.Observation.Stopped; status.FirstReadyTime == nil && !creating && f.Observed && worked && plan.Ownership(f.View, f.Observation) == plan.Ours {
		status.FirstReadyTime = &metav1.Time{Time: f.Now.Truncate(time.Second)}
	}
}

// DescribeClass notes what the object has from its class, once it is known to lead to the object's account.
func (f Facts) DescribeClass(status *v1alpha1.ResourceStatus) {
	status.ProviderConfigRef = &v1alpha1.BoundProviderConfig{Kind: f.Config.Kind, Name: f.Config.Name}
	switch {
	case f.Class == nil:
		status.ClassName, status.Effective = "", nil
	case f.Class.Class != nil:
		status.ClassName = f.Class.Name
		status.Effective = f.Class.Effective.Stored(status.Effective)
	}
}

// describeObserved mirrors the observation. While an object is being created the mirror waits until that is
// over: nobody needs it, and each change of it would be a write.
func (f Facts) describeObserved(described *Described, creating bool, out Outcome) {
	object, o := described.Object, f.Observation
	status := object.GetResourceStatus()
	if o.State == driver.Absent || o.State == driver.Unknown {
		return
	}
	observeOnly := f.Policy.Management == v1alpha1.ManagementObserve
	if observeOnly && !plan.MayObserve(f.View, o, f.Policy) {
		return
	}
	if observeOnly && status.ExternalName == "" {
		status.ExternalName, status.Provider = f.Request.Name, f.Provider
		status.AccountID = string(f.Account)
		f.Kind.SetParentRef(object, f.Request.Parent)
	}
	if status.Operation == f.Request.Operation && (o.Operation != "" || o.State == driver.Ready) { // else what was just begun is newer
		status.Operation = o.Operation
	}
	if plan.Ownership(f.View, o) != plan.Ours && !observeOnly {
		return // what is not ours is not mirrored: it may be another tenant's
	}
	status.Location = f.Place()
	if !observeOnly {
		f.Kind.RecordOwnership(object)
	}
	if o.ID != "" {
		status.ExternalID = o.ID
	}
	described.Own = true
	noted := f.noted(status, out)
	if creating && !gains(status.Applied, noted) && !adds(status.Applied, noted, out.Sends) {
		return
	}
	f.mirror(object)
	described.Mirrored, described.Released = true, f.describeApplied(status, noted)
}

// noted returns what is noted as applied; nil if that is not known.
func (f Facts) noted(status *v1alpha1.ResourceStatus, out Outcome) driver.Applied {
	if f.Observation.Applied == nil {
		return nil
	}
	return plan.Noted(f.Observation.Applied, status.Applied, f.Observation.Changes, out.Sends, out.Unset)
}

// mirror shows in the status what was observed.
func (f Facts) mirror(object v1alpha1.ResourceObject) {
	if err := object.SetObserved(f.Observation.Mirror); err != nil {
		logf.Log.Error(err, "the driver's mirror does not match the schema of the spec")
	}
	if f.Kind.SetEndpoint != nil {
		f.Kind.SetEndpoint(object, f.Observation.Endpoint)
	}
	if f.Observation.Fixed != nil {
		object.GetResourceStatus().Fixed = f.Observation.Fixed
	}
}

// describeApplied notes what is set in the cloud, and returns what the spec no longer has.
func (f Facts) describeApplied(status *v1alpha1.ResourceStatus, noted driver.Applied) (released []string) {
	if f.Policy.Refused.Reason != "" || noted == nil {
		return nil // what is wanted is not known, so nothing is released
	}
	switch {
	case f.Deleting:
		return nil
	case f.Policy.Management != v1alpha1.ManagementFull: // what Mooring set before stays known as that, for when it manages the object again
		if !f.View.InConsistencyWindow {
			status.Applied = plan.StillThere(status.Applied, f.Observation.Changes)
		}
		return nil
	}
	applied := map[string][]string(maps.Clone(noted))
	for _, name := range []string{plan.FieldPassword, plan.FieldSource} { // which the driver can't know
		if noted, ok := status.Applied[name]; ok {
			applied[name] = noted
		}
	}
	for name := range status.Applied {
		if _, still := applied[name]; !still && name != driver.FieldUsername {
			released = append(released, name)
		}
	}
	status.Applied = applied
	if f.View.Inherits() {
		return nil // what a new copy does not keep of what it was made of is no news
	}
	slices.Sort(released)
	return released
}

// Place returns where the cloud object was observed; before it was, where it is to be.
func (f Facts) Place() string {
	if f.Observation.Location != "" {
		return f.Observation.Location
	}
	return f.Request.Location
}

// NotObserved says that an object was not observed for long, and why. paces says that its account's calls are limited.
func NotObserved(paces bool, why string) string {
	if paces {
		return "not observed for more than an hour: the cloud limits the calls of the account, and Mooring makes as many as it takes; see the status of the provider config: " + why
	}
	return "not observed for two sync periods: " + why
}

// available returns what the cloud said; nil if it was not asked.
func (f Facts) available() *bool {
	switch {
	case !f.Observed:
		return f.Usable
	case f.Observation.State == driver.Unknown:
		return nil
	}
	return &f.Observation.Available
}

// gains reports whether after names a field that before does not.
func gains(before, after map[string][]string) bool {
	for name := range after {
		if _, had := before[name]; !had {
			return true
		}
	}
	return false
}

// adds reports whether after has a name of an entry that changes are to add, and that before does not have.
func adds(before, after map[string][]string, changes []driver.Change) bool {
	return slices.ContainsFunc(changes, func(c driver.Change) bool {
		return slices.ContainsFunc(c.Adds, func(name string) bool {
			return slices.Contains(after[c.Field], name) && !slices.Contains(before[c.Field], name)
		})
	})
}

// NextPlan returns the plan's status: once nothing waits any more the serial moves on, and an
// approval of old is good for nothing.
func NextPlan(before *v1alpha1.PlanStatus, hash string) *v1alpha1.PlanStatus {
	switch {
	case before == nil && hash == "":
		return nil
	case before == nil:
		return &v1alpha1.PlanStatus{Hash: hash}
	case before.Hash != "" && hash == "":
		return &v1alpha1.PlanStatus{Serial: before.Serial + 1}
	default:
		return &v1alpha1.PlanStatus{Hash: hash, Serial: before.Serial}
	}
}

// rules notes in a plan's status what the object's own spec says of updates, as long as something waits by that.
func (f Facts) rules(p *v1alpha1.PlanStatus, pending []v1alpha1.PendingChange) *v1alpha1.PlanStatus {
	own := f.View.Own
	if !slices.ContainsFunc(pending, func(c v1alpha1.PendingChange) bool { return c.WaitsFor != "" }) {
		own = plan.OwnRules{}
	}
	if p == nil && own == (plan.OwnRules{}) {
		return nil
	}
	noted := v1alpha1.PlanStatus{Disruptive: string(own.Disruptive), Timing: string(own.Timing)}
	if p != nil {
		noted.Hash, noted.Serial = p.Hash, p.Serial
	}
	return &noted
}

// WhileDeleting returns an outcome as that of an object that is being deleted, if it is.
func WhileDeleting(deleting bool, out Outcome) Outcome {
	switch {
	case !deleting:
	case out.State == condition.Stalled:
		out.State = condition.DeletionStalled
	case out.State == condition.RetryingLong || out.State == condition.Unobserved:
		out.State, out.Reason = condition.Deleting, v1alpha1.ReasonDeleting
	}
	return out
}

// Stalled returns the condition that an object stalls at this generation of the spec; nil if it does not.
func Stalled(object v1alpha1.ResourceObject) *metav1.Condition {
	c := meta.FindStatusCondition(object.GetResourceStatus().Conditions, v1alpha1.ConditionStalled)
	if c == nil || c.Status != metav1.ConditionTrue || c.ObservedGeneration != object.GetGeneration() {
		return nil
	}
	return c
}
