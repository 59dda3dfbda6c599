package identity

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A config whose cloud does not answer stays usable, and says since when nobody answers and how many objects wait. A moment of silence is no news, and one Event tells of
// the outage, however the number of objects changes. An edit meanwhile is not told to be verified.
func TestDegradedConfig(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	one, events := 1, 0
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: time.Minute, Users: shopUsers(&one), Warn: func(client.Object, string, string) { events++ }})
	ready := func() metav1.Condition {
		t.Helper()
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}}); err != nil {
			t.Fatal(err)
		}
		cfg := teamConfig()
		if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg); err != nil {
			t.Fatal(err)
		}
		return cfg.Status.Conditions[0]
	}
	expect := func(when string, reason v1alpha1.Reason, says string, told int) {
		t.Helper()
		got := ready()
		if got.Status != "True" || got.Reason != string(reason) || !strings.Contains(got.Message, says) || events != told {
			t.Errorf("%s: %+v, and %d Events; want True, %s, %q and %d", when, got, events, reason, says, told)
		}
	}
	conn, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	call := func(requester string, answered bool) {
		t.Helper()
		slot := conn.Slots.Acquire(account.Request{Requester: requester, Priority: account.Resync, Wake: func() {}})
		if slot == nil {
			t.Fatal("no slot")
		}
		slot.Release(answered)
	}
	expect("it answers", v1alpha1.ReasonReady, "account 111", 0)
	h.cloud.identity = &driver.Error{Code: driver.Unavailable, Op: "GetCallerIdentity", Message: "no answer"}
	call("a", false)
	h.now = h.now.Add(90 * time.Second)
	expect("one call without an answer", v1alpha1.ReasonReady, "account 111", 0)
	call("a", false)
	expect("it hangs", v1alpha1.ReasonDegraded, "account 111 when the cloud last answered, but the cloud has not answered since 2026-01-01 00:00 UTC, and objects that use this provider config wait for it: 1", 1)
	one = 2
	expect("one more object", v1alpha1.ReasonDegraded, "wait for it: 2", 1)
	edited := teamConfig()
	if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(edited), edited); err != nil {
		t.Fatal(err)
	}
	edited.Generation++
	if err := h.Client.Update(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	got := ready()
	if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(edited), edited); err != nil {
		t.Fatal(err)
	}
	if got.ObservedGeneration == edited.Generation || edited.Status.ObservedGeneration == edited.Generation {
		t.Errorf("%+v and the status speak of generation %d, which nobody could verify", got, edited.Generation)
	}
	h.cloud.identity = nil
	call("a", true)
	h.now = h.now.Add(time.Minute)
	expect("one answer may be chance", v1alpha1.ReasonDegraded, "account 111, but the cloud has not answered", 1)
	for range 8 {
		call("a", true)
	}
	expect("it answers again", v1alpha1.ReasonReady, "account 111", 1)
	call("a", false)
	h.now = h.now.Add(90 * time.Second)
	call("a", false)
	expect("it hangs again", v1alpha1.ReasonDegraded, "since 2026-01-01 00:02 UTC", 2)
	one = 0
	h.now = h.now.Add(time.Minute)
	expect("no object uses it", v1alpha1.ReasonReady, "account 111", 2)
	one = 1
	h.now = h.now.Add(10 * time.Minute)
	expect("nobody asks any more", v1alpha1.ReasonReady, "account 111", 2)
}
