package preview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Deletion returns what the deletion of an object does.
func (p *Preview) Deletion(ctx context.Context, obj v1alpha1.ResourceObject) (Report, error) {
	m, err := p.merge(ctx, obj)
	if err != nil {
		return Report{}, err
	}
	status := obj.GetResourceStatus()
	view := plan.StoredView(obj, status)
	view.Enforced = m.enforced()
	view.Mark = ownMark(obj)
	d := deletionLines{
		kind:   p.Kind.Name,
		status: status, policy: m.policy, held: view.HasFinalizer, bound: view.Bound, enforced: view.Enforced, origin: status.Origin, uid: string(obj.GetUID()),
		name: cmp.Or(status.ExternalName, p.Kind.ChosenName(obj)), paused: m.paused(),
		secrets: plan.ConnectionSecrets(status, nil), lacks: m.lacks,
	}
	d.unconfirmed = status.ExternalID == "" && status.Operation == "" && status.FirstReadyTime == nil && obj.GetObserved() == nil && status.Origin == v1alpha1.OriginCreated
	d.observed, _ = p.Observed(client.ObjectKeyFromObject(obj))
	if p.Children != nil {
		if d.children, err = p.Children(ctx, obj); err != nil {
			return Report{}, err
		}
	}
	d.force = m.want.GetForceDestroy()
	d.cloud, d.undriven = p.described(status.Provider).Consequences, p.undriven(status.Provider)
	d.noun = cmp.Or(d.cloud.Noun, "the cloud object") + " " + d.name
	expected, err := p.expected(obj, m.want, view)
	if err != nil {
		return Report{}, err
	}
	view.Children = d.children
	in := p.state(m, view, expected)
	if _, err := p.Features.Gather(ctx, &in, func(f feature.Feature) feature.Gather { return f.Guard }); err != nil {
		return Report{}, err
	}
	p.Features.Interpret(&in)
	d.elsewhere, d.Ending = in.View.DataElsewhere, plan.EndingOf(in.View, in.Observation, m.policy)
	return Report{Consequences: d.lines()}, nil
}

// DeletionEdit returns what the deletion of an object that is being deleted does after an edit. The report is empty if that is what it does before.
func (p *Preview) DeletionEdit(ctx context.Context, old, object v1alpha1.ResourceObject) (Report, error) {
	before, err := p.Deletion(ctx, old)
	if err != nil {
		return Report{}, err
	}
	after, err := p.Deletion(ctx, object)
	if slices.Equal(before.Consequences, after.Consequences) {
		return Report{}, err
	}
	return after, err
}

// expected returns what the cloud is expected to show, by what is stored of an object.
func (p *Preview) expected(obj, want v1alpha1.ResourceObject, v plan.View) (driver.Observation, error) {
	status := obj.GetResourceStatus()
	o := expectedObservation(status, v)
	if o.State == driver.Absent {
		return o, nil
	}
	to := want.GetParameters()
	from := obj.GetObserved()
	if from == nil { // nobody has looked at it yet
		from = to
	}
	has, err := class.TreeOf(from)
	if err != nil {
		return o, err
	}
	o.Protected = has[plan.FieldProtection] == true
	o.Changes, err = p.changesOf(status.Provider, from, to, driver.Applied(status.Applied))
	return o, err
}

// deletionLines puts what is known of a deletion into words.
type deletionLines struct {
	plan.Ending
	status      *v1alpha1.ResourceStatus
	policy      plan.Policy
	held, bound bool
	// unconfirmed: the cloud confirmed nothing of a creation, and nothing was observed.
	unconfirmed bool
	paused      bool
	force       bool
	enforced    class.Fields
	origin      v1alpha1.Origin
	cloud       driver.Consequences
	// undriven says that nothing can be done in the cloud; empty if that is not so.
	undriven string
	// noun is the cloud object: RDS instance NAME.
	noun, name, uid string
	secrets         []string
	// kind is the object's kind, and children are within it.
	kind     string
	children []string
	// elsewhere says where its data is, if it has none of its own.
	elsewhere string
	observed  time.Time
	// lacks: the object asks for something that its cloud does not have, which keeps nobody from deleting it.
	lacks bool
}

