package preview

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Edit returns what an edit of an object changes, compared with what was last observed. The report is empty if the edit changes nothing in the cloud.
func (p *Preview) Edit(ctx context.Context, old, object v1alpha1.ResourceObject) (Report, error) {
	e, err := p.edit(ctx, old, object)
	if err != nil {
		return Report{}, err
	}
	report, err := e.changes()
	if err != nil {
		return Report{}, err
	}
	report.Consequences = slices.Concat(e.policyLines(), e.credentialLines(), e.takeoverLines())
	if report.Unresolved, err = e.unresolved(); err != nil {
		return Report{}, err
	}
	report.Released, err = e.released()
	return report, err
}

// An edit is an object as it is stored, and as it will be stored.
type edit struct {
	*Preview
	before, after merged
}

func (p *Preview) edit(ctx context.Context, old, object v1alpha1.ResourceObject) (e edit, err error) {
	e.Preview = p
	if e.before, err = p.merge(ctx, old); err == nil {
		e.after, err = p.merge(ctx, object)
	}
	return e, err
}

// changes reports what changes in the cloud.
func (e *edit) changes() (Report, error) {
	before, err := e.outlook(e.before)
	if err != nil {
		return Report{}, err
	}
	after, err := e.outlook(e.after)
	if err != nil {
		return Report{}, err
	}
	news := slices.DeleteFunc(slices.Clone(after.Changes), func(c plan.Decided) bool {
		return before.obstacle == after.obstacle && slices.ContainsFunc(before.Changes, func(other plan.Decided) bool { return sameChange(c, other) })
	})
	if len(news) == 0 {
		return Report{Remarks: e.withoutDriver()}, nil
	}
	compared := "the earlier spec: the cloud object was not observed yet"
	if e.after.object.GetObserved() != nil {
		compared = "what Mooring last observed, " + e.age()
	}
	report := reportOf(news, after.obstacle, compared)
	report.Remarks = e.Features.Remarks(e.state(e.after, plan.View{}, driver.Observation{}), news)
	return report, nil
}

// released returns the fields that the edit takes out of the spec, and that stay in the cloud as they are. A field that returns to a safe
// value is a change. It says nothing of an object of which nothing was observed yet.
func (e *edit) released() (names []string, err error) {
	status := e.after.object.GetResourceStatus()
	if e.after.object.GetObserved() == nil { // what is applied then is what a creation is to set, and nothing may be there
		return nil, nil
	}
	before, err := class.TreeOf(e.before.want.GetParameters())
	if err != nil {
		return nil, err
	}
	after, err := class.TreeOf(e.after.want.GetParameters())
	if err != nil || e.after.policy.Management == v1alpha1.ManagementObserve {
		return nil, err
	}
	planned, err := e.outlook(e.after)
	if err != nil {
		return nil, err
	}
	for _, d := range e.described(status.Provider).Fields {
		_, ours := status.Applied[d.Field]
		changes := slices.ContainsFunc(planned.Changes, func(c plan.Decided) bool { return c.Field == d.Field })
		if ours && !changes && class.HasField(before, d.Field) && !class.HasField(after, d.Field) {
			names = append(names, d.Field)
		}
	}
	return names, nil
}

// withoutDriver warns of an edit of parameters that nothing in this controller can bring to the cloud.
func (e *edit) withoutDriver() []string {
	status := e.after.object.GetResourceStatus()
	why := e.undriven(status.Provider)
	if status.ExternalName == "" || why == "" || equality.Semantic.DeepEqual(e.before.want.GetParameters(), e.after.want.GetParameters()) {
		return nil
	}
	return []string{why}
}

// sameChange reports whether two changes lead from and to the same, and have the same fate, now and once the server runs, in the same window.
func sameChange(c, other plan.Decided) bool {
	return c.Field == other.Field && c.From == other.From && c.To == other.To && c.Fate == other.Fate && c.Asks == other.Asks && reflect.DeepEqual(c.Window, other.Window)
}

// An outlook is what the next plan for an object would decide.
type outlook struct {
	plan.DecidedChanges
	obstacle
}

// outlook decides what the plan will, for the object before the edit or after it. It returns nothing for what the class refuses or the cloud
// does not have, which admission says itself.
func (e *edit) outlook(m merged) (outlook, error) {
	if m.lacks || m.refused != nil {
		return outlook{}, nil
	}
	changes, err := e.differences(m)
	if err != nil || len(changes) == 0 {
		return outlook{}, err
	}
	v := plan.ViewOf(m.object, m.object.GetResourceStatus(), m.class)
	v.NoteRestore(e.Kind, m.want, m.object)
	v.Mark, v.Now = ownMark(m.object), e.Now()
	if !reflect.DeepEqual(e.before.object.GetSpec(), m.object.GetSpec()) {
		v.Edited = true // it will have a new generation
	}
	seen := expectedObservation(m.object.GetResourceStatus(), v)
	seen.Changes = changes // those of features included
	in := e.state(m, v, seen)
	e.Features.Interpret(&in)
	return outlook{plan.Decide(in.View, in.Observation.Changes, m.policy), obstacleOf(m, in, m.config == e.before.config && !e.before.lacks && !mends(e, m))}, nil
}

