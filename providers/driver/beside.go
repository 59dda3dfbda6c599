package driver

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// fieldVersion is the field of kinds that have versions.
const fieldVersion = "version"

// BesideLack is the Lack of a cloud that changes versions in place only. why says so as a clause that follows "because".
func BesideLack(why string) Lack {
	beside := string(v1alpha1.StrategyBlueGreen)
	return Lack{Field: FieldStaged, Match: "^" + beside + "$", Values: beside, Why: why, Instead: "remove spec.updates.strategy, or set it to " + string(v1alpha1.StrategyInPlace)}
}
