package sql

import (
	"regexp"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What is written into a description is what is read from it.
func FuzzDescription(f *testing.F) {
	const uid = "0b4f0a3e-5d0c-4b6e-9c5a-2f1d7e8c9a10"
	f.Add("shop-orders", "cluster-1", "shop", "orders", uid, "ffffffff-ffff-ffff-ffff-fffffffffff0")
	f.Add("shop-orders", "cluster-1", "shop", "orders", uid, "")
	f.Add("", "", "", "", "", "")
	f.Add("a b", "c=d", "e/f", "g", "h i", "no uid")
	f.Fuzz(func(t *testing.T, name, cluster, namespace, object, uid, namespaceUID string) {
		want := driver.Mark{Cluster: cluster, Namespace: namespace, Name: object, UID: uid, NamespaceUID: namespaceUID}
		text := descriptionOf(name, want)
		if !uidOfKubernetes.MatchString(namespaceUID) || !uidOfKubernetes.MatchString(uid) {
			want.NamespaceUID = "" // nobody else reads the rest as a uid of a namespace
			_, got := readDescription(text)
			if want.UID = got.UID; got.NamespaceUID != "" && !strings.HasPrefix(uid, got.UID) {
				t.Errorf("%q is read as of %+v", text, got)
			}
			return
		}
		if gotName, got := readDescription(text); !got.Zero() && (gotName != name || got != want) {
			t.Errorf("%q is read as %q of %+v", text, gotName, got)
		}
	})
}

var uidOfKubernetes = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// An earlier release reads a description with the uid of the namespace as one of another uid, and one without it is read now.
func TestDescriptionOfANamespace(t *testing.T) {
	mark := driver.Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "0b4f0a3e-5d0c-4b6e-9c5a-2f1d7e8c9a10", NamespaceUID: "9f4b6c0e-0000-4000-8000-00000000000f"}
	text := descriptionOf("shop-orders", mark)
	if _, got := readDescription(text); got != mark {
		t.Errorf("%q is read as of %+v", text, got)
	}
	if uid := text[strings.LastIndex(text, "uid=")+4:]; len(uid) > 63 || !strings.HasPrefix(uid, mark.UID) {
		t.Errorf("an earlier release takes at most 63 characters for a uid, and this is %q", uid)
	}
	before := strings.TrimSuffix(text, ofNamespace(mark.NamespaceUID))
	if _, got := readDescription(before); !got.Is(mark) || got.NamespaceUID != "" {
		t.Errorf("%q is read as of %+v", before, got)
	}
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
