package driver

import (
	"fmt"
	"strings"
)

// A NameRule says what names a cloud takes.
type NameRule struct {
	// MaxLength, in characters, of the names that Mooring chooses. They are made of lower-case letters, digits and
	// single hyphens, begin with a letter and do not end with a hyphen.
	MaxLength int
	// Patterns are what the cloud asks of the name of an object that is to be created. What exists may have another
	// name: from before a rule, or made by the cloud itself.
	Patterns []NamePattern
	// WithAccount is how many characters the account's id, one more and the name have together at most; 0 if the length of the id
	// does not matter. WithAccountRule says it.
	WithAccount     int
	WithAccountRule string
	// Scope is a second form of the names that Mooring chooses; nil if there is none.
	Scope *NameScope `json:",omitempty"`
}

// A NameScope is a form of names that say in which account and location the object is, so that nobody else can have such a name. Mooring's own names get it by a suffix.
type NameScope struct {
	// Setting is the field of the cloud's block in the spec of a provider config that says which form the names of new objects have, and Value what it says for this one.
	Setting, Value string
	// Suffix is what such names end in. {account} stands in it for the id of the account, and {location} for the location of the object.
	Suffix string
}

// In returns the suffix of names in an account and a location.
func (s NameScope) In(account AccountID, location string) string {
	return strings.NewReplacer("{account}", string(account), "{location}", location).Replace(s.Suffix)
}

// In returns the rule as it is for names in one account.
func (r NameRule) In(account AccountID) NameRule {
	if r.WithAccount == 0 {
		return r
	}
	longest := r.WithAccount - 1 - len(account)
	pattern := NamePattern{Match: fmt.Sprintf(`^.{1,%d}$`, max(longest, 1)), Rule: fmt.Sprintf("%s, which is %d in %s", r.WithAccountRule, longest, account)}
	return NameRule{MaxLength: min(r.MaxLength, longest), Patterns: append([]NamePattern{pattern}, r.Patterns...), Scope: r.Scope}
}

// A NamePattern is a rule of a cloud about names.
type NamePattern struct {
	// Match is a regular expression that a name must match, Never one that it must not match; empty for none.
	Match, Never string
	// Rule says it: "S3 takes names of 3 to 63 characters".
	Rule string
}

// Refuses returns an error with Code Invalid if the cloud would refuse to create an object of that name.
func (r NameRule) Refuses(name string) error {
	for _, p := range r.Patterns {
		if p.Match != "" && !compiled(p.Match).MatchString(name) || p.Never != "" && compiled(p.Never).MatchString(name) {
			return &Error{Code: Invalid, Message: fmt.Sprintf("nothing can be created under the name %q: %s", name, p.Rule)}
		}
	}
	return nil
}
