package class

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Place is where a provider config leads.
type Place = identity.Place

// A PlaceFunc returns the place of an object. The provider config is ref, the object's own reference, or ofClass if ref
// is nil.
type PlaceFunc func(ctx context.Context, from client.Reader, ref *v1alpha1.ProviderConfigReference, ofClass *v1alpha1.BoundProviderConfig, namespace string) (Place, error)

// A RefusesFunc returns why a cloud would refuse the merged spec of an object. It asks the driver, and makes no call to
// the cloud. An object that was never observed counts as new.
type RefusesFunc func(ctx context.Context, cloud string, object v1alpha1.ResourceObject, spec Tree, location string) ([]driver.Refusal, error)

// A draft is an object as the driver of its cloud is asked about it.
type draft struct {
	object v1alpha1.ResourceObject
	// own is the object's spec, and spec that with its class merged in. class is nil for an object without one.
	own, spec Tree
	class     *Class
	cloud     string
	location  string
	// ownRegions: the regions there have names of their own.
	ownRegions bool
}

// draftOf returns an object as its driver is asked about it; nil if there is nothing to ask. Without its class nobody knows what it is to be. What is
// only observed is never changed. What takes over an object that nobody has observed yet may be as its spec says, whatever a new one could be.
func (a *Admission) draftOf(ctx context.Context, from *Resolver, object v1alpha1.ResourceObject, found *Resolution) (*draft, error) {
	spec, status := object.GetResourceSpec(), object.GetResourceStatus()
	if a.Refuses == nil || spec.ProviderConfigRef == nil && found.Class == nil || spec.Management == v1alpha1.ManagementObserve {
		return nil, nil
	}
	unobserved := object.GetObserved() == nil
	if _, adopts := object.GetAnnotations()[v1alpha1.AnnotationAdoptFrom]; unobserved && (adopts || spec.Adoption == v1alpha1.AdoptionIfExists) {
		return nil, nil
	}
	place, err := a.Place(ctx, from.Client, spec.ProviderConfigRef, found.Config, object.GetNamespace())
	if err != nil || place.Cloud == "" {
		return nil, err
	}
	own, err := TreeOf(object.GetSpec())
	d := &draft{object: object, own: own, spec: own, cloud: place.Cloud, ownRegions: place.OwnRegions}
	if spec.ProviderConfigRef == nil {
		d.spec, d.class = found.Spec, found.Class
	}
	asked, _ := get(d.spec, atLocation)
	d.location = cmp.Or(status.Location, text(asked), place.Region)
	if unobserved {
		d.location = cmp.Or(text(asked), d.location)
	}
	return d, err
}

// refused returns what the driver refuses of an object, as refusals what the edit brings about. The rest is known: it was so before the edit, or the edit
// changes none of the fields that it depends on, or the class alone says it, which the platform team has to mend.
func (a *Admission) refused(ctx context.Context, before, after *draft) (refusals, known []Problem, err error) {
	if after == nil {
		return nil, nil, nil
	}
	all, err := a.Refuses(ctx, after.cloud, after.object, after.spec, after.location)
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	var was []driver.Refusal
	if before != nil {
		if was, err = a.Refuses(ctx, before.cloud, before.object, before.spec, before.location); err != nil {
			return nil, nil, err
		}
	}
	for _, r := range all {
		said := slices.ContainsFunc(was, func(other driver.Refusal) bool { return other.Message == r.Message })
		if said || before != nil && after.agrees(before, r.Fields) || !after.says(r.Fields) {
			known = append(known, after.problem(r))
			continue
		}
		refusals = append(refusals, after.problem(r))
	}
	return refusals, known, nil
}

// agrees reports whether fields are the same in two drafts.
func (d *draft) agrees(other *draft, fields []string) bool {
	return d.cloud == other.cloud && !slices.ContainsFunc(fields, func(field string) bool {
		if field == "location" {
			return d.location != other.location
		}
		at := path(strings.Split(field, "."))
		is, set := get(d.spec, at)
		was, had := get(other.spec, at)
		return set != had || !same(is, was)
	})
}

// says reports whether the object's own spec has one of the fields.
func (d *draft) says(fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { return HasField(d.own, field) })
}

// problem returns a refusal as a problem of the object: of a field that its own spec has, if there is one, and with what comes from the class.
func (d *draft) problem(r driver.Refusal) Problem {
	p := Problem{Reason: v1alpha1.ReasonInvalid, Field: "spec." + r.Fields[0], Message: r.Message}
	if i := slices.IndexFunc(r.Fields, func(field string) bool { return HasField(d.own, field) }); i > 0 {
		p.Field = "spec." + r.Fields[i]
	}
	var given []string
	for _, field := range r.Fields {
		if !HasField(d.own, field) && HasField(d.spec, field) {
			value, _ := get(d.spec, strings.Split(field, "."))
			given = append(given, "spec."+field+" "+show(value))
		}
	}
	if d.class != nil && len(given) > 0 {
		p.Message = fmt.Sprintf("with %s of class %q: %s", strings.Join(given, " and "), d.class.Name(), p.Message) // ahead: long warnings are cut
	}
	return p
}

// unsound warns of what the driver refuses of objects that leave all to the class.
func (a *Admission) unsound(ctx context.Context, c *Class) (warnings []string, err error) {
	if a.Refuses == nil {
		return nil, nil
	}
	for _, account := range c.Accounts() {
		place, err := a.Place(ctx, a.Live, &v1alpha1.ProviderConfigReference{Kind: identity.KindClusterProviderConfig, Name: account.Config}, nil, "")
		if err != nil {
			return nil, err
		}
		if place.Cloud == "" {
			continue
		}
		for _, spec := range c.wholes() {
			asked, _ := get(spec, atLocation)
			refusals, err := a.Refuses(ctx, place.Cloud, a.Resolver.Kind.New(), spec, cmp.Or(text(asked), place.Region))
			if err != nil {
				return nil, err
			}
			for _, r := range refusals {
				warnings = append(warnings, fmt.Sprintf("objects that leave spec.%s to this class are refused by the cloud: %s", strings.Join(r.Fields, " and spec."), r.Message))
			}
		}
	}
	slices.Sort(warnings)
	return slices.Compact(warnings), nil
}

// wholes returns what the class makes of an object that says nothing, in each size that there is.
func (c *Class) wholes() []Tree {
	if len(c.Sizes) == 0 {
		return []Tree{Merge(c.Defaults, c.Enforced)}
	}
	var all []Tree
	for i := range c.Sizes {
		all = append(all, Merge(c.Defaults, sized(&c.Sizes[i], c.Defaults, Tree{}), c.Enforced))
	}
	return all
}
