package class

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Admission validates objects of one kind, and their classes, for the webhook. It returns what the reconcilers would
// find later.
type Admission struct {
	// Resolver finds the class of an object by reading from a cache.
	Resolver *Resolver
	// Live reads from the API server. A problem that was found in the cache is verified by it before the object is
	// refused, because the same command may have changed the class a moment ago.
	Live client.Reader
	// Check returns why a class's constraints and allowed references are invalid in a cloud; nil if they are valid. The
	// cloud is empty if it is not known.
	Check func(c *Class, cloud string) *Problem
	// MayUse returns why objects of a namespace may not use a provider config; nil if they may. The config is ref, or
	// ofClass if ref is nil.
	MayUse func(ctx context.Context, from client.Reader, ref *v1alpha1.ProviderConfigReference, ofClass *v1alpha1.BoundProviderConfig, namespace string) (*Problem, error)
	// Place returns the cloud and the region of an object. It may be nil if Refuses is nil; then the cloud of an object
	// without a class is not known.
	Place PlaceFunc
	// Refuses returns why a cloud would refuse an object. It may be nil.
	Refuses RefusesFunc
	// KnownValues returns the locations and versions of the kind in a cloud that this release knows. It may be nil.
	KnownValues func(cloud string) KnownValues
	// Preview returns the changes that an edit would cause in the cloud. was and is are the merged spec before and
	// after the edit.
	Preview func(cloud string, object v1alpha1.ResourceObject, was, is Tree) ([]driver.Change, error)
}

// Object validates an object. old is nil for a creation. It refuses only problems that the request causes: an earlier
// problem must not block the correction of another one. A problem that may disappear without an edit of the object is a
// warning.
func (a *Admission) Object(ctx context.Context, old, object v1alpha1.ResourceObject) (refusals []Problem, warnings []string, err error) {
	refusals, warnings, err = a.object(ctx, a.Resolver, old, object)
	if err != nil || len(refusals) == 0 {
		return nil, warnings, err
	}
	live := *a.Resolver
	live.Client = a.Live
	return a.object(ctx, &live, old, object)
}

func (a *Admission) object(ctx context.Context, from *Resolver, old, object v1alpha1.ResourceObject) (refusals []Problem, warnings []string, err error) {
	problems, after, err := a.problems(ctx, from, object)
	if err != nil {
		return nil, nil, err
	}
	before := sets.New[string]()
	var was *draft
	if old != nil {
		known, drafted, err := a.problems(ctx, from, old)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range known {
			before.Insert(p.String())
		}
		was = drafted
	}
	for _, p := range problems {
		if before.Has(p.String()) || mayCome(p) {
			warnings = append(warnings, p.String())
			continue
		}
		refusals = append(refusals, p)
	}
	refused, known, err := a.refused(ctx, was, after)
	if err != nil { // what the class refuses stays refused
		logf.FromContext(ctx).Error(err, "the driver could not check an object; what its class says counts alone", "cloud", after.cloud)
		return refusals, append(warnings, "Mooring could not check in advance what the cloud refuses of this; status.conditions will say it"), nil
	}
	warnings = append(warnings, a.unknown(was, after)...)
	told := slices.Clone(refusals)
	for _, p := range refused {
		if !slices.ContainsFunc(told, func(other Problem) bool { return other.Field == p.Field }) { // or the field is refused already
			refusals = append(refusals, p)
		}
	}
	for _, p := range known {
		warnings = append(warnings, p.String())
	}
	return refusals, warnings, nil
}

// mayCome reports whether a problem goes away when something is made that may be on its way, as where all is applied at once;
// or is the platform team's, and no fault of whoever applies.
func mayCome(p Problem) bool {
	if p.Lacks {
		return false
	}
	switch p.Reason {
	case v1alpha1.ReasonClassNotFound, v1alpha1.ReasonProviderConfigNotFound, v1alpha1.ReasonClassInvalid, v1alpha1.ReasonNotSupported:
		return true
	default:
		return false
	}
}

// problems returns what the class, or the lack of one, says against an object, and the object as its driver is to check it; nil if it is not to.
func (a *Admission) problems(ctx context.Context, from *Resolver, object v1alpha1.ResourceObject) ([]Problem, *draft, error) {
	if a.Resolver.Kind.ParentName(object) != "" {
		crowded, err := from.ParentLimitReached(ctx, object) // its account is the parent's
		if err != nil || crowded == nil {
			return nil, nil, err
		}
		return []Problem{*crowded}, nil, nil
	}
	ref := object.GetResourceSpec().ProviderConfigRef
	found, err := a.found(ctx, from, object, ref)
	if err != nil || ref == nil && found.Config == nil {
		return found.problems(), nil, err
	}
	p, err := a.MayUse(ctx, from.Client, ref, found.Config, object.GetNamespace())
	switch {
	case err != nil:
		return found.problems(), nil, err
	case p != nil:
		return append([]Problem{*p}, found.Problems...), nil, nil
	}
	problems := found.problems()
	if ref != nil { // what the cloud lacks a class says itself
		lacking, err := a.unsupported(ctx, from, object)
		if err != nil {
			return problems, nil, err
		}
		problems = append(problems, lacking...)
	}
	drafted, err := a.draftOf(ctx, from, object, found)
	return problems, drafted, err
}

