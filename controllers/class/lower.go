package class

import (
	"context"
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// An updateRule of spec.updates restricts what may be made without a person, or when, or how. It is a string of the spec.
type updateRule struct {
	field string
	// values are from the laxest to the strictest; unset is the value that counts where neither spec nor class says one.
	values []string
	unset  string
	// own: a value that the object's own spec set may be lowered only with the verb, too, also where the class says less.
	own bool
}

var disruptiveRule = updateRule{
	field: "disruptive", values: []string{string(v1alpha1.DisruptiveAlways), string(v1alpha1.DisruptiveOnSpecChange), string(v1alpha1.DisruptiveOnApproval)},
	unset: string(v1alpha1.DisruptiveOnSpecChange), own: true,
}

var updateRules = []updateRule{
	disruptiveRule,
	{field: "timing", values: []string{string(v1alpha1.TimingImmediate), string(v1alpha1.TimingMaintenanceWindow)}, unset: string(v1alpha1.TimingImmediate)},
	{field: "strategy", values: []string{string(v1alpha1.StrategyInPlace), string(v1alpha1.StrategyBlueGreen)}, unset: string(v1alpha1.StrategyInPlace)},
}

// of returns the value of a rule in a merged spec.
func (r updateRule) of(spec Tree) string {
	if value, _ := get(spec, path{"updates", r.field}); text(value) != "" {
		return text(value)
	}
	return r.unset
}

// laxer reports whether one value restricts less than another.
func (r updateRule) laxer(one, other string) bool {
	return slices.Index(r.values, one) < slices.Index(r.values, other)
}

// LoweredUpdateRules returns a problem for each field of spec.updates that a request makes less strict than the
// object's class, or than it was until now. Such a request needs the verb approve, even if no change waits for approval
// now. The API server calls the webhook only for users who lack the verb. A field that was less strict than the class
// before may stay so.
func (a *Admission) LoweredUpdateRules(ctx context.Context, old, object v1alpha1.ResourceObject) (problems []Problem, err error) {
	is, of, err := a.effective(ctx, object)
	if err != nil {
		return nil, err
	}
	joins, was, former := old == nil, Tree(nil), (*Class)(nil)
	if old != nil {
		joins = Key(old) != Key(object)
		if was, former, err = a.effective(ctx, old); err != nil {
			return nil, err
		}
	}
	for _, r := range updateRules {
		now, byClass := r.of(is), r.of(of.says())
		below := of != nil && r.laxer(now, byClass)
		fell := old != nil && r.laxer(now, r.of(was))
		// What the object itself says in place of the former class, the next edit could take back.
		left := joins && former != nil && !r.own && r.laxer(byClass, r.of(former.says()))
		switch {
		case below && (fell || joins):
			problems = append(problems, a.lowered(object, r, now, fmt.Sprintf("%s, as class %q says,", byClass, of.Name())))
		case fell && (joins || r.own):
			problems = append(problems, a.lowered(object, r, now, r.of(was)))
		case left:
			problems = append(problems, a.lowered(object, r, byClass, fmt.Sprintf("%s, as the former class %q says,", r.of(former.says()), former.Name())))
		}
	}
	return problems, nil
}

// lowered says that a rule is lowered.
func (a *Admission) lowered(object v1alpha1.ResourceObject, r updateRule, to, from string) Problem {
	return violated("spec.updates."+r.field, "%s in place of %s needs the verb %q on %s.mooring.dev, which you lack in namespace %s; administrators of the namespace have it, and can grant it "+
		"with the ClusterRole mooring-admin", to, from, "approve", a.Resolver.Kind.Plural, object.GetNamespace())
}

// effective returns the spec of an object with its class merged in, and that class; it is nil for an object without one. Both are read from the API server.
func (a *Admission) effective(ctx context.Context, object v1alpha1.ResourceObject) (Tree, *Class, error) {
	if object.GetResourceSpec().ProviderConfigRef != nil || a.Resolver.Kind.ParentName(object) != "" {
		spec, err := TreeOf(object.GetSpec())
		return spec, nil, err
	}
	live := *a.Resolver
	live.Client = a.Live
	found, err := live.Resolve(ctx, object)
	if err != nil {
		return nil, nil, err
	}
	return found.Spec, found.Class, nil
}
