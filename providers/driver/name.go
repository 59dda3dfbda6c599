package driver

import (
	"fmt"
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
}

// In returns the rule as it is for names in one account.
func (r NameRule) In(account AccountID) NameRule {
	if r.WithAccount == 0 {
		return r
	}
	longest := r.WithAccount - 1 - len(account)
	pattern := NamePattern{Match: fmt.Sprintf(`^.{1,%d}$`, max(longest, 1)), Rule: fmt.Sprintf("%s, which is %d in %s", r.WithAccountRule, longest, account)}
	return NameRule{MaxLength: min(r.MaxLength, longest), Patterns: append([]NamePattern{pattern}, r.Patterns...)}
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
