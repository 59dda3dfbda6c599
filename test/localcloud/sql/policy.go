package sql

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// validPolicy holds a password policy to its values. No recording shows the refusals, nor their words.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#PasswordValidationPolicy
func validPolicy(in, _ *sqladmin.DatabaseInstance) error {
	c := in.Settings.PasswordValidationPolicy
	if c == nil {
		return nil
	}
	interval, err := time.ParseDuration(c.PasswordChangeInterval)
	switch {
	case c.PasswordChangeInterval != "" && (err != nil || !strings.HasSuffix(c.PasswordChangeInterval, "s") || interval < 0):
		return sqlInvalid("Invalid value at 'settings.passwordValidationPolicy.passwordChangeInterval'.")
	case interval > 0 && sqlFamily(in.DatabaseVersion) == "MYSQL":
		return sqlInvalid("passwordChangeInterval is only supported for PostgreSQL.")
	case c.MinLength < 0 || c.ReuseInterval < 0:
		return sqlInvalid("Invalid value at 'settings.passwordValidationPolicy': it must not be negative.")
	case !slices.Contains([]string{"", "COMPLEXITY_UNSPECIFIED", "COMPLEXITY_DEFAULT"}, c.Complexity):
		return sqlInvalid(fmt.Sprintf("Invalid value at 'settings.passwordValidationPolicy.complexity': %q", c.Complexity))
	}
	return nil
}

// A sqlPassword is one that a user has or had.
type sqlPassword struct {
	text string
	at   time.Time
}

// breach says what a password breaks of an instance's policy, or nothing. former are the passwords of that user, the latest last. The words
// about the length and the classes of characters are those that people report; no recording shows any, nor whether case matters in names.
// https://github.com/terraform-google-modules/terraform-google-sql-db/pull/521
// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/431
func breach(resource google.Object, user, password string, former []sqlPassword, now time.Time) string {
	c := google.Typed[sqladmin.DatabaseInstance](resource).Settings.PasswordValidationPolicy
	if c == nil || !c.EnablePasswordPolicy {
		return ""
	}
	lacks := func(of func(rune) bool) bool { return !strings.ContainsFunc(password, of) }
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	interval, _ := time.ParseDuration(c.PasswordChangeInterval)
	since := former[max(0, len(former)-int(c.ReuseInterval)):]
	switch {
	case int64(len([]rune(password))) < c.MinLength:
		return fmt.Sprintf("Length of password cannot be less than %d. .", c.MinLength)
	case c.Complexity == "COMPLEXITY_DEFAULT" && (lacks(unicode.IsLower) || lacks(unicode.IsUpper) || lacks(unicode.IsDigit) || lacks(other)):
		return "password should contain at least one lowercase, one uppercase, one number and one non-alphanumeric characters."
	case c.DisallowUsernameSubstring && strings.Contains(strings.ToLower(password), strings.ToLower(user)):
		return "password should not contain the username."
	case slices.ContainsFunc(since, func(p sqlPassword) bool { return p.text == password }):
		return fmt.Sprintf("password should not be one of the last %d passwords.", c.ReuseInterval)
	case len(former) > 0 && now.Before(former[len(former)-1].at.Add(interval)):
		return "password was changed too recently."
	}
	return ""
}

// mayHave refuses a password that breaks the instance's policy.
func (in *sqlInstance) mayHave(r *sqlRequest, user, password string) error {
	if broken := breach(in.resource, user, password, in.passwords[user], r.Now); broken != "" {
		return sqlInvalid("INVALID_PASSWORD: " + broken)
	}
	return nil
}

// remember notes the password that a user gets.
func (in *sqlInstance) remember(r *sqlRequest, user, password string) {
	if in.passwords == nil {
		in.passwords = map[string][]sqlPassword{}
	}
	in.passwords[user] = append(in.passwords[user], sqlPassword{password, r.Now})
}

// sqlAdministrator is the user that every server of an engine has.
func sqlAdministrator(version string) string {
	if sqlFamily(version) == "MYSQL" {
		return "root"
	}
	return "postgres"
}
