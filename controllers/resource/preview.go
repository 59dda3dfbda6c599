package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/controllers/resource/plan"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Previewer says what an edit of an object would change in the cloud, compared with what was last observed. It calls no cloud and
// writes nothing.
type Previewer struct {
	Kind    *kind.Kind
	Classes *class.Resolver
	// Drivers are the clouds, by their name.
	Drivers map[string]driver.Driver
	// Observed returns when an object's cloud object was last observed; false if this process does not know.
	Observed func(client.ObjectKey) (time.Time, bool)
	Now      func() time.Time
}

// Warnings returns what to tell whoever makes an edit, the dangerous first; nothing if the edit changes nothing in the cloud.
func (p *Previewer) Warnings(ctx context.Context, old, object v1alpha1.ResourceObject) ([]string, error) {
	policies, err := p.policyLines(ctx, old, object)
	if err != nil {
		return nil, err
	}
	takeover, err := p.takeoverLines(ctx, old, object)
	if err != nil {
		return nil, err
	}
	lines, err := p.changeLines(ctx, old, object)
	return slices.Concat(policies, takeover, lines), err
}

// changeLines says what changes in the cloud.
func (p *Previewer) changeLines(ctx context.Context, old, object v1alpha1.ResourceObject) ([]string, error) {
	before, err := p.outlook(ctx, old, old)
	if err != nil {
		return nil, err
	}
	after, err := p.outlook(ctx, old, object)
	if err != nil {
		return nil, err
	}
	news := slices.DeleteFunc(slices.Clone(after.Changes), func(c plan.Decided) bool {
		return before.obstacle == after.obstacle && slices.ContainsFunc(before.Changes, func(other plan.Decided) bool { return sameChange(c, other) })
	})
	if len(news) == 0 {
		return p.withoutDriver(ctx, old, object)
	}
	last := "Compared with the earlier spec: the cloud object was not observed yet"
	if object.GetObserved() != nil {
		last = "Compared with what Mooring last observed, " + p.age(object)
	}
	return previewLines(news, after.obstacle, last), nil
}

// withoutDriver warns of an edit of parameters that nothing in this controller can bring to the cloud.
func (p *Previewer) withoutDriver(ctx context.Context, old, object v1alpha1.ResourceObject) ([]string, error) {
	status := object.GetResourceStatus()
	why := undriven(p.Drivers, status.Provider, p.Kind.Name)
	if status.ExternalName == "" || why == "" {
		return nil, nil
	}
	before, _, _, err := p.merged(ctx, old)
	if err != nil {
		return nil, err
	}
	after, _, _, err := p.merged(ctx, object)
	if err != nil {
		return nil, err
	}
	if equality.Semantic.DeepEqual(before.GetParameters(), after.GetParameters()) {
		return nil, nil
	}
	return []string{why}, nil
}

// sameChange reports whether two changes lead from and to the same, and have the same fate.
func sameChange(c, other plan.Decided) bool {
	return c.Field == other.Field && c.From == other.From && c.To == other.To && c.Fate == other.Fate
}

// An outlook is what the next plan for an object would decide.
type outlook struct {
	plan.DecidedChanges
	obstacle
}

// outlook decides what the plan will. It returns nothing for what the class refuses, which admission says itself. stored is the object as
// it is stored now.
func (p *Previewer) outlook(ctx context.Context, stored, object v1alpha1.ResourceObject) (outlook, error) {
	want, policy, found, err := p.merged(ctx, object)
	if err != nil || found != nil && class.Together(found.Problems) != nil {
		return outlook{}, err
	}
	changes, err := p.changes(ctx, stored, object, want)
	if err != nil || len(changes) == 0 {
		return outlook{}, err
	}
	status := object.GetResourceStatus()
	v := plan.ViewOf(object, status, found)
	v.Mark = ownMark(object)
	if !reflect.DeepEqual(stored.GetSpec(), object.GetSpec()) {
		v.Edited = true // it will have a new generation
	}
	out := outlook{DecidedChanges: plan.Decide(v, changes, policy)}
	same, err := p.sameAccount(ctx, stored, object)
	if err != nil {
		return outlook{}, err
	}
	out.obstacle = obstacleOf(object, status, v, policy, changes, same)
	return out, nil
}

// sameAccount reports whether an edit leaves an object with the provider config that it had.
func (p *Previewer) sameAccount(ctx context.Context, stored, object v1alpha1.ResourceObject) (bool, error) {
	if stored == object {
		return true, nil
	}
	before, err := p.config(ctx, stored)
	if err != nil {
		return false, err
	}
	after, err := p.config(ctx, object)
	return before == after, err
}

