package sql_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

// The words of a server are cut, cleaned and without secrets.
func TestServerError(t *testing.T) {
	t.Parallel()
	err := sql.ServerError("alter role", "42601", "near 'hunter2-secret'\x1b[31m\n"+strings.Repeat("long ", 100), sql.Cause{Code: driver.Internal, Advice: "advice"}, "hunter2-secret")
	text := err.Error()
	if strings.Contains(text, "hunter2") || strings.ContainsAny(text, "\x1b\n") || len(text) > 500 || !strings.Contains(text, "42601") || !strings.Contains(text, "advice") {
		t.Errorf("the error is %q", text)
	}
	if sql.StateOf(err) != "42601" || driver.CodeOf(err) != driver.Internal {
		t.Errorf("state %q, code %s", sql.StateOf(err), driver.CodeOf(err))
	}
}

// Unreachable says which step failed, and from where to where.
func TestUnreached(t *testing.T) {
	t.Parallel()
	target := sql.Target{Host: "db.example.com", Port: 5432, From: "the controller"}
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&net.DNSError{Err: "no such host", Name: "db.example.com"}, "name can't be resolved"},
		{context.DeadlineExceeded, "no answer in time"},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "refused"},
		{errors.New("broken pipe, says hunter2"), "broke"},
	} {
		err := sql.Unreached(target, "connect", tc.err)
		var unreachable *sql.Unreachable
		if text := err.Error(); !errors.As(err, &unreachable) || driver.CodeOf(err) != driver.Unavailable || !strings.Contains(text, tc.want) ||
			!strings.Contains(text, "the controller") || !strings.Contains(text, "db.example.com:5432") || strings.Contains(text, "hunter2") {
			t.Errorf("%v: %v", tc.err, err)
		}
	}
}
