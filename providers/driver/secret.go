package driver

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/mooring-dev/mooring/providers/field"
)

// shortestSecret is the length of the shortest secret that Redact looks for: to cut out shorter ones would mangle messages, and hide
// nothing.
const shortestSecret = 4

// Redact cuts secrets out of a message, as they are and as base64, which is how the API server writes the contents of a Secret. It has to
// see the whole message: of a secret that was cut in two it knows neither part.
func Redact(message string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) < shortestSecret {
			continue
		}
		for _, form := range []string{
			secret, base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret)),
			base64.URLEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		} {
			message = strings.ReplaceAll(message, form, field.Redacted)
		}
	}
	return message
}

// A Login is an administrator's username and password. However it is printed, logged or marshalled,
// alone or inside a Request, its password is not shown.
type Login struct {
	// Username is empty for the cloud's usual one.
	Username string
	// Password is the one to set: in a creation, with FieldPassword, and with FieldUsername where a cloud makes users
	// by calls of their own. Empty if none is to be touched.
	Password string `json:"-"`
}

// String implements fmt.Stringer, without the password.
func (l Login) String() string { return l.Username + ":(secret)" }

// GoString implements fmt.GoStringer, without the password.
func (l Login) GoString() string { return l.String() }

// Format implements fmt.Formatter: a Stringer is not asked for every verb, and %d would show the password.
func (l Login) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, l.String()) }

// LogValue implements slog.LogValuer, without the password.
func (l Login) LogValue() slog.Value { return slog.StringValue(l.String()) }

// Credentials are the contents of a credentials Secret. However they are printed, logged or marshalled,
// alone or inside a Config, they are not shown.
type Credentials map[string][]byte

// String implements fmt.Stringer, without the values.
func (Credentials) String() string { return "(secret)" }

// GoString implements fmt.GoStringer, without the values.
func (c Credentials) GoString() string { return c.String() }

// Format implements fmt.Formatter: a Stringer is not asked for every verb.
func (c Credentials) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue implements slog.LogValuer, without the values.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON implements json.Marshaler, without the values: loggers marshal what they don't know.
func (c Credentials) MarshalJSON() ([]byte, error) { return []byte(`"(secret)"`), nil }