// config returns the provider config that leads to an object's account; zero if that is not known.
func (p *Previewer) config(ctx context.Context, object v1alpha1.ResourceObject) (identity.Key, error) {
	if ref := object.GetResourceSpec().ProviderConfigRef; ref != nil {
		return identity.KeyOf(ref, object.GetNamespace()), nil
	}
	_, _, found, err := p.merged(ctx, object)
	if err != nil || found.Config == nil {
		return identity.Key{}, err
	}
	return identity.KeyOfBound(*found.Config, object.GetNamespace()), nil
}

// merged returns an object with its class merged in, and what the class makes of it; nil if it goes by none.
func (p *Previewer) merged(ctx context.Context, object v1alpha1.ResourceObject) (want v1alpha1.ResourceObject, policy plan.Policy, found *class.Resolution, err error) {
	if object.GetResourceSpec().ProviderConfigRef != nil {
		return object, plan.PolicyOf(p.Kind, object), nil, nil
	}
	if found, err = p.Classes.Resolve(ctx, object); err != nil {
		return want, policy, nil, fmt.Errorf("find the class: %w", err)
	}
	want, policy, err = plan.WithClass(p.Kind, object, found)
	return want, policy, found, err
}

// changes returns what differs between what was last observed and what is wanted. While nothing was observed only the earlier spec tells
// what is being created: then it returns what can't be changed in that.
func (p *Previewer) changes(ctx context.Context, stored, object, want v1alpha1.ResourceObject) ([]driver.Change, error) {
	status := object.GetResourceStatus()
	drv, known := p.Drivers[status.Provider]
	observed := stored.GetResourceSpec().Management == v1alpha1.ManagementObserve && object.GetObserved() != nil
	if !known || status.ExternalName == "" && !observed {
		return nil, nil // nothing was created yet, so nothing changes
	}
	to := want.GetParameters()
	if mirror := object.GetObserved(); mirror != nil {
		changes, err := p.differences(drv, mirror, to, status.Applied)
		return slices.Concat(changes, p.username(drv, want, status), waitingPassword(want, status)), err
	}
	before, _, _, err := p.merged(ctx, stored)
	if err != nil {
		return nil, err
	}
	from := before.GetParameters()
	changes, err := p.differences(drv, from, to, nil)
	return slices.DeleteFunc(changes, func(c driver.Change) bool { return c.Effect != driver.Impossible || c.From == "" }), err
}

func (p *Previewer) differences(drv driver.Driver, from, to any, applied driver.Applied) ([]driver.Change, error) {
	before, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(to)
	if err != nil {
		return nil, err
	}
	return drv.Preview(p.Kind.Name, before, after, applied)
}

// waitingPassword returns the replacement of a password that only others know, if it waits for approval. Neither the spec nor the mirror
// shows it.
func waitingPassword(want v1alpha1.ResourceObject, status *v1alpha1.ResourceStatus) (changes []driver.Change) {
	if c := want.GetCredentials(); c != nil && c.PasswordSecretRef != nil {
		return nil
	}
	for _, w := range status.PendingChanges {
		if w.Field == driver.FieldPassword && w.Effect == string(driver.Irreversible) {
			changes = append(changes, driver.Change{Field: w.Field, From: w.From, To: w.To, Effect: driver.Irreversible, Why: plan.WhyReplaced})
		}
	}
	return changes
}

// username returns the change of an administrator's name, which is no parameter: none can be renamed.
func (p *Previewer) username(drv driver.Driver, want v1alpha1.ResourceObject, status *v1alpha1.ResourceStatus) []driver.Change {
	if !p.Kind.Login {
		return nil
	}
	login, now := want.GetCredentials(), status.Fixed[driver.FieldUsername]
	if applied := status.Applied[driver.FieldUsername]; now == "" && len(applied) == 1 {
		now = applied[0]
	}
	if login == nil || login.Username == nil || *login.Username == "" || now == "" || strings.EqualFold(*login.Username, now) {
		return nil
	}
	c := driver.Change{Field: driver.FieldUsername, From: now, To: *login.Username, Effect: driver.Impossible}
	description := drv.Describe()
	resource, _ := description.Resource(p.Kind.Name)
	for _, d := range resource.Fields {
		if d.Field == driver.FieldUsername && len(d.Effects) > 0 {
			c.Why = d.Effects[len(d.Effects)-1].Instead
		}
	}
	return []driver.Change{c}
}

// age says how old the observation of an object is.
func (p *Previewer) age(object v1alpha1.ResourceObject) string {
	at, known := p.Observed(client.ObjectKeyFromObject(object))
	if !known {
		return "at a time that this replica of Mooring does not know"
	}
	switch minutes := int(p.Now().Sub(at).Minutes()); minutes {
	case 0:
		return "less than a minute ago"
	case 1:
		return "1 minute ago"
	default:
		return fmt.Sprintf("%d minutes ago", minutes)
	}
}
