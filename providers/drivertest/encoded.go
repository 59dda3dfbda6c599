package drivertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Encoded returns a driver that gets each message as JSON, and answers in JSON, as if it ran in another process. The
// test fails when a message that is decoded differs from the one that was encoded. Secrets travel beside the messages.
// A method that driver.Driver, Session or Host gains needs its line here: nothing is embedded, so it can't be left out.
func Encoded(t testing.TB, d driver.Driver) driver.Driver {
	t.Helper()
	return &encodedDriver{t: t, driver: d, description: roundTrip(t, d.Describe())}
}

type encodedDriver struct {
	t           testing.TB
	driver      driver.Driver
	description driver.Description
}

// Describe implements driver.Driver.
func (e *encodedDriver) Describe() driver.Description { return e.description }

// Preview implements driver.Driver.
func (e *encodedDriver) Preview(kind string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	changes, err := e.driver.Preview(kind, roundTrip(e.t, from), roundTrip(e.t, to), roundTrip(e.t, applied))
	return answer(e.t, changes, err)
}

// Check implements driver.Driver.
func (e *encodedDriver) Check(kind string, draft driver.Draft) ([]driver.Refusal, error) {
	refusals, err := e.driver.Check(kind, roundTrip(e.t, draft))
	return answer(e.t, refusals, err)
}

// Open implements driver.Driver. Only what an Opening consists of arrives: its Config as a message, and the credentials
// as a copy in clear.
func (e *encodedDriver) Open(ctx context.Context, with driver.Opening) (driver.Session, error) {
	arrived := driver.Opening{Config: roundTrip(e.t, with.Config), Credentials: maps.Clone(with.Credentials.InClear())}
	for key, value := range arrived.Credentials {
		arrived.Credentials[key] = bytes.Clone(value)
	}
	if with.Host != nil {
		arrived.Host = &encodedHost{t: e.t, host: with.Host}
	}
	session, err := e.driver.Open(inDriver(ctx), arrived)
	if err != nil {
		return nil, decodedError(e.t, err)
	}
	return &encodedSession{t: e.t, session: session}, nil
}

type encodedSession struct {
	t       testing.TB
	session driver.Session
}

// Identity implements driver.Session.
func (e *encodedSession) Identity(ctx context.Context) (driver.AccountID, error) {
	account, err := e.session.Identity(inDriver(ctx))
	return answer(e.t, account, err)
}

// Observe implements driver.Session.
func (e *encodedSession) Observe(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	observed, err := e.session.Observe(inDriver(ctx), kind, roundTrip(e.t, req), inClear(secrets))
	return answer(e.t, observed, err)
}

// List implements driver.Session.
func (e *encodedSession) List(ctx context.Context, kind string, req driver.ListRequest) (driver.Page, error) {
	page, err := e.session.List(inDriver(ctx), kind, roundTrip(e.t, req))
	return answer(e.t, page, err)
}

// inClear returns secrets as they travel beside a message: as a copy in clear.
func inClear(s driver.Secrets) driver.Secrets {
	return driver.Secrets{Own: driver.Password(s.Own.InClear()), Parent: driver.Login{Username: s.Parent.Username, Password: s.Parent.Password}}
}

// Create implements driver.Session.
func (e *encodedSession) Create(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	result, err := e.session.Create(inDriver(ctx), kind, roundTrip(e.t, req), inClear(secrets))
	return answer(e.t, result, err)
}

// Update implements driver.Session.
func (e *encodedSession) Update(
	ctx context.Context, kind string, req driver.Request, edit driver.Edit, secrets driver.Secrets,
) (driver.Result, error) {
	result, err := e.session.Update(inDriver(ctx), kind, roundTrip(e.t, req), roundTrip(e.t, edit), inClear(secrets))
	return answer(e.t, result, err)
}

// Do implements driver.Session.
func (e *encodedSession) Do(
	ctx context.Context, kind string, req driver.Request, command driver.Command, secrets driver.Secrets,
) (driver.Result, error) {
	result, err := e.session.Do(inDriver(ctx), kind, roundTrip(e.t, req), roundTrip(e.t, command), inClear(secrets))
	return answer(e.t, result, err)
}

// Delete implements driver.Session.
func (e *encodedSession) Delete(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	result, err := e.session.Delete(inDriver(ctx), kind, roundTrip(e.t, req), inClear(secrets))
	return answer(e.t, result, err)
}

