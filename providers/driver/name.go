package driver

import (
	"fmt"
	"strings"
)

// A NameRule describes the names that a cloud accepts.
type NameRule struct {
	// MaxLength is the maximum length, in characters, of the names that Mooring chooses. Such names have lower-case
	// letters, digits and single hyphens. They begin with a letter, and do not end with a hyphen.
	MaxLength int
	// Patterns are the rules for the name of a new object. An existing object may have another name, because it is
	// older than a rule, or because the cloud itself created it.
	Patterns []NamePattern
	// WithAccount is the maximum length of the account's id, a separator and the name together; 0 for no limit.
	// WithAccountRule describes the rule.
	WithAccount     int
	WithAccountRule string
	// Scope is another form of names, which includes the account and the location; nil if there is none.
	Scope *NameScope `json:",omitempty"`
}

// A NameScope is a form of names that include the account and the location of the object, so that no other account can
// take such a name. Names that Mooring chooses get it by a suffix.
type NameScope struct {
	// Setting is the field of a provider config's cloud block that selects the form of new names. Value is its value
	// for this form.
	Setting, Value string
	// Suffix is the end of such names. It has placeholders: {account} for the id of the account, and {location} for the
	// location of the object.
	Suffix string
}

// In returns the suffix of names in an account and a location.
func (s NameScope) In(account AccountID, location string) string {
	return strings.NewReplacer("{account}", string(account), "{location}", location).Replace(s.Suffix)
}

// In returns the rule for the names in one account.
func (r NameRule) In(account AccountID) NameRule {
	if r.WithAccount == 0 {
		return r
	}
	longest := r.WithAccount - 1 - len(account)
	pattern := NamePattern{Match: fmt.Sprintf(`^.{1,%d}$`, max(longest, 1)), Rule: fmt.Sprintf("%s, which is %d in %s", r.WithAccountRule, longest, account)}
	return NameRule{MaxLength: min(r.MaxLength, longest), Patterns: append([]NamePattern{pattern}, r.Patterns...), Scope: r.Scope}
}

// A NamePattern is a rule of a cloud for names.
type NamePattern struct {
	// Match is a regular expression that a name must match. Never is one that it must not match. Each may be empty.
	Match, Never string
	// Rule describes the rule, for example "S3 takes names of 3 to 63 characters".
	Rule string
}

// Refuses returns an error with Code Invalid if the cloud would refuse to create an object with this name.
func (r NameRule) Refuses(name string) error {
	for _, p := range r.Patterns {
		if p.Match != "" && !compiled(p.Match).MatchString(name) || p.Never != "" && compiled(p.Never).MatchString(name) {
			return &Error{Code: Invalid, Message: fmt.Sprintf("nothing can be created under the name %q: %s", name, p.Rule)}
		}
	}
	return nil
}