func (d *deletionLines) lines() []string {
	if d.policy.Management != v1alpha1.ManagementObserve {
		switch {
		case !d.held && d.bound:
			return []string{d.noun + " stays, and Mooring no longer manages it: this object has lost the finalizer " + v1alpha1.FinalizerResource + ", so it is removed at once"}
		case !d.held, !d.bound:
			return []string{"nothing was created in the cloud for this object, so nothing is deleted there"}
		case d.status.CreationRefused:
			return []string{"nothing is in the cloud, which refused the creation, so nothing is deleted there"}
		case d.undriven != "":
			return []string{d.undriven}
		}
	}
	return slices.Concat(d.childrenLine(), d.Waits, d.objectLines(), d.secretLine(), d.obstacles(), d.age())
}

// childrenLine says what becomes of the objects within it, and whether the deletion waits for them.
func (d *deletionLines) childrenLine() []string {
	names, it := plan.NamesOf(d.children), plan.ItOrThem(d.children)
	is, stays, was := "is", "stays", "was"
	if len(d.children) > 1 {
		is, stays, was = "are", "stay", "were"
	}
	switch {
	case len(d.children) == 0:
		return nil
	case len(d.InUseBy) > 0:
		return []string{"the deletion waits, because " + names + " would be gone with it; delete " + it + " first"}
	case d.stays():
		return []string{fmt.Sprintf("%s %s within it and %s in the cloud too; Mooring does not reconcile %s until a %s of this name manages %s again, and deletes %s only if you delete %s",
			names, is, stays, it, d.kind, d.noun, it, it)}
	default:
		return []string{names + " " + was + " within it; delete " + it + " too"}
	}
}

// objectLines say what becomes of the cloud object.
func (d *deletionLines) objectLines() []string {
	switch d.Effect {
	case plan.DeletionLeavesObserved:
		return []string{"nothing changes in the cloud: " + d.noun + " is only observed (management Observe)"}
	case plan.DeletionFindsNothing:
		if d.LosesData {
			return []string{"the cloud no longer has " + d.noun + ": nothing is deleted there, and no final snapshot can be taken"}
		}
		return []string{"the cloud no longer has " + d.noun + ": nothing is deleted there"}
	case plan.DeletionInProgress:
		return []string{"the cloud is deleting " + d.noun + " already"}
	case plan.DeletionReleases:
		if d.policy.Deletion == v1alpha1.DeletionRetain {
			return []string{"deletionPolicy Retain: " + d.noun + " stays, marked as released, and Mooring no longer manages it"}
		}
		return []string{d.noun + " stays: it existed before this object took it over, and was never as this object declares"}
	case plan.DeletionProtected, plan.DeletionDestroys:
		return d.destruction()
	default:
		lines := []string{d.noun + " did not have this object's mark when it was last observed; what belongs to another object stays in the cloud"}
		if d.MayNeedApproval {
			lines = append(lines, "if it has lost its mark, the deletion waits for you: set spec.deletionPolicy: Retain to leave it in the cloud")
		}
		return lines
	}
}

