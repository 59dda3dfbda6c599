package controllers

import (
	"strings"
	"testing"
	"time"
)

func TestRecovery(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	r := Recovery{Namespaces: []string{"shop", "bank"}, Until: now.Add(time.Hour)}
	if !r.Covers("shop", now) || !r.Covers("bank", now.Add(time.Hour-1)) {
		t.Error("it does not cover what it names")
	}
	if r.Covers("shop", now.Add(time.Hour)) || r.Covers("other", now) || (Recovery{}).Covers("shop", now) {
		t.Error("it covers what it does not name, or does not end")
	}
	for says, bad := range map[string]Recovery{
		"needs --recover-until":      {Namespaces: r.Namespaces},
		"name the namespaces":        {Until: r.Until},
		"more than 7 days":           {Namespaces: r.Namespaces, Until: now.Add(LongestRecovery + time.Second)},
		"until 2026-12-08T12:00:00Z": {Namespaces: r.Namespaces, Until: now.Add(365 * 24 * time.Hour)},
	} {
		if err := bad.Check(now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", bad, err, says)
		}
	}
	for _, good := range []Recovery{{}, r, {Namespaces: r.Namespaces, Until: now.Add(-time.Hour)}, {Namespaces: r.Namespaces, Until: now.Add(LongestRecovery)}} {
		if err := good.Check(now); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
}
