package driver

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// fieldVersion is the field of kinds that have versions.
const fieldVersion = "version"

// BesideLack returns the Lack of a cloud without blue/green deployments, which upgrades versions in place only.
func BesideLack(why string) Lack {
	beside := string(v1alpha1.StrategyBlueGreen)
	return Lack{Field: FieldStrategy, Match: "^" + beside + "$", Values: beside, Why: why, Instead: "remove spec.updates.strategy, or set it to " + string(v1alpha1.StrategyInPlace)}
}

// beside checks that a cloud says of each kind with versions whether these can be changed by an object beside the present one.
func (v *validation) beside(r Resource) {
	versions := slices.ContainsFunc(r.Fields, func(row Field) bool { return row.Field == fieldVersion })
	lacks := slices.ContainsFunc(r.Lacks, func(l Lack) bool { return l.Field == FieldStrategy })
	switch can := r.Capabilities.Beside; {
	case versions && can == lacks:
		v.add("Capabilities.Beside is %t, and Lacks names %q: %t; have one of them", can, FieldStrategy, lacks)
	case !versions && can:
		v.add("Capabilities.Beside needs a row for %q; add it, or remove the capability", fieldVersion)
	}
}

// besideParameters reports whether a field that is not among the parameters of a kind is one that a cloud can lack all the same.
func besideParameters(r Resource, field string, leaves []string) bool {
	return field == fieldSource && r.Capabilities.Login || field == FieldStrategy && slices.Contains(leaves, fieldVersion)
}