// destruction says what is deleted, and what is kept of it.
func (d *deletionLines) destruction() []string {
	first := d.noun
	if d.Effect == plan.DeletionProtected {
		first = "once its deletion protection is off, " + d.noun
	}
	snapshot := fmt.Sprintf("; a final snapshot %s is taken first", plan.SnapshotName(d.name, d.uid))
	switch {
	case d.cloud.Contents != "" && d.force:
		return []string{fmt.Sprintf("%s is deleted for good with its contents (forceDestroy): %s", first, d.cloud.Contents)}
	case d.cloud.Contents != "" && d.enforced.Has("forceDestroy"):
		return []string{first + " is deleted if it is empty; while it has contents the cloud refuses that, and the deletion waits until somebody empties it"}
	case d.cloud.Contents != "":
		return []string{first + " is deleted if it is empty; while it has contents the cloud refuses that, and the deletion waits until it is empty or spec.forceDestroy is true"}
	case d.MaybeSnapshot && d.unconfirmed:
		return []string{first + " is deleted, should its creation have come that far, which the cloud has not confirmed; a final snapshot is taken only of a server that works by then"}
	case d.MaybeSnapshot:
		return []string{first + " is deleted" + snapshot + " if it works by then, and stays " + d.cloud.SnapshotKept}
	case d.Snapshot:
		return append([]string{first + " is deleted" + snapshot + " and stays " + d.cloud.SnapshotKept}, nonEmpty(d.cloud.WithSnapshot)...)
	case d.elsewhere != "":
		return []string{first + " is deleted without a final snapshot: " + d.elsewhere}
	case d.policy.Deletion == v1alpha1.DeletionSnapshot:
		return []string{first + " is deleted without a final snapshot, because it was never usable"}
	case d.cloud.SnapshotKept == "":
		return append([]string{"deletionPolicy Delete: " + first + " is deleted, and its data is lost for good"}, nonEmpty(d.cloud.WithoutSnapshot)...)
	default:
		return append([]string{"deletionPolicy Delete: " + first + " is deleted without a final snapshot, and its data is lost for good"}, nonEmpty(d.cloud.WithoutSnapshot)...)
	}
}

// secretLine says what becomes of the connection Secret.
func (d *deletionLines) secretLine() []string {
	if len(d.secrets) == 0 {
		return nil
	}
	noun, verb := "the connection Secret ", " is deleted with it"
	if d.stays() {
		verb = " stays"
	}
	if len(d.secrets) > 1 {
		noun, verb = "the connection Secrets ", strings.Replace(strings.Replace(verb, " is ", " are ", 1), "stays", "stay", 1)
	}
	return []string{noun + strings.Join(d.secrets, ", ") + verb}
}

// stays reports whether the cloud object is left in the cloud.
func (d *deletionLines) stays() bool {
	switch d.Effect {
	case plan.DeletionFindsNothing, plan.DeletionInProgress, plan.DeletionProtected, plan.DeletionDestroys:
		return false
	default:
		return true
	}
}

// obstacles say what the deletion waits for.
func (d *deletionLines) obstacles() (lines []string) {
	if d.StopsBecause != "" {
		lines = append(lines, "nothing is deleted for now: "+d.StopsBecause)
	}
	if d.LiftsProtection {
		lines = append(lines, "its deletion protection is lifted first, because spec.deletionProtection is false")
	}
	if !d.held {
		return lines
	}
	if d.paused {
		lines = append(lines, "nothing happens until the annotation "+v1alpha1.AnnotationPaused+" is removed")
	}
	reason := reasonOfCondition(d.status, v1alpha1.ConditionStalled)
	if d.lacks && reason == v1alpha1.ReasonNotSupported { // a deletion needs nothing of what the spec asks for
		return lines
	}
	switch reason {
	case v1alpha1.ReasonAccountChanged, v1alpha1.ReasonNotSupported, v1alpha1.ReasonProviderConfigNotFound, v1alpha1.ReasonCredentialsNotFound, v1alpha1.ReasonCredentialsInvalid:
		stalled := meta.FindStatusCondition(d.status.Conditions, v1alpha1.ConditionStalled)
		lines = append(lines, "nothing happens until this is put right: "+stalled.Message)
	default: // the cloud can be reached, as far as is known
	}
	return lines
}

// age says how old the observation is by which all this is said.
func (d *deletionLines) age() []string {
	if !d.observed.IsZero() {
		return []string{"the cloud was last observed at " + d.observed.UTC().Format("2006-01-02 15:04:05") + " UTC"}
	}
	c := meta.FindStatusCondition(d.status.Conditions, v1alpha1.ConditionAvailable)
	if c != nil && v1alpha1.Reason(c.Reason) == v1alpha1.ReasonNotObserved {
		return []string{"the cloud could not be observed lately; this is said by what was stored before " + c.LastTransitionTime.UTC().Format("2006-01-02 15:04:05") + " UTC"}
	}
	return nil
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
