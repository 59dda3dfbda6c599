package portable

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// switches are the words by which engines and clouds say that a setting is on or off.
// https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-NAMES-VALUES
// https://dev.mysql.com/doc/refman/8.4/en/server-system-variables.html
var switches = map[string]bool{
	"on": true, "true": true, "yes": true, "1": true,
	"off": false, "false": false, "no": false, "0": false,
}

// Switch returns whether a setting with a value is on, and whether the value is one of a switch at all.
func Switch(value string) (on, isSwitch bool) {
	on, isSwitch = switches[strings.ToLower(value)]
	return on, isSwitch
}

// decimal is a number as engines write it. Numbers in other notations are compared as text.
var decimal = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)

// SameParameter reports whether two values of a setting of a database engine mean the same: on is 1, and 0.10 is 0.1. All else has to
// be equal to the letter, as names of files and formats are.
func SameParameter(want, have string) bool {
	if want == have {
		return true
	}
	a, isSwitch := Switch(want)
	b, too := Switch(have)
	if isSwitch && too {
		return a == b
	}
	if !decimal.MatchString(want) || !decimal.MatchString(have) {
		return false
	}
	x, okX := new(big.Rat).SetString(want)
	y, okY := new(big.Rat).SetString(have)
	return okX && okY && x.Cmp(y) == 0
}

// SameParameterDoc says it for the reference.
const SameParameterDoc = "on, true, yes and 1; off, false, no and 0; another way to write a number; and entries that others set, unless spec.parametersMode is Exact"

// WantedParameters returns the settings of the engine that a spec asks for; nil if it says nothing of them.
func WantedParameters(p *v1alpha1.DatabaseParameters) map[string]string {
	if p.Parameters == nil {
		return nil
	}
	out := make(map[string]string, len(p.Parameters))
	for name, value := range p.Parameters {
		out[name] = string(value)
	}
	return out
}

// ExactParameters reports whether a spec takes away the settings that others made.
func ExactParameters(p *v1alpha1.DatabaseParameters) bool {
	return p.ParametersMode != nil && *p.ParametersMode == v1alpha1.ParametersExact
}

// ParametersModeExempt is why no driver has a row for the mode.
const ParametersModeExempt = "it says what becomes of parameters that others set, and is nothing that the server has"
