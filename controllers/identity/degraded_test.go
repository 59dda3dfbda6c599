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
// the outage, however the number of those that wait changes.
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
	expect("a moment of silence", v1alpha1.ReasonReady, "account 111", 0)
	h.now = h.now.Add(90 * time.Second)
	held := conn.Slots.Acquire(account.Request{Requester: "a", Priority: account.Resync, Wake: func() {}})
	expect("it hangs", v1alpha1.ReasonDegraded, "account 111, but the cloud has not answered since 2026-01-01 00:00 UTC, and 0 objects wait for it", 1)
	conn.Slots.Acquire(account.Request{Requester: "b", Priority: account.Resync, Wake: func() {}})
	h.now = h.now.Add(time.Minute)
	expect("one more waits", v1alpha1.ReasonDegraded, "since 2026-01-01 00:00 UTC, and 1 object waits for it", 1)
	h.cloud.identity = nil
	held.Release(true)
	h.now = h.now.Add(time.Minute)
	expect("it answers again", v1alpha1.ReasonReady, "account 111", 1)
}
