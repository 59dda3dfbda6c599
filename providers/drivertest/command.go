package drivertest

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// commands returns what holds of each command.
func commands[S any]() (all []obligation[S]) {
	for _, verb := range driver.Verbs {
		name := "command " + string(verb) + "/is Unsupported without a call where the kind lacks it"
		all = append(all, obligation[S]{name, func(t testing.TB, b *bench[S]) { commandLacking(t, b, verb) }})
	}
	return append(all, obligation[S]{"command/one that there is not is Invalid without a call", noSuchCommand[S]})
}

func commandLacking[S any](t testing.TB, b *bench[S], verb driver.Verb) {
	if b.described(t).Capabilities.Does(verb) {
		t.Skip("not shown: the kind has this command; its own obligations show it")
	}
	refusesCommand(t, b, driver.Command{Verb: verb}, driver.Unsupported)
}

func noSuchCommand[S any](t testing.TB, b *bench[S]) {
	refusesCommand(t, b, driver.Command{Verb: "no-such-command"}, driver.Invalid)
	refusesCommand(t, b, driver.Command{Verb: driver.WriteMark, Before: "as it was"}, driver.Invalid)
}

// refusesCommand wants a command refused with a code, before the cloud is asked.
func refusesCommand[S any](t testing.TB, b *bench[S], command driver.Command, code driver.Code) {
	t.Helper()
	req := b.request(t, b.kind.Minimal())
	req.Former = &driver.ParentRef{Name: req.Name, ID: "another"}
	x, before := b.open(t), b.Calls()
	if _, err := x.Do(t.Context(), req, command); err == nil || driver.CodeOf(err) != code {
		t.Errorf("%s: got error %v (%v), want one of code %v", command.Verb, err, driver.CodeOf(err), code)
	}
	if cost := b.Calls().minus(before); cost != (Calls{}) {
		t.Errorf("%s: it cost %+v, want no call", command.Verb, cost)
	}
}
