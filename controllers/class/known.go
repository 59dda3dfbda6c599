package class

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// KnownValues are the locations and versions of a kind in one cloud that this release knows. Title is the cloud's name
// of the kind. The zero KnownValues knows none.
type KnownValues struct {
	Title string
	driver.Known
}

// unknown warns of the location and the version that an object is to get, if this release knows no such: whoever
// misspelt them hears of it now, and not by the first call.
func (a *Admission) unknown(before, after *draft) (warnings []string) {
	if a.KnownValues == nil || after == nil {
		return nil
	}
	knows := a.KnownValues(after.cloud)
	warn := func(field, value, says string) {
		if says != "" {
			warnings = append(warnings, after.whose(field, value)+" "+says)
		}
	}
	if after.object.GetResourceStatus().Location == "" && after.location != "" && !after.ownRegions {
		warn("location", after.location, portable.UnknownLocation(knows.Known, after.location, knows.Title))
	}
	version, engine := versionIn(after.spec)
	if before != nil && after.object.GetObserved() != nil {
		if was, of := versionIn(before.spec); was == version && of == engine {
			return warnings
		}
	}
	if version != "" {
		warn("version", version, portable.UnknownVersion(knows.Known, engine, version, knows.Title))
	}
	return warnings
}

// versionIn returns the version of an engine that a spec asks for, empty if it names none.
func versionIn(spec Tree) (version string, engine v1alpha1.Engine) {
	return StringField(spec, "version"), v1alpha1.Engine(cmp.Or(StringField(spec, "engine"), string(v1alpha1.EnginePostgres)))
}

// whose says a value, and where it comes from. A location that no spec has is the region of the provider config.
func (d *draft) whose(field, value string) string {
	switch {
	case HasField(d.own, field):
		return fmt.Sprintf("spec.%s %s", field, value)
	case d.class != nil && HasField(d.spec, field):
		return fmt.Sprintf("%s, spec.%s of class %q,", value, field, d.class.Name())
	default:
		return value + ", the region of the provider config,"
	}
}

// A lead is where a class leads, and what this release knows of it.
type lead struct {
	KnownValues
	Place
	account Account
}

// unknownIn warns of locations and versions of a class of which this release knows none, in whichever cloud the class
// leads to.
func (a *Admission) unknownIn(ctx context.Context, c *Class) (warnings []string, err error) {
	if a.KnownValues == nil || a.Place == nil {
		return nil, nil
	}
	var leads []lead
	for _, account := range c.Accounts() {
		place, err := a.Place(ctx, a.Live, &v1alpha1.ProviderConfigReference{Kind: identity.KindClusterProviderConfig, Name: account.Config}, nil, "")
		if err != nil {
			return nil, err
		}
		l := lead{a.KnownValues(place.Cloud), place, account}
		leads = append(leads, l)
		if says := l.lacksLocation(place.Region); says != "" {
			warnings = append(warnings, fmt.Sprintf("%s %s: its region %s", account.Field, account.Config, says))
		}
	}
	warn := func(field string, lacks func(lead) string) {
		if says := everywhere(leads, lacks); says != "" {
			warnings = append(warnings, field+" "+says)
		}
	}
	for i, location := range c.Spec.Locations {
		warn(fmt.Sprintf("spec.locations[%d]", i), func(l lead) string { return l.lacksLocation(location) })
	}
	engine := StringField(Merge(c.Defaults, c.Enforced), "engine")
	for layer, says := range c.layers() {
		if location := StringField(says, "location"); len(c.Spec.Locations) == 0 {
			warn("spec."+layer+".location", func(l lead) string { return l.lacksLocation(location) })
		}
		if version := StringField(says, "version"); version != "" && engine != "" {
			warn("spec."+layer+".version", func(l lead) string {
				return saying(version, portable.UnknownVersion(l.Known, v1alpha1.Engine(engine), version, l.Title))
			})
		}
	}
	return warnings, nil
}

func (l *lead) lacksLocation(location string) string {
	if location == "" || l.OwnRegions {
		return ""
	}
	return saying(location, portable.UnknownLocation(l.Known, location, l.Title))
}

// saying returns what is said of a value, if anything is.
func saying(value, says string) string {
	if says == "" {
		return ""
	}
	return value + " " + says
}

// everywhere returns what is said of the first lead, if something is said of all.
func everywhere(leads []lead, says func(lead) string) (first string) {
	for _, l := range leads {
		said := says(l)
		if said == "" {
			return ""
		}
		first = cmp.Or(first, said)
	}
	return first
}