// unsupported says what an object without a class asks for that its cloud does not have.
func (a *Admission) unsupported(ctx context.Context, from *Resolver, object v1alpha1.ResourceObject) ([]Problem, error) {
	if a.Place == nil {
		return nil, nil
	}
	place, err := a.Place(ctx, from.Client, object.GetResourceSpec().ProviderConfigRef, nil, object.GetNamespace())
	if err != nil {
		return nil, err
	}
	spec, err := TreeOf(object.GetSpec())
	return Unsupported(from.lacks(place.Cloud), spec), err
}

// found evaluates an object by its class, or without one by where its own reference leads.
func (a *Admission) found(ctx context.Context, from *Resolver, object v1alpha1.ResourceObject, ref *v1alpha1.ProviderConfigReference) (found *Resolution, err error) {
	if ref == nil {
		return from.Resolve(ctx, object)
	}
	found = &Resolution{}
	if ref.Kind == identity.KindClusterProviderConfig {
		found.Problems, err = from.ReferencesWithoutClass(ctx, object, ref.Name)
	}
	return found, err
}

// Class validates a class that is created or edited. It refuses invalid rules, and warns of the effects on the class's
// objects.
func (a *Admission) Class(ctx context.Context, old, object v1alpha1.ClassObject) (refusals []Problem, warnings []string, err error) {
	c, err := Of(object)
	if err != nil {
		return nil, nil, err
	}
	clouds, err := cloudsOf(ctx, a.Live, c)
	if err != nil {
		return nil, nil, err
	}
	if wrong := c.validate(clouds, a.Check); wrong != nil {
		return []Problem{*wrong}, nil, nil
	}
	warnings = append(warnings, c.unusable(clouds)...)
	unsound, err := a.unsound(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	unknown, err := a.unknownIn(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	warnings = slices.Concat(warnings, unknown, unsound)
	if c.Spec.AllowedNamespaces == nil {
		warnings = append(warnings, "spec.allowedNamespaces is not set, so no namespace may use this class; {} allows all")
	}
	if old == nil {
		return nil, warnings, nil
	}
	before, err := Of(old)
	if err != nil {
		return nil, nil, err
	}
	impact, err := a.impact(ctx, before, c)
	if err != nil {
		return nil, nil, err
	}
	routes, err := a.rerouted(ctx, before, c, impact.users)
	if err != nil {
		return nil, nil, err
	}
	return nil, slices.Concat(warnings, impact.warnings(a.Resolver.Kind.Name), routes), nil
}

// An impact is what a changed class does to its objects.
type impact struct {
	// users is how many objects use the class, compared how many of them were compared before the time was up.
	users, compared int
	// touched is how many objects a field changes of, by how it changes; broken are those that the class no longer allows.
	touched map[touch]int
	objects int
	broken  []string
	// left is how many stay in a cloud that the class leaves.
	left int
}

// A touch is how a field changes, in a line. An effect of none is that of a field in which the cloud has no part.
type touch struct {
	effect driver.Effect
	line   string
}

// compare orders touches: the dangerous first.
func (t touch) compare(other touch) int {
	return cmp.Or(other.effect.Compare(t.effect), strings.Compare(t.line, other.line))
}

// compareFor is how long the objects of a class are compared. The API server waits for the answer for 3 seconds.
const compareFor = time.Second

// impact compares what each object is to be with what it would be. It counts all objects, and compares as many as there is time for.
func (a *Admission) impact(ctx context.Context, before, after *Class) (*impact, error) {
	timer, stop := context.WithTimeout(ctx, compareFor)
	defer stop()
	i := &impact{touched: map[touch]int{}}
	rulesBefore, rulesAfter := a.Resolver.Rules(before), a.Resolver.Rules(after)
	err := a.Resolver.EachUser(ctx, before, func(user v1alpha1.ResourceObject) error {
		i.users++
		if timer.Err() != nil {
			return ctx.Err()
		}
		i.compared++
		o, err := a.Resolver.inputOf(ctx, user, before)
		if err != nil {
			return err
		}
		was := Evaluate(before, o, rulesBefore)
		if o, err = a.Resolver.inputOf(ctx, user, after); err != nil {
			return err
		}
		if o.Bound && o.Cloud != o.Leads {
			i.left++
			return nil
		}
		is := Evaluate(after, o, rulesAfter)
		if p := Join(is.Problems); p != nil && Join(was.Problems) == nil {
			i.broken = append(i.broken, fmt.Sprintf("%s/%s (%s)", user.GetNamespace(), user.GetName(), p))
			return nil
		}
		changes, err := a.Preview(o.Cloud, user, was.Spec, is.Spec)
		if err != nil {
			return err
		}
		i.add(was.Spec, is.Spec, changes)
		i.hold(user.GetResourceStatus(), consentOf(was.Spec), consentOf(is.Spec), changes)
		i.overrides(consentOf(before.says()), consentOf(after.says()), consentOf(is.Spec))
		return nil
	})
	return i, err
}

// add notes what changes of one object.
func (i *impact) add(was, is Tree, changes []driver.Change) {
	lines := map[touch]bool{}
	leaves(is, func(at path, value any) {
		if old, had := get(was, at); had && same(old, value) {
			return
		}
		effect, what := how(changes, at.String(), is)
		verb := "becomes"
		if effect == driver.Impossible {
			verb = "does not become"
		}
		lines[touch{effect, fmt.Sprintf("%s %s %s (%s)", at, verb, said(at, value), what)}] = true
	})
	leaves(was, func(at path, _ any) {
		if settles(is, at) {
			return
		}
		out := touch{line: fmt.Sprintf("%s is no longer managed", at)}
		if effect, what := how(changes, at.String(), is); what != atOnce { // it returns to a safe value, or is taken out of a map in the cloud
			out = touch{effect, fmt.Sprintf("%s is taken out (%s)", at, what)}
		}
		lines[out] = true
	})
	changed := false
	for line := range lines {
		i.touched[line]++
		changed = changed || line.effect != driver.Impossible
	}
	if changed {
		i.objects++
	}
}

// atOnce says of a change that the cloud has no part in it, or has that value already.
const atOnce = "at once"

// how says what the change of a field does, and whether it waits for a person. {} changes what it stands in place of.
func how(changes []driver.Change, name string, spec Tree) (driver.Effect, string) {
	i := slices.IndexFunc(changes, func(c driver.Change) bool {
		return c.Field == name || strings.HasPrefix(name, c.Field+".") || emptyValues[name] != "" && strings.HasPrefix(c.Field, name+".")
	})
	if i < 0 {
		return "", atOnce
	}
	effect := changes[i].Effect
	what, pause := effectWords[effect], ", "
	if why := changes[i].Why; why != "" {
		what, pause = what+": "+why, "; "
	}
	disruptive, _ := get(spec, path{"updates", "disruptive"})
	if !effect.Disruptive() {
		return effect, what
	}
	waits, in := timing(spec)
	switch always := disruptive == string(v1alpha1.DisruptiveAlways); {
	case always && waits && in != nil:
		return effect, fmt.Sprintf("%s%swaits for the maintenance window %s", what, pause, in)
	case always:
		return effect, what
	case waits && in != nil:
		return effect, fmt.Sprintf("%s%swaits for approval, then for the maintenance window %s", what, pause, in)
	default:
		return effect, what + pause + "waits for approval"
	}
}

// effectWords are the effects as a sentence has them.
var effectWords = map[driver.Effect]string{
	driver.Online: "online", driver.Interrupts: "interrupts", driver.Restarts: "restarts", driver.LosesBackups: "loses backups",
	driver.Irreversible: "can't be taken back", driver.Impossible: "can't change",
}

// most is how many objects a warning names.
const most = 3

func (i *impact) warnings(kind string) (lines []string) {
	switch {
	case i.users == 0:
		return nil
	case i.compared < i.users:
		lines = append(lines, fmt.Sprintf("objects of kind %s that use this class: %d; of %d that were compared in the time there is, these would change: %d; the others may change as well",
			kind, i.users, i.compared, i.objects))
	case i.left == i.users:
		return []string{fmt.Sprintf("objects of kind %s that use this class: %d; all stay in the cloud that they were made in, as they are", kind, i.users)}
	case i.objects == 0 && len(i.touched) == 0 && len(i.broken) == 0 && i.left == 0:
		return []string{fmt.Sprintf("objects of kind %s that use this class: %d; none would change", kind, i.users)}
	default:
		lines = append(lines, fmt.Sprintf("objects of kind %s that use this class: %d; of these would change: %d", kind, i.users, i.objects))
	}
	for _, t := range slices.SortedFunc(maps.Keys(i.touched), touch.compare) {
		lines = append(lines, fmt.Sprintf("of %d: %s", i.touched[t], t.line))
	}
	if i.left > 0 {
		lines = append(lines, fmt.Sprintf("%d stay in the cloud that they were made in, as they are", i.left))
	}
	if n := len(i.broken); n > 0 {
		slices.Sort(i.broken)
		shown := strings.Join(i.broken[:min(n, most)], "; ")
		if n > most {
			shown += "; …"
		}
		lines = append(lines, fmt.Sprintf("%d would no longer be allowed, and stay as they are until they are mended: %s", n, shown))
	}
	return lines
}
