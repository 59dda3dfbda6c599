package driver

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// shortestSecret is the length of the shortest secret that Redact looks for: to cut out shorter ones would mangle messages, and hide
// nothing.
const shortestSecret = 4

// Redact replaces secrets in a message. It finds them as they are, without surrounding white space, in a JSON string,
// and as base64, the encoding of Secrets in the Kubernetes API. Call it with the whole message and all secrets: it
// can't find a part of a secret.
func Redact(message string, secrets ...string) string {
	hidden := make([]bool, len(message))
	for _, secret := range secrets {
		for _, form := range forms(secret) {
			hide(hidden, message, form)
		}
	}
	var shown strings.Builder
	for i := range len(message) {
		switch {
		case !hidden[i]:
			shown.WriteByte(message[i])
		case i == 0 || !hidden[i-1]:
			shown.WriteString(Redacted)
		}
	}
	return shown.String()
}

// RedactError replaces secrets in an error, in case the cloud's response contains one. Then the SDK's error is dropped,
// because it has the same text.
func RedactError(err error, secrets ...string) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	text := e.Error()
	if e.Err != nil {
		text += "\n" + e.Err.Error()
	}
	if Redact(text, secrets...) == text {
		return err
	}
	return &Error{Code: e.Code, Op: e.Op, RetryAfter: e.RetryAfter, Settling: e.Settling, Message: Redact(e.Message, secrets...)}
}

// hide notes which bytes of a message belong to a text, wherever it occurs.
func hide(hidden []bool, message, text string) {
	for from := 0; ; {
		at := strings.Index(message[from:], text)
		if at < 0 {
			return
		}
		from += at
		for i := range len(text) {
			hidden[from+i] = true
		}
		from++
	}
}

// forms returns the texts by which a message may show a secret.
func forms(secret string) (all []string) {
	for _, value := range []string{secret, strings.TrimSpace(secret)} {
		if len(value) < shortestSecret {
			continue
		}
		all = append(all, value, inJSON(value, true), inJSON(value, false))
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			all = append(all, encoding.EncodeToString([]byte(value)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inJSON returns a text as a JSON string has it between its quotes: a line's end is \n there, and < may be \u003c.
func inJSON(text string, escapeHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	if err := e.Encode(text); err != nil {
		panic(err) // a string
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// concealed is what takes a secret's place wherever it is printed, logged or marshalled.
const concealed = "(secret)"

// A Password is an administrator's password. Printing, logging or marshalling it never shows it.
type Password string

// InClear returns the password. Call it only to send the password: to the cloud, or to a driver.
func (p Password) InClear() string { return string(p) }

// String implements fmt.Stringer, without the password.
func (Password) String() string { return concealed }

// GoString implements fmt.GoStringer, without the password.
func (Password) GoString() string { return concealed }

// Format implements fmt.Formatter: a Stringer is not asked for every verb.
func (Password) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, concealed) }

// LogValue implements slog.LogValuer, without the password.
func (Password) LogValue() slog.Value { return slog.StringValue(concealed) }

// MarshalJSON implements json.Marshaler, without the password: loggers marshal what they don't know.
func (Password) MarshalJSON() ([]byte, error) { return []byte(`"` + concealed + `"`), nil }

// Secrets are the secret values of a call, which are not part of its messages. Printing, logging or marshalling them
// never shows the values.
type Secrets struct {
	// Own is the password of the object's own administrator; empty if none is to be set.
	Own Password
	// Parent is the administrator's login of the parent, in every call, also in those that read or delete. It is zero
	// for a kind without a parent, and for a parent without a login.
	Parent Login
}

// String implements fmt.Stringer, without the values.
func (Secrets) String() string { return concealed }

// GoString implements fmt.GoStringer, without the values.
func (Secrets) GoString() string { return concealed }

// Format implements fmt.Formatter: a Stringer is not asked for every verb.
func (Secrets) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, concealed) }

// LogValue implements slog.LogValuer, without the values.
func (Secrets) LogValue() slog.Value { return slog.StringValue(concealed) }

// MarshalJSON implements json.Marshaler, without the values: loggers marshal what they don't know.
func (Secrets) MarshalJSON() ([]byte, error) { return []byte(`"` + concealed + `"`), nil }

// A Login is an administrator's username and password, inside a driver. Printing, logging or marshalling it never shows
// the password.
type Login struct {
	// Username is empty for the cloud's default.
	Username string
	// Password is the password to set; empty if none is to be set. It is used by a creation, by a PasswordChange that
	// Sets, and for FieldUsername in a cloud that creates users by separate calls.
	Password string `json:"-"`
}

// String implements fmt.Stringer, without the password.
func (l Login) String() string { return l.Username + ":" + concealed }

// GoString implements fmt.GoStringer, without the password.
func (l Login) GoString() string { return l.String() }

// Format implements fmt.Formatter: a Stringer is not asked for every verb, and %d would show the password.
func (l Login) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, l.String()) }

// LogValue implements slog.LogValuer, without the password.
func (l Login) LogValue() slog.Value { return slog.StringValue(l.String()) }

// Credentials are the contents of a credentials Secret. Printing, logging or marshalling them, alone or in an Opening,
// never shows them.
type Credentials map[string][]byte

// InClear returns the contents. Call it only to pass them to a driver.
func (c Credentials) InClear() map[string][]byte { return c }

// String implements fmt.Stringer, without the values.
func (Credentials) String() string { return concealed }

// GoString implements fmt.GoStringer, without the values.
func (c Credentials) GoString() string { return c.String() }

// Format implements fmt.Formatter: a Stringer is not asked for every verb.
func (c Credentials) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue implements slog.LogValuer, without the values.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON implements json.Marshaler, without the values: loggers marshal what they don't know.
func (c Credentials) MarshalJSON() ([]byte, error) { return []byte(`"` + concealed + `"`), nil }
