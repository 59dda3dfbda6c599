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

func TestEffects(t *testing.T) {
	for effect, disruptive := range map[driver.Effect]bool{
		driver.Online: false, driver.Interrupts: true, driver.Restarts: true, driver.LosesBackups: true, driver.Irreversible: true, driver.Impossible: false,
	} {
		if effect.Disruptive() != disruptive {
			t.Errorf("%s: disruptive is %t", effect, !disruptive)
		}
	}
}

func TestAppliedClone(t *testing.T) {
	a := driver.Applied{"tags": {"a"}, "none": {}}
	b := a.Clone()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b["tags"][0] = "b"
	b["new"] = nil
	if diff := cmp.Diff(driver.Applied{"tags": {"a"}, "none": {}}, a); diff != "" {
		t.Errorf("the original changed with its copy:\n%s", diff)
	}
}