// mends reports whether the object is stalled for what its class, or the lack of one, refused it before the edit and no longer does after it.
func mends(e *edit, m merged) bool {
	stalled := meta.FindStatusCondition(m.object.GetResourceStatus().Conditions, v1alpha1.ConditionStalled)
	return e.before.refusedFor(stalled) && !m.refusedFor(stalled)
}

// differences returns what differs between what was last observed and what is wanted. While nothing was observed only the earlier spec tells
// what is being created: then it returns what can't be changed in that.
func (e *edit) differences(m merged) ([]driver.Change, error) {
	status, mirror := m.object.GetResourceStatus(), m.object.GetObserved()
	observed := e.before.object.GetResourceSpec().Management == v1alpha1.ManagementObserve && mirror != nil
	if e.Drivers[status.Provider] == nil || status.ExternalName == "" && !observed {
		return nil, nil // nothing was created yet, so nothing changes
	}
	if mirror != nil {
		changes, err := e.changesOf(status.Provider, mirror, m.want.GetParameters(), status.Applied)
		return slices.Concat(changes, e.username(m), waitingPassword(m.want, status), waitingSource(plan.CloudManages(e.Kind, m.want), status), e.ofFeatures(m)), err
	}
	changes, err := e.changesOf(status.Provider, e.before.want.GetParameters(), m.want.GetParameters(), nil)
	return slices.DeleteFunc(changes, func(c driver.Change) bool { return c.Effect != driver.Impossible || c.From == "" }), err
}

// ofFeatures returns the differences that features alone know: neither the spec nor the mirror shows them.
func (e *edit) ofFeatures(m merged) []driver.Change {
	in := e.state(m, plan.View{}, driver.Observation{})
	return e.Features.Interpret(&in)
}

// waitingPassword returns the replacement of a password that only others know, if it waits for approval. Neither the spec nor the mirror
// shows it.
func waitingPassword(want v1alpha1.ResourceObject, status *v1alpha1.ResourceStatus) (changes []driver.Change) {
	if c := want.GetCredentials(); c != nil && c.PasswordSecretRef != nil {
		return nil
	}
	for _, w := range status.PendingChanges {
		c := driver.Change{Field: w.Field, From: w.From, To: w.To, Effect: driver.Effect(w.Effect), Why: plan.WhyReplaced}
		if plan.PasswordChange(c) == driver.SetPassword && c.Effect == driver.Irreversible {
			changes = append(changes, c)
		}
	}
	return changes
}

// waitingSource returns the change of who manages the password, if it waits for approval and the spec asks for it. Neither the spec nor the mirror shows
// what is in the cloud. managed: the spec has the cloud manage it.
func waitingSource(managed bool, status *v1alpha1.ResourceStatus) (changes []driver.Change) {
	for _, w := range status.PendingChanges {
		c := driver.Change{Field: w.Field, From: w.From, To: w.To, Effect: driver.Effect(w.Effect)}
		switch change := plan.PasswordChange(c); {
		case c.Effect != driver.Irreversible:
			continue
		case change == driver.HandOverPassword && managed:
			c.Why = plan.WhyHandedOver
		case change == driver.TakeBackPassword && !managed:
			c.Why = plan.WhyTakenBack
		default:
			continue
		}
		changes = append(changes, c)
	}
	return changes
}

// username returns the change of an administrator's name, which is no parameter: none can be renamed.
func (e *edit) username(m merged) []driver.Change {
	if !e.Kind.Login {
		return nil
	}
	status := m.object.GetResourceStatus()
	login, now := m.want.GetCredentials(), status.Fixed[driver.FieldUsername]
	if applied := status.Applied[driver.FieldUsername]; now == "" && len(applied) == 1 {
		now = applied[0]
	}
	if login == nil || login.Username == nil || *login.Username == "" || now == "" || strings.EqualFold(*login.Username, now) {
		return nil
	}
	c := driver.Change{Field: driver.FieldUsername, From: now, To: *login.Username, Effect: driver.Impossible}
	for _, d := range e.described(status.Provider).Fields {
		if d.Field == driver.FieldUsername && len(d.Effects) > 0 {
			c.Why = d.Effects[len(d.Effects)-1].Instead
		}
	}
	return []driver.Change{c}
}

// age says how old the observation of the object is.
func (e *edit) age() string {
	at, known := e.Observed(client.ObjectKeyFromObject(e.after.object))
	if !known {
		return "at a time that this replica of Mooring does not know"
	}
	switch minutes := int(e.Now().Sub(at).Minutes()); minutes {
	case 0:
		return "less than a minute ago"
	case 1:
		return "1 minute ago"
	default:
		return fmt.Sprintf("%d minutes ago", minutes)
	}
}
