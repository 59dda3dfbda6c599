package session

import (
	"errors"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A refusal that wraps no error of a client gets its advice too, once, and can be printed and redacted.
func TestAdviceAboutARefusalWithoutACause(t *testing.T) {
	api := &API{Refusals: []Refusal{{Code: driver.Denied, Advice: "grant the role"}}}
	err := api.advise("Insert", &driver.Error{Code: driver.Denied, Message: "hush-hush is denied."})
	err = driver.RedactError(Advise(err, "grant another role", driver.Denied), "hush-hush")
	if want := "(secret) is denied: grant the role"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if cause := errors.Unwrap(api.advise("Insert", &driver.Error{Code: driver.Denied})); cause.Error() != "" {
		t.Errorf("the cause says %q, and there is none", cause)
	}
}
