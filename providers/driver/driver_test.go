package driver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

func TestMarkSurvivesLabels(t *testing.T) {
	whole := driver.Mark{Cluster: "c", Namespace: "n", Name: "o", UID: "u", NamespaceUID: "nu"}
	released, before, releasedBefore := whole, whole, whole
	released.Released, before.NamespaceUID, releasedBefore.NamespaceUID, releasedBefore.Released = true, "", "", true
	for _, mark := range []driver.Mark{whole, released, before, releasedBefore, {Cluster: "c"}} {
		labels := mark.Labels()
		if _, there := labels[mark.Obsolete()]; there || len(labels) > driver.MarkLabels {
			t.Errorf("%d labels, of which %s should not be there: %v", len(labels), mark.Obsolete(), labels)
		}
		if _, there := labels[driver.LabelReleased]; there != mark.Released { // by this key 0.1.0 knows what was left behind
			t.Errorf("%+v has the labels %v", mark, labels)
		}
		labels["owner"] = "somebody"
		if got := driver.MarkFrom(labels); got != mark {
			t.Errorf("MarkFrom(Labels()) = %+v, want %+v", got, mark)
		}
		if diff := cmp.Diff(map[string]string{"owner": "somebody"}, driver.WithoutMark(labels)); diff != "" {
			t.Errorf("WithoutMark (-want +got):\n%s", diff)
		}
		for k := range mark.Labels() {
			if !strings.HasPrefix(k, "mooring-") {
				t.Errorf("the key %s is not one that specs may not use", k)
			}
		}
	}
}

// A release that knows no uid of a namespace leaves it where it is when it marks what is left behind.
func TestMarkReleasedByAnEarlierRelease(t *testing.T) {
	labels := driver.Mark{Cluster: "c", Namespace: "n", Name: "o", UID: "u", NamespaceUID: "nu"}.Labels()
	labels[driver.LabelReleased] = "true"
	if got := driver.MarkFrom(labels); !got.Released || got.NamespaceUID != "nu" {
		t.Errorf("it is read as %+v", got)
	}
}

