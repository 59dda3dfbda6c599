package driver

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// PasswordLength is how many characters the passwords have that NewPassword makes.
const PasswordLength = 30

// NewPassword makes a password for a user, at random: 130 bits of it. It has every class of characters that the password policy of a server may
// demand, and it does not contain the name of the user, which may be empty.
func NewPassword(username string) string {
	var password string
	for range 100 { // a name of one letter is in most texts of that length
		for _, classes := range []string{"aA1-", "bB2-"} {
			password = classes + rand.Text()
			if username == "" || !strings.Contains(strings.ToLower(password), strings.ToLower(username)) {
				return password
			}
		}
	}
	return password
}

// A PasswordRule says what passwords a cloud takes for the administrator. The zero rule refuses nothing. The passwords that
// Mooring makes (see NewPassword) must keep to it.
type PasswordRule struct {
	// Engines are the engines that the rule is for, as the field engine of the spec names them; empty for all that no other rule names.
	Engines []string
	// MinLength and MaxLength are in bytes; 0 is no limit.
	MinLength, MaxLength int
	// ASCII: only printable ASCII characters, the space among them. Without it, all but control characters.
	ASCII bool
	// Excluded are characters that the password must not hold.
	Excluded string
}

// Check returns what a password must be like if it is not so, "" if it may be sent. It never shows the password.
func (r PasswordRule) Check(password string) string {
	switch {
	case r.MinLength > 0 && len(password) < r.MinLength, r.MaxLength > 0 && len(password) > r.MaxLength:
		return fmt.Sprintf("it must have %d to %d bytes", max(r.MinLength, 1), r.MaxLength)
	case r.MaxLength > 0 && strings.ContainsFunc(password, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "it must have no line breaks and no other control characters"
	case r.ASCII && strings.ContainsFunc(password, func(c rune) bool { return c > '~' }):
		return "it must consist of printable ASCII characters"
	case r.Excluded != "" && strings.ContainsAny(password, r.Excluded):
		return fmt.Sprintf("it must not contain any of the characters %q", strings.Split(r.Excluded, ""))
	}
	return ""
}

// Password returns the rule for the administrator of an object with that spec: that of its engine. It is the zero rule for a kind
// without a login.
func (r Resource) Password(spec Spec) (PasswordRule, error) {
	if len(r.Passwords) == 0 {
		return PasswordRule{}, nil
	}
	of, err := SpecOf[struct {
		Engine string `json:"engine"`
	}](spec)
	if err != nil {
		return PasswordRule{}, err
	}
	var rule PasswordRule
	for _, p := range r.Passwords {
		switch {
		case slices.Contains(p.Engines, of.Engine):
			return p, nil
		case len(p.Engines) == 0:
			rule = p
		}
	}
	return rule, nil
}

// fieldSource is the field of the spec that says who manages the administrator's password.
const fieldSource = "credentials.source"

// CloudManagedLack is the Lack of a cloud that does not manage administrators' passwords. why says so as a clause that follows
// "because".
func CloudManagedLack(why string) Lack {
	managed := string(v1alpha1.CredentialsCloudManaged)
	return Lack{
		Field: fieldSource, Match: "^" + managed + "$", Values: managed,
		Why: why, Instead: "set spec.credentials.source to Generated or SecretRef, or remove it",
	}
}
