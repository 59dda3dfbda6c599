package sql

import (
	"maps"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// iamRow is a database flag, which has a name for each engine. Whether it restarts the server, Cloud SQL's list of flags says.
// https://cloud.google.com/sql/docs/postgres/create-edit-iam-instances
// https://cloud.google.com/sql/docs/mysql/create-edit-iam-instances
var iamRow = plain("iamAuthentication", "IAMAuthentication", haveIAM).
	EffectOf(iamEffect,
		driver.PossibleEffect{Effect: driver.Online, When: "it becomes true, and Cloud SQL's list of flags says that its flag needs no restart"},
		driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes false, and the list says the same: " + portable.WhyNoTokens, Cost: noTokensCost},
		driver.PossibleEffect{Effect: driver.Restarts, When: "the list says that it needs one, or can't be read", Cost: restartCost})

// iamFlags are the names of the flag.
var iamFlags = map[v1alpha1.Engine]string{
	v1alpha1.EnginePostgres: "cloudsql.iam_authentication",
	v1alpha1.EngineMySQL:    "cloudsql_iam_authentication",
}

// iamFlagOf returns the flags that spec.parameters leaves alone, since spec.iamAuthentication decides about them.
func iamFlagOf(p *databaseParameters) []string {
	if p.IAMAuthentication == nil {
		return nil
	}
	return slices.Sorted(maps.Values(iamFlags))
}

func haveIAM(i *instance) *bool {
	on, _ := portable.Switch(haveFlags(i)[iamFlags[i.engine()]])
	return &on
}

func iamEffect(_ *bool, to bool, have *instance) (driver.Effect, string) {
	name := iamFlags[have.engine()]
	f := have.flags[name]
	switch {
	case have.flags == nil:
		return driver.Restarts, whyUnknown
	case f == nil || f.RequiresRestart:
		return driver.Restarts, "Cloud SQL restarts the server for " + name
	case !to:
		return driver.Interrupts, portable.WhyNoTokens
	}
	return driver.Online, ""
}

// iamChange returns the flag where it is not as the spec says.
func iamChange(p *databaseParameters, have *instance) []string {
	if p.IAMAuthentication == nil || *p.IAMAuthentication == *haveIAM(have) {
		return nil
	}
	return []string{iamFlags[have.engine()]}
}

// addIAM adds the flag to those that a call changes. An instance without it does not take logins by IAM.
func (p *instanceParams) addIAM(engine v1alpha1.Engine) {
	name := iamFlags[engine]
	switch {
	case p.IAMAuthentication == nil:
	case *p.IAMAuthentication:
		set := maps.Clone(p.DatabaseFlags.Set)
		if set == nil {
			set = map[string]string{}
		}
		set[name] = "on"
		p.DatabaseFlags.Set = set
	default:
		p.DatabaseFlags.Remove = append(slices.Clone(p.DatabaseFlags.Remove), name)
	}
}

// checkIAM refuses two fields that say the same, as where a class sets one of them: each would undo the other for ever.
func checkIAM(spec *databaseParameters) error {
	for _, name := range iamFlagOf(spec) {
		if _, both := spec.Parameters[name]; both {
			return table.Fields{"iamAuthentication", "parameters"}.Refuse("spec.iamAuthentication and %s of spec.parameters both say whether IAM may log in: remove one of them from the spec or the class", name)
		}
	}
	return nil
}
