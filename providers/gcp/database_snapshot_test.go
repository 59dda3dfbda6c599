package gcp

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What is written into a description is what is read from it.
func FuzzDescription(f *testing.F) {
	f.Add("shop-orders", "cluster-1", "shop", "orders", "uid-1")
	f.Add("", "", "", "", "")
	f.Add("a b", "c=d", "e/f", "g", "h i")
	f.Fuzz(func(t *testing.T, name, cluster, namespace, object, uid string) {
		want := driver.Mark{Cluster: cluster, Namespace: namespace, Name: object, UID: uid}
		text := descriptionOf(name, want)
		if gotName, got := readDescription(text); !got.Zero() && (gotName != name || got != want) {
			t.Errorf("%q is read as %q of %+v", text, gotName, got)
		}
	})
}

// Only what is exactly in the form of a mark is one.
func TestDescriptionsWithoutAMark(t *testing.T) {
	good := descriptionOf("shop-orders", driver.Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "u"})
	if name, mark := readDescription(good); name != "shop-orders" || mark.UID != "u" {
		t.Fatalf("%q is read as %q of %+v", good, name, mark)
	}
	for _, text := range []string{"", "shop-orders", good + " ", " " + good, good + "\n", "x " + good, "Final backup mooring/1 cluster=c object=shop/orders uid=u", "a mooring/2 cluster=c object=shop/orders uid=u"} {
		if name, mark := readDescription(text); !mark.Zero() || name != text {
			t.Errorf("%q is read as %q of %+v", text, name, mark)
		}
	}
}

// Of several backups of one name the oldest is the one, unless it failed.
func TestWhichBackup(t *testing.T) {
	b := func(state, at string) *backup {
		return &backup{&sqladmin.Backup{State: state, BackupInterval: &sqladmin.Interval{StartTime: at}}}
	}
	const first, second = "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"
	for _, tt := range []struct {
		name       string
		one, other *backup
		want       bool
	}{
		{"the only one", b("FAILED", first), nil, true},
		{"the older one", b("SUCCESSFUL", first), b("SUCCESSFUL", second), true},
		{"the younger one", b("SUCCESSFUL", second), b("SUCCESSFUL", first), false},
		{"the older one failed", b("FAILED", first), b("RUNNING", second), false},
		{"the other one failed", b("RUNNING", second), b("FAILED", first), true},
	} {
		if got := tt.one.before(tt.other); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
