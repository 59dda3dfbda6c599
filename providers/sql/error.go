package sql

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Unreachable is the error of a server that does not answer, or whose identity can't be verified. Its code is
// Unavailable.
type Unreachable struct {
	From, To string
	// Why says which step failed, without the server's words, and Advice which rule is usually missing.
	Why, Advice string
	Err         error
}

// Error implements error.
func (u *Unreachable) Error() string {
	return fmt.Sprintf("%s can't reach the database server at %s: %s. %s", u.From, u.To, u.Why, u.Advice)
}

// Unwrap returns the error as data, and the cause.
func (u *Unreachable) Unwrap() []error {
	return []error{&driver.Error{Code: driver.Unavailable, Message: u.Error()}, u.Err}
}

// State is the code by which a server calls an error: an SQLSTATE of PostgreSQL, or a number of MySQL.
type State string

// Error implements error.
func (s State) Error() string { return "server error " + string(s) }

// A Cause is a row of an engine's error table.
type Cause struct {
	Code   driver.Code
	Advice string
	// Transient says that the same statement may succeed after a short time.
	Transient bool
}

// longestWords is how much of a server's own text is shown, in bytes.
const longestWords = 300

// ServerError makes the error of a statement that a server refused. The server's words are a tenant's in the worst
// case: they are cut, cleaned of control characters and of secrets, and nothing decides by them.
func ServerError(op string, state State, words string, cause Cause, secrets ...string) error {
	words = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, driver.Redact(words, secrets...))
	if len(words) > longestWords {
		words = strings.ToValidUTF8(words[:longestWords], "") + "…"
	}
	message := fmt.Sprintf("the server answered %q (%s)", words, string(state))
	if cause.Advice != "" {
		message += ": " + cause.Advice
	}
	return &driver.Error{Code: cause.Code, Op: op, Message: message, Settling: cause.Transient, Err: state}
}

// StateOf returns the server's code of an error, or "" if no server answered.
func StateOf(err error) State {
	state, _ := errors.AsType[State](err)
	return state
}

// TimedOut reports whether an error is that of a deadline.
func TimedOut(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// Unreached makes the error of a connection that failed without an answer.
func Unreached(target Target, op string, err error) error {
	u := &Unreachable{
		From: target.Origin(), To: net.JoinHostPort(target.Host, strconv.Itoa(target.Port)), Err: err, Why: "the connection broke (" + op + ")",
		Advice: "Check that the server is running, and that its firewall or security group lets this address in",
	}
	var name *net.DNSError
	var refused *Refused
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &refused):
		u.Why = refused.Error()
		u.Advice = "If the address is right, a platform engineer lists its range in the ClusterProviderConfig"
	case errors.Is(err, errTooMuch):
		u.Why, u.Advice = errTooMuch.Error(), "Look at the number of its tables, roles and privileges"
	case errors.As(err, &name):
		u.Why, u.Advice = "its name can't be resolved", "Check the DNS of the cluster, and that the private zone of the server is visible from it"
	case errors.As(err, &certificate), isCertificate(err):
		u.Why, u.Advice = "its certificate can't be verified for this name", "Check the certificate authorities of the provider"
	case TimedOut(err):
		u.Why, u.Advice = "no answer in time", "Usually a security group, a firewall rule, an authorized network or a route is missing between them"
	case errors.Is(err, syscall.ECONNREFUSED):
		u.Why = "the connection is refused"
	}
	return u
}

// isCertificate reports whether verification failed in a way that crypto/tls does not wrap.
func isCertificate(err error) bool {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}
