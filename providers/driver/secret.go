package driver

import (
	"fmt"
	"io"
	"log/slog"
)

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
