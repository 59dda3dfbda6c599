package driver

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// PasswordLength is the length, in characters, of the passwords that NewPassword generates.
const PasswordLength = 30

// NewPassword generates a random password with 130 bits of entropy. It has every class of characters that a server's
// password policy may require. It does not contain username, which may be empty.
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

// A PasswordRule describes the administrator's passwords that a cloud accepts. The zero rule accepts all. It must
// accept the passwords of NewPassword.
type PasswordRule struct {
	// Engines are the engines that the rule applies to, as in the spec's field engine. If it is empty, the rule applies
	// to all engines without a rule of their own.
	Engines []string
	// MinLength and MaxLength are in bytes; 0 means no limit.
	MinLength, MaxLength int
	// ASCII: only printable ASCII characters and the space are accepted. Otherwise all characters except control
	// characters are.
	ASCII bool
	// Excluded are characters that are not accepted.
	Excluded string
}

// Check returns the requirement that a password violates; empty if it may be sent. The result never contains the
// password.
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

// Password returns the password rule for an object's engine, from its spec. It is the zero rule for a kind without a
// login.
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

// CloudManagedLack returns the Lack of a cloud that can't manage the administrator's password. why is a clause that
// follows "because".
func CloudManagedLack(why string) Lack {
	managed := string(v1alpha1.CredentialsCloudManaged)
	return Lack{
		Field: fieldSource, Match: "^" + managed + "$", Values: managed,
		Why: why, Instead: "set spec.credentials.source to Generated or SecretRef, or remove it",
	}
}