// What remains of a mark says whose the object is as long as the uid is there: no other object ever has that.
func TestPartOfAMark(t *testing.T) {
	whole := driver.Mark{Cluster: "c", Namespace: "n", Name: "o", UID: "u", NamespaceUID: "nu"}
	for _, tt := range []struct {
		name   string
		change func(map[string]string)
		want   bool
	}{
		{"whole", func(map[string]string) {}, false},
		{"without the name", func(l map[string]string) { delete(l, driver.LabelName) }, true},
		{"without the cluster", func(l map[string]string) { delete(l, driver.LabelCluster) }, true},
		{"without the namespace's uid, as it was written before", func(l map[string]string) { delete(l, driver.LabelNamespaceUID) }, false},
		{"with the uid of another namespace", func(l map[string]string) { l[driver.LabelNamespaceUID] = "other" }, true},
		{"the uid alone", func(l map[string]string) {
			delete(l, driver.LabelCluster)
			delete(l, driver.LabelNamespace)
			delete(l, driver.LabelName)
		}, true},
		{"without the uid", func(l map[string]string) { delete(l, driver.LabelUID) }, false},
		{"of another cluster", func(l map[string]string) { l[driver.LabelCluster] = "d" }, false},
		{"of another object", func(l map[string]string) { l[driver.LabelUID] = "v" }, false},
		{"left behind", func(l map[string]string) { l[driver.LabelReleased] = "true" }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			labels := whole.Labels()
			tt.change(labels)
			if got := driver.MarkFrom(labels).PartOf(whole); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestMarkFromNothing(t *testing.T) {
	for name, labels := range map[string]map[string]string{
		"nil":                  nil,
		"labels of others":     {"owner": "somebody"},
		"a mark by name alone": {driver.LabelName: "o", driver.LabelReleased: "true"},
		"an empty cluster id":  {driver.LabelCluster: "", driver.LabelName: "o"},
	} {
		if got := driver.MarkFrom(labels); !got.Zero() {
			t.Errorf("%s: got %+v, want none", name, got)
		}
	}
}

func TestSameOwner(t *testing.T) {
	mark := driver.Mark{Cluster: "c", Namespace: "n", Name: "o", UID: "u"}
	for _, tt := range []struct {
		name string
		edit func(*driver.Mark)
		want bool
	}{
		{"itself", func(*driver.Mark) {}, true},
		{"an earlier uid", func(m *driver.Mark) { m.UID = "before" }, true},
		{"released", func(m *driver.Mark) { m.Released = true }, true},
		{"another cluster", func(m *driver.Mark) { m.Cluster = "d" }, false},
		{"another namespace", func(m *driver.Mark) { m.Namespace = "d" }, false},
		{"another name", func(m *driver.Mark) { m.Name = "d" }, false},
	} {
		other := mark
		tt.edit(&other)
		if got := mark.SameOwner(other); got != tt.want {
			t.Errorf("%s: got %t", tt.name, got)
		}
	}
}

func TestWithoutMarkCopies(t *testing.T) {
	labels := driver.Mark{Cluster: "c"}.Labels()
	driver.WithoutMark(labels)["owner"] = "somebody"
	if _, leaked := labels["owner"]; leaked || labels[driver.LabelCluster] != "c" {
		t.Errorf("the argument was changed: %v", labels)
	}
}

// Everything that walks values, as loggers do, meets secrets inside other values.
func TestSecretsNeverPrint(t *testing.T) {
	const canary = "canary-7f3a"
	login := driver.Login{Username: "boss", Password: canary}
	cfg := driver.Opening{Credentials: map[string][]byte{"AWS_SECRET_ACCESS_KEY": []byte(canary)}}
	password := driver.Password(canary)
	secrets := driver.Secrets{Own: password, Parent: login}
	for name, value := range map[string]any{
		"Login": login, "*Login": &login, "Credentials": cfg.Credentials, "Opening": cfg, "*Opening": &cfg, "Password": password, "*Password": &password, "Secrets": secrets, "*Secrets": &secrets,
		"a list": []any{login, cfg.Credentials, password, secrets, struct{ Inside driver.Password }{password}},
	} {
		var texts []string
		for _, verb := range []string{"v", "+v", "#v", "s", "q", "x", "X", "d", "o", "c", "T"} {
			texts = append(texts, fmt.Sprintf("%"+verb, value))
		}
		raw, err := json.Marshal(value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var logged strings.Builder
		for _, handler := range []slog.Handler{slog.NewJSONHandler(&logged, nil), slog.NewTextHandler(&logged, nil)} {
			slog.New(handler).LogAttrs(context.Background(), slog.LevelInfo, "", slog.Any("value", value))
		}
		for _, text := range append(texts, string(raw), logged.String()) {
			for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary), fmt.Sprint(string([]byte(canary))), fmt.Sprintf("%#v", []byte(canary)), "Y2FuYXJ5"} {
				if strings.Contains(text, strings.Trim(form, "[]")) {
					t.Errorf("%s shows its secret: %s", name, text)
				}
			}
		}
	}
}

func TestCodeOf(t *testing.T) {
	denied := &driver.Error{Code: driver.Denied, Op: "CreateBucket", Message: "no", Err: errors.New("request id 7")}
	for _, tt := range []struct {
		name string
		err  error
		want driver.Code
	}{
		{"none", nil, driver.Internal},
		{"of somebody else", errors.New("boom"), driver.Internal},
		{"of the cloud", denied, driver.Denied},
		{"wrapped", fmt.Errorf("observe: %w", denied), driver.Denied},
		{"joined", errors.Join(errors.New("boom"), denied), driver.Denied},
		{"a deadline that nobody wrapped is no Unavailable", context.DeadlineExceeded, driver.Internal},
	} {
		if got := driver.CodeOf(tt.err); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	if !errors.Is(denied, denied.Err) {
		t.Error("the SDK's error can't be reached")
	}
	if strings.Contains(denied.Error(), "request id") {
		t.Errorf("%q holds what is not stable", denied)
	}
}

// The zero values are the cautious ones, and every constant has a name of its own.
func TestNames(t *testing.T) {
	if driver.State(0) != driver.Unknown || driver.Code(0) != driver.Internal {
		t.Error("a zero value says something")
	}
	seen := map[string]bool{}
	for s := driver.Unknown; s <= driver.Deleting; s++ {
		seen[s.String()] = true
	}
	for c := driver.Internal; c <= driver.Unavailable; c++ {
		seen[c.String()] = true
	}
	if want := 6 + 11; len(seen) != want {
		t.Errorf("%d names for %d constants: %v", len(seen), want, seen)
	}
	if got := driver.State(99).String() + driver.State(-1).String() + driver.Code(99).String() + driver.Code(-1).String(); got != "UnknownUnknownInternalInternal" {
		t.Errorf("values without a name: %s", got)
	}
}

func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		want, have string
		serves     bool
	}{
		{"16", "16", true},
		{"16", "16.4", true},
		{"16.3", "16.3", true},
		{"16.3", "16.4", true},
		{"16.3", "16.10", true},
		{"16.4", "16.3", false},
		{"16.10", "16.9", false},
		{"16", "17.1", false},
		{"17", "16.9", false},
		{"1", "16", false},
		{"16.1", "16.10", true}, // newer, not a prefix
		{"8.0", "8.0.36", true},
		{"8.0.35", "8.0.36", true},
		{"8.0.36", "8.0.35", false},
		{"8.0", "8.4.3", false},
		{"8.4", "8.0.36", false},
		{"8", "8.4.3", true},
		{"5.7", "5.7.44", true},
		// Releases of Extended Support.
		{"8.0", "8.0.46-rds.20260908", true},
		{"8.0.46", "8.0.46-rds.20260908", true},
		{"8.0.40", "8.0.46-rds.20260908", true},
		{"8.0.47", "8.0.46-rds.20260908", false},
		{"8.0.46-rds.20260908", "8.0.46-rds.20260908", true},
		{"8.0.46-rds.20260908", "8.0.46-rds.20270108", true},
		{"8.0.46-rds.20260908", "8.0.46", false},
		{"8.0.46-rds.20260908", "8.4.6", false},
		{"13", "13.23-rds.20260224", true},
		{"13.20", "13.23-rds.20260224", true},
		{"13.23", "13.23-rds.20260224", true},
		{"5.7.44", "5.7.44-rds.20260902", true},
		{"13.4", "13.4-R1", true},
	} {
		if got := driver.VersionServes("", tt.want, tt.have); got != tt.serves {
			t.Errorf("VersionServes(%q, %q) = %t", tt.want, tt.have, got)
		}
	}
	for version, major := range map[string]string{"16": "16", "16.3": "16", "10.1": "10", "8.0": "8.0", "8.0.36": "8.0", "5.7.44": "5.7", "8": "8", "": "", "13.23-rds.20260224": "13", "8.0.46-rds.20260908": "8.0"} {
		if got := driver.MajorVersion("", version); got != major {
			t.Errorf("MajorVersion(%q) = %q, want %q", version, got, major)
		}
	}
}

// The major versions of MariaDB have two numbers, also from 10 on.
func TestVersionsOfMariaDB(t *testing.T) {
	for _, tt := range []struct {
		want, have string
		serves     bool
	}{
		{"10.11", "10.11.8", true},
		{"10.11.6", "10.11.8", true},
		{"10.11.8", "10.11.8.R2.20240701", true},
		{"10.11.8", "10.11.6", false},
		{"10.6", "10.11.8", false},
		{"11.4", "11.8.3", false},
		{"11.8", "11.4.5", false},
	} {
		if got := driver.VersionServes(v1alpha1.EngineMariaDB, tt.want, tt.have); got != tt.serves {
			t.Errorf("VersionServes(mariadb, %q, %q) = %t", tt.want, tt.have, got)
		}
	}
	for version, major := range map[string]string{"10.11": "10.11", "10.11.8": "10.11", "11.4.5": "11.4", "10.11.5.R2.20231201": "10.11", "10": "10"} {
		if got := driver.MajorVersion(v1alpha1.EngineMariaDB, version); got != major {
			t.Errorf("MajorVersion(mariadb, %q) = %q, want %q", version, got, major)
		}
	}
}

func FuzzVersions(f *testing.F) {
	f.Add("16", "16.3", "17")
	f.Add("8.0", "8.0.36", "8.4")
	f.Add("", ".", "..1")
	f.Add("8.0.46", "8.0.46-rds.20260908", "8.0.46-rds")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if !driver.VersionServes("", a, a) || !driver.VersionServes(v1alpha1.EngineMariaDB, a, a) {
			t.Errorf("%q does not serve itself", a)
		}
		if driver.CompareVersions(a, b) != -driver.CompareVersions(b, a) {
			t.Errorf("comparing %q and %q depends on the order", a, b)
		}
		if driver.CompareVersions(a, b) <= 0 && driver.CompareVersions(b, c) <= 0 && driver.CompareVersions(a, c) > 0 {
			t.Errorf("%q, %q, %q have no order", a, b, c)
		}
	})
}
