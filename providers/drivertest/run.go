package drivertest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Check is one obligation of the contract.
type Check struct {
	// Name says what must hold.
	Name string
	Run  func(t testing.TB)
}

// Run checks all obligations, each in a subtest of its own.
func Run(t *testing.T, h Harness) {
	for _, check := range h.Checks() {
		t.Run(check.Name, func(t *testing.T) { check.Run(t) })
	}
}

// Checks returns the obligations that a driver is held to. Each makes objects of its own, in any order;
// none may run beside another, since calls are counted.
func (h Harness) Checks() []Check {
	h.defaults()
	checks := append(description(h), connection(h)...)
	for _, kind := range h.Kinds {
		checks = append(checks, kind.checks(&h)...)
	}
	return checks
}

// defaults sets what is not set.
func (h *Harness) defaults() {
	if h.Prefix == "" {
		h.Prefix = "conform"
	}
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.Finish == nil {
		h.Finish = func(testing.TB) {}
	}
	if h.Patience == 0 {
		h.Patience = 300 * time.Millisecond
	}
	if h.Grace == 0 {
		h.Grace = time.Minute
	}
}

// connection returns the obligations that are about no kind.
func connection(h Harness) []Check {
	return slices.Concat(openings(h), identities(h))
}

// openings returns the obligations of Open.
func openings(h Harness) []Check {
	return []Check{
		{"Open/does not call the cloud", func(t testing.TB) {
			before := h.Calls()
			if _, err := h.Driver.Open(t.Context(), h.Config); err != nil {
				t.Fatalf("Open: %v", err)
			}
			if cost := h.Calls().minus(before); cost != (Calls{}) {
				t.Errorf("Open made calls: %+v", cost)
			}
		}},
		{"Open/has exactly the kinds of the harness, and refuses others without a call", func(t testing.TB) {
			for _, r := range h.Driver.Describe().Resources {
				serves(t, h, r.Kind, h.has(r.Kind))
			}
			for _, kind := range h.Kinds {
				serves(t, h, kind.kind(), true)
			}
			serves(t, h, "Nothing", false)
		}},
		{"Open/refuses what can't work as Invalid, or its location as NotFound, without showing secrets", func(t testing.TB) {
			if len(h.Refused) == 0 {
				t.Skip("not shown: the harness has no configs to refuse")
			}
			for name, cfg := range h.Refused {
				_, err := h.Driver.Open(t.Context(), cfg)
				if code := driver.CodeOf(err); err == nil || code != driver.Invalid && code != driver.NotFound {
					t.Errorf("%s: got error %v (%v), want one of code Invalid or NotFound", name, err, code)
				}
				if e, ok := errors.AsType[*driver.Error](err); ok && e.Op != "" {
					t.Errorf("%s: the message begins with %q, and nothing was called", name, e.Op)
				}
				var values []string
				for _, v := range cfg.Credentials {
					values = append(values, string(v))
				}
				noSecrets(t, err, append(values, h.Secrets...))
			}
		}},
		{"Open/takes one identity, and never falls back on that of the process", func(t testing.TB) {
			none, two := h.Config, h.Config
			none.Credentials, none.Ambient, none.Chain.WebIdentity = nil, false, nil
			two.Ambient, two.Chain.WebIdentity = true, &v1alpha1.WebIdentity{ServiceAccountName: "conform"}
			for name, cfg := range map[string]driver.Opening{"no identity": none, "more than one": two} {
				if _, err := h.Driver.Open(t.Context(), cfg); err == nil || driver.CodeOf(err) != driver.Invalid {
					t.Errorf("%s: got error %v (%v), want code Invalid", name, err, driver.CodeOf(err))
				}
			}
		}},
	}
}

// identities returns the obligations of Identity.
func identities(h Harness) []Check {
	return []Check{
		{"Identity/says where the credentials lead, by reads only", func(t testing.TB) {
			conn, before := h.open(t), h.Calls()
			got, err := conn.Identity(t.Context())
			if err != nil || got != h.Account {
				t.Errorf("got %q, %v, want %q", got, err, h.Account)
			}
			if cost := h.Calls().minus(before); cost.Writes != 0 {
				t.Errorf("Identity wrote: %+v", cost)
			}
		}},
		{"Identity/tells another account from ours", func(t testing.TB) {
			if h.Other == nil {
				t.Skip("not shown: the harness has no other account")
			}
			conn, err := h.Driver.Open(t.Context(), *h.Other)
			if err != nil {
				t.Fatalf("Open: %v", err)
			}
			got, err := conn.Identity(t.Context())
			if err != nil || got == h.Account || got == "" {
				t.Errorf("got %q, %v, want another account than %q", got, err, h.Account)
			}
		}},
	}
}

// serves checks whether a session knows a kind.
func serves(t testing.TB, h Harness, kind string, has bool) {
	t.Helper()
	s, before := h.open(t), h.Calls()
	req := driver.Request{Name: h.Prefix + "-missing", Location: h.Config.Location, NotBefore: h.Now()}
	seen, err := s.Observe(t.Context(), kind, req, driver.Secrets{})
	if has {
		if err != nil || seen.State != driver.Absent {
			t.Errorf("Observe of a missing %s: got %v and error %v, want Absent", kind, seen.State, err)
		}
		return
	}
	_, created := s.Create(t.Context(), kind, req, driver.Secrets{})
	_, updated := s.Update(t.Context(), kind, req, driver.Edit{Changes: []driver.Change{{Field: "tags", Effect: driver.Online}}}, driver.Secrets{})
	_, done := s.Do(t.Context(), kind, req, writeMark, driver.Secrets{})
	_, deleted := s.Delete(t.Context(), kind, req, driver.Secrets{})
	_, listed := s.List(t.Context(), kind, driver.ListRequest{})
	want := driver.Invalid
	if slices.Contains(h.Lacking, kind) {
		want = driver.Unsupported
	}
	for method, err := range map[string]error{"Observe": err, "List": listed, "Create": created, "Update": updated, "Do": done, "Delete": deleted} {
		if err == nil || driver.CodeOf(err) != want {
			t.Errorf("%s of a %s, which there is not: got error %v, want code %v", method, kind, err, want)
		}
	}
	if cost := h.Calls().minus(before); cost != (Calls{}) {
		t.Errorf("a %s, which there is not, cost calls: %+v", kind, cost)
	}
}

// open opens the suite's account.
func (h Harness) open(t testing.TB) driver.Session {
	t.Helper()
	conn, err := h.Driver.Open(t.Context(), h.Config)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return conn
}

// fail puts a fault in force, and skips the check if the harness can't.
func (h Harness) fail(t testing.TB, f Fault) (lift func()) {
	t.Helper()
	if h.Fail == nil {
		t.Skip("not shown: the harness can't make calls fail")
	}
	lift = h.Fail(f)
	t.Cleanup(lift)
	return lift
}

// skipUnless skips a check for which the harness lacks something.
func skipUnless(t testing.TB, has bool, what string) {
	t.Helper()
	if !has {
		t.Skipf("not shown: the harness has no %s", what)
	}
}
