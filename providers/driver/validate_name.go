package driver

import (
	"regexp"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// scopedName is what a suffix of names may be, apart from what its placeholders stand for.
var scopedName = regexp.MustCompile(`^-([a-z0-9-]|\{account\}|\{location\})+$`)

// scope checks the second form of names.
func (v *validation) scope(cloud string, rule NameRule) {
	s := rule.Scope
	if s == nil {
		return
	}
	v.oneOf("Name.Scope.Setting", s.Setting, v1alpha1.AccountFields(cloud), "spec."+cloud+" of a provider config")
	if s.Value == "" {
		v.add("Name.Scope.Value is empty, so that it would be the form of names where nobody says anything; set it")
	}
	if !scopedName.MatchString(s.Suffix) || strings.HasSuffix(s.Suffix, "-") {
		v.add("Name.Scope.Suffix is %q; it must begin with a hyphen, end with none, and have lower-case letters, digits, hyphens, {account} and {location} only", s.Suffix)
	}
	if room := rule.MaxLength - len(s.Suffix); room < shortestName {
		v.add("Name.Scope.Suffix leaves %d characters of a name; names need %d at least to be unique", room, shortestName)
	}
}