// encodedHost is the host of an encoded session, as its driver sees it.
type encodedHost struct {
	t    testing.TB
	host driver.Host
}

// Token implements driver.Host. A token is a secret, so it travels beside the messages.
func (e *encodedHost) Token(ctx context.Context, audience string) (string, error) {
	token, err := e.host.Token(inHost(ctx), audience)
	return token, decodedError(e.t, err)
}

// Begin implements driver.Host.
func (e *encodedHost) Begin(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
	permitted, end := e.host.Begin(inHost(ctx), service, operation)
	return splitContext{permitted, ctx}, func(call driver.Call) { end(roundTrip(e.t, call)) }
}

// splitContext ends as one context does, and has the values of another one: the end of a call goes to another process
// with it, and its values stay.
type splitContext struct {
	context.Context //nolint:containedctx // it is a context
	values          context.Context
}

// Value implements context.Context.
func (c splitContext) Value(key any) any { return c.values.Value(key) }

// encodedCallKey is the key of the caller's context in that of its driver. Another process would know it by a number.
type encodedCallKey struct{}

// inDriver returns the context that a driver gets of a call: without a value that it can read.
func inDriver(ctx context.Context) context.Context {
	return splitContext{ctx, context.WithValue(context.Background(), encodedCallKey{}, ctx)}
}

// inHost returns the context that a host gets of a call that a driver makes: with the values of the caller on whose
// behalf it is made. A driver that makes it on nobody's behalf brings none.
func inHost(ctx context.Context) context.Context {
	if caller, ok := ctx.Value(encodedCallKey{}).(context.Context); ok {
		return splitContext{ctx, caller}
	}
	return splitContext{ctx, context.Background()}
}

// answer returns what arrives of an answer: the message, or nothing but the error.
func answer[T any](t testing.TB, message T, err error) (T, error) {
	t.Helper()
	if err != nil {
		var none T
		return none, decodedError(t, err)
	}
	return roundTrip(t, message), nil
}

// decodedError returns what arrives of an error: its data; nil for none.
func decodedError(t testing.TB, err error) error {
	t.Helper()
	if err == nil {
		return nil
	}
	return roundTrip(t, driver.ErrorOf(err))
}

// roundTrip encodes a message and returns what a strict decoder makes of it. The test fails if that differs.
func roundTrip[T any](t testing.TB, sent T) T {
	t.Helper()
	arrived, err := decoded(sent)
	if err == nil {
		err = differs(sent, arrived)
	}
	if err != nil {
		t.Errorf("%T does not survive JSON: %v", sent, err)
	}
	return arrived
}

func decoded[T any](sent T) (arrived T, err error) {
	text, err := json.Marshal(sent)
	if err != nil {
		return arrived, err
	}
	from := json.NewDecoder(bytes.NewReader(text))
	from.DisallowUnknownFields()
	if err := from.Decode(&arrived); err != nil {
		return arrived, err
	}
	if _, err := from.Token(); !errors.Is(err, io.EOF) {
		return arrived, errors.New("there is more behind the message")
	}
	return arrived, nil
}

// differs returns an error that shows how the message that arrived differs from the one that was sent; nil if it does not.
func differs(sent, arrived any) error {
	if diff := cmp.Diff(sent, arrived, inEveryField); diff != "" {
		return fmt.Errorf("what arrived differs (-sent +arrived):\n%s", diff)
	}
	return nil
}

// inEveryField compares all that messages hold, what is not exported included. A Spec and a time say themselves when they
// are equal. The error of an SDK stays in the process that made it, as its comment says.
var inEveryField = cmp.Options{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.FilterPath(func(p cmp.Path) bool {
		field, ok := p.Last().(cmp.StructField)
		return ok && p.Index(-2).Type() == reflect.TypeFor[driver.Error]() && field.Name() == "Err"
	}, cmp.Ignore()),
	cmp.Comparer(sameJSON),
}

// sameJSON reports whether two texts are the same JSON: encoding takes out white space and escapes letters.
func sameJSON(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return slices.Equal(a, b)
	}
	value := func(text json.RawMessage) (v any, err error) {
		from := json.NewDecoder(bytes.NewReader(text))
		from.UseNumber()
		err = from.Decode(&v)
		return v, err
	}
	valueOfA, err := value(a)
	valueOfB, other := value(b)
	return err == nil && other == nil && reflect.DeepEqual(valueOfA, valueOfB)
}
