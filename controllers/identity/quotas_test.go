package identity

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A quota that is nearly used is told before it is used up: in the condition, by an Event and in the metrics. The cloud is asked once an hour, for what objects of the config's kinds take.
func TestNearlyUsedQuotas(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	users, warned, asked, kinds := 1, []string{}, 0, []string(nil)
	used, refused := int64(79), error(nil)
	h.cloud.quotas = func(of []string) ([]driver.QuotaUsage, error) {
		asked++
		if len(of) == 0 {
			return nil, nil
		}
		if refused != nil {
			return nil, refused
		}
		return []driver.QuotaUsage{{Name: "DBInstances", What: "DB instances", Used: 3, Max: 40}, {Name: "ManualSnapshots", What: "manual DB snapshots", Used: used, Max: 100}}, nil
	}
	r := h.Reconciler(ReconcilerOptions{
		Kind: KindProviderConfig, Check: 10 * time.Minute, Users: shopUsers(&users), Kinds: func(context.Context, Key) ([]string, error) { return kinds, nil },
		Warn: func(_ client.Object, reason, _ string) { warned = append(warned, reason) },
	})
	reconciled := func(says string, calls, warnings int) {
		t.Helper()
		_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(teamConfig())})
		cfg := teamConfig()
		if err != nil || h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg) != nil {
			t.Fatal(err)
		}
		ready := cfg.Status.Conditions[0]
		if ready.Status != metav1.ConditionTrue || !strings.Contains(ready.Message, says) || says == "" && strings.Contains(ready.Message, "quota") {
			t.Errorf("got %+v, want it to be Ready, and to say %q", ready, says)
		}
		if asked != calls || len(warned) != warnings {
			t.Errorf("asked %d times, and warned of %q; want %d and %d", asked, warned, calls, warnings)
		}
	}
	reconciled("", 1, 0) // nothing takes any
	kinds = []string{"Database"}
	h.now = h.now.Add(idleCheck - time.Second)
	reconciled("", 1, 0)
	h.now, asked = h.now.Add(time.Second), 0
	reconciled("", 1, 0)
	used = 80
	h.now = h.now.Add(quotaCheck - time.Second)
	reconciled("", 1, 0)
	h.now = h.now.Add(time.Second)
	const nearly = "; 75% or more of the quota of 100 manual DB snapshots in eu-central-1 is used: beyond it the cloud refuses more"
	reconciled(nearly, 2, 1)
	reconciled(nearly, 2, 1)
	want := []Quota{
		{"aws", "111", "eu-central-1", driver.QuotaUsage{Name: "DBInstances", What: "DB instances", Used: 3, Max: 40}},
		{"aws", "111", "eu-central-1", driver.QuotaUsage{Name: "ManualSnapshots", What: "manual DB snapshots", Used: 80, Max: 100}},
	}
	if diff := cmp.Diff(want, h.Quotas()); diff != "" {
		t.Errorf("for the metrics (-want +got):\n%s", diff)
	}
	if warned[0] != v1alpha1.EventQuotaNearlyUsed {
		t.Errorf("warned of %q", warned)
	}
	h.now, used = h.now.Add(quotaCheck), 75 // no news
	reconciled(nearly, 3, 1)
	refused = &driver.Error{Code: driver.Throttled, Message: "not now"} // which says nothing of the credentials, nor of the quotas
	h.now = h.now.Add(quotaCheck)
	reconciled(nearly, 4, 1)
	h.now = h.now.Add(staleAfter - quotaCheck)
	reconciled("", 5, 1)
	if got := h.Quotas(); len(got) > 0 {
		t.Errorf("what is too old is shown on: %+v", got)
	}
	h.now, refused, used = h.now.Add(quotaCheck), nil, 79
	reconciled("", 6, 1)
	cfg := teamConfig() // leads elsewhere, where nothing is known
	if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg); err != nil {
		t.Fatal(err)
	}
	cfg.Spec.AWS.Region, used = "eu-west-1", 90
	if err := h.Client.Update(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	reconciled("in eu-west-1 is used", 7, 2)
}
