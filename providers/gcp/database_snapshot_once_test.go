package gcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// An odd is a transport whose answers are not what the driver knows: it edits those to the calls whose path ends so.
type odd struct {
	http.RoundTripper
	edits map[string]func(map[string]any)
}

func (o odd) RoundTrip(r *http.Request) (*http.Response, error) {
	out, err := o.RoundTripper.RoundTrip(r)
	if err != nil || out.StatusCode != http.StatusOK {
		return out, err
	}
	for part, edit := range o.edits {
		method, path, _ := strings.Cut(part, " ")
		if r.Method != method || !strings.Contains(r.URL.Path, path) {
			continue
		}
		var body map[string]any
		if err := json.NewDecoder(out.Body).Decode(&body); err != nil {
			return nil, err
		}
		edit(body)
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	}
	return out, nil
}

// Cloud SQL takes another backup with each call. The answer to the call says which one it took, so that no list has to show it in a form that the driver knows.
func TestABackupIsKnownByTheAnswerToItsCreation(t *testing.T) {
	const lists = "GET /backups"
	undescribed := func(b map[string]any) {
		if all, ok := b["backups"].([]any); ok {
			for _, one := range all {
				one.(map[string]any)["description"] = "On-demand backup"
			}
		} else if b["name"] != nil { // one backup, and not an empty list
			b["description"] = "On-demand backup"
		}
	}
	empty := func(b map[string]any) {
		delete(b, "backups")
	}
	answersNone := func(b map[string]any) { delete(b, "backupContext") }
	answersNumber := func(b map[string]any) { delete(b["backupContext"].(map[string]any), "name") }
	for name, tt := range map[string]struct {
		edits map[string]func(map[string]any)
	}{
		"the list is as usual":                                     {},
		"descriptions are shown in another form":                   {map[string]func(map[string]any){lists: undescribed}},
		"the list shows none":                                      {map[string]func(map[string]any){lists: empty}},
		"the list shows none, and the answer has the number alone": {map[string]func(map[string]any){lists: empty, "POST /backups": answersNumber}},
		"the list shows none, and the operation alone says it":     {map[string]func(map[string]any){lists: empty, "POST /backups": answersNone}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{Snapshot: time.Minute})
			session, err := gcp.New(gcp.Options{Endpoint: c.GCPEndpoint(), Transport: odd{c.sent, tt.edits}, Now: c.clock.Now}).Open(t.Context(), c.config(project))
			if err != nil {
				t.Fatal(err)
			}
			req := driver.Request{
				Name: "shop-nightly", Location: location, Parent: snapshotKind(c).Within(t), Spec: driver.NewSpec(v1alpha1.DatabaseSnapshotParameters{}),
				Mark: driver.Mark{Cluster: "here", Namespace: "shop", Name: "nightly", UID: "uid-1"},
			}
			made, err := session.Create(t.Context(), "DatabaseSnapshot", req, driver.Secrets{})
			if err != nil {
				t.Fatal(err)
			}
			c.settle(t)
			req.ID, req.Operation = made.ID, made.Operation
			seen, err := session.Observe(t.Context(), "DatabaseSnapshot", req, driver.Secrets{})
			if err != nil || seen.State != driver.Ready || seen.ID == "" || made.ID != "" && seen.ID != made.ID {
				t.Errorf("created %+v, and then seen is %+v, %v", made, seen, err)
			}
		})
	}
}

// Where the answer was lost, a backup that may be the one keeps another from being taken. That is for a person to decide.
func TestNoBackupIsTakenBesideOneThatMayBeIt(t *testing.T) {
	c := newCloud(t, localcloud.Durations{Snapshot: time.Minute})
	garbled := false
	strange := odd{c.sent, map[string]func(map[string]any){"GET /backups": func(b map[string]any) {
		all, _ := b["backups"].([]any)
		for _, one := range all {
			if garbled {
				one.(map[string]any)["description"] = ""
			}
		}
	}}}
	session, err := gcp.New(gcp.Options{Endpoint: c.GCPEndpoint(), Transport: strange, Now: c.clock.Now}).Open(t.Context(), c.config(project))
	if err != nil {
		t.Fatal(err)
	}
	req := driver.Request{
		Name: "shop-nightly", Location: location, Parent: snapshotKind(c).Within(t), Spec: driver.NewSpec(v1alpha1.DatabaseSnapshotParameters{}),
		Mark: driver.Mark{Cluster: "here", Namespace: "shop", Name: "nightly", UID: "uid-1"}, SentSince: c.clock.Now(),
	}
	if _, err := session.Create(t.Context(), "DatabaseSnapshot", req, driver.Secrets{}); err != nil {
		t.Fatalf("of what was never taken: %v", err)
	}
	c.settle(t)
	if _, err := session.Create(t.Context(), "DatabaseSnapshot", req, driver.Secrets{}); driver.CodeOf(err) != driver.Conflict {
		t.Errorf("beside the one of its name: %v", err)
	}
	garbled = true
	_, err = session.Create(t.Context(), "DatabaseSnapshot", req, driver.Secrets{})
	if driver.CodeOf(err) != driver.Conflict || !strings.Contains(err.Error(), "spec.management: Observe") {
		t.Errorf("beside one without a description: %v", err)
	}
	req.SentSince = c.clock.Now().Add(time.Hour)
	if _, err := session.Create(t.Context(), "DatabaseSnapshot", req, driver.Secrets{}); err != nil {
		t.Errorf("beside one that is older than the object: %v", err)
	}
}

// Where the answer to a creation was lost, the operation that it began says which backup it took, however the list of backups shows that. No other one is taken.
func TestALostBackupIsFoundByItsOperation(t *testing.T) {
	const lists, one, operations = "GET /backups", "GET /backups/", "GET /operations"
	none := func(b map[string]any) { delete(b, "backups") }
	undescribed := func(b map[string]any) {
		if b["name"] != nil {
			b["description"] = "On-demand backup"
		}
	}
	mute := func(b map[string]any) {
		all, _ := b["items"].([]any)
		for _, op := range all {
			delete(op.(map[string]any), "backupContext")
		}
	}
	ours := driver.Mark{Cluster: "here", Namespace: "shop", Name: "nightly", UID: "uid-1"}
	others := driver.Mark{Cluster: "here", Namespace: "bank", Name: "nightly", UID: "uid-2"}
	for name, tt := range map[string]struct {
		edits  map[string]func(map[string]any)
		asked  []driver.Mark
		late   time.Duration // between that and the creation of the object
		fails  bool
		code   driver.Code // of the second creation
		finds  bool
		calls  int // that took a backup
		unsure bool
		gone   bool
	}{
		"the list shows it not, and its operation does":   {edits: map[string]func(map[string]any){lists: none}, asked: []driver.Mark{ours}, finds: true, calls: 1},
		"it has no description that is known":             {edits: map[string]func(map[string]any){lists: none, one: undescribed}, asked: []driver.Mark{ours}, code: driver.Conflict, calls: 1},
		"its operation does not say which one":            {edits: map[string]func(map[string]any){lists: none, operations: mute}, asked: []driver.Mark{ours}, code: driver.Conflict, calls: 1},
		"its operation does not say yet which one":        {edits: map[string]func(map[string]any){lists: none, operations: mute}, asked: []driver.Mark{ours}, unsure: true, code: driver.Busy, calls: 1},
		"it is not there any more":                        {edits: map[string]func(map[string]any){lists: none}, asked: []driver.Mark{ours}, gone: true, code: driver.Conflict, calls: 1},
		"nobody asked for one":                            {edits: map[string]func(map[string]any){lists: none}, calls: 1},
		"another object asked for one":                    {edits: map[string]func(map[string]any){lists: none}, asked: []driver.Mark{others}, calls: 2},
		"it failed, and nothing is there":                 {edits: map[string]func(map[string]any){lists: none}, asked: []driver.Mark{ours}, fails: true, calls: 2},
		"it is older than the object":                     {edits: map[string]func(map[string]any){lists: none}, asked: []driver.Mark{ours}, late: time.Hour, calls: 2},
		"another object asked for one, and then this one": {edits: map[string]func(map[string]any){lists: none}, asked: []driver.Mark{others, ours}, finds: true, calls: 2},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{Snapshot: time.Minute})
			strange := odd{c.sent, map[string]func(map[string]any){}}
			session, err := gcp.New(gcp.Options{Endpoint: c.GCPEndpoint(), Transport: strange, Now: c.clock.Now}).Open(t.Context(), c.config(project))
			if err != nil {
				t.Fatal(err)
			}
			req := driver.Request{Name: "shop-nightly", Location: location, Parent: snapshotKind(c).Within(t), Spec: driver.NewSpec(v1alpha1.DatabaseSnapshotParameters{}), SentSince: c.clock.Now().Add(tt.late)}
			if tt.fails {
				c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "Backups.CreateBackup"}, Kind: localcloud.FailLate, Times: 1})
			}
			id := ""
			for _, req.Mark = range tt.asked {
				first := req
				first.Name, first.SentSince = req.Mark.Namespace+"-nightly", time.Time{}
				made, err := session.Create(t.Context(), "DatabaseSnapshot", first, driver.Secrets{})
				if err != nil {
					t.Fatal(err)
				}
				if id = made.ID; !tt.unsure {
					c.settle(t)
				}
			}
			req.Mark = ours
			if tt.gone {
				deleted := req
				deleted.ID = id
				if _, err := session.Delete(t.Context(), "DatabaseSnapshot", deleted, driver.Secrets{}); err != nil {
					t.Fatal(err)
				}
				c.settle(t)
			}
			maps.Copy(strange.edits, tt.edits)
			made, err := session.Create(t.Context(), "DatabaseSnapshot", req, driver.Secrets{})
			if (err != nil) != (tt.code != 0) || err != nil && driver.CodeOf(err) != tt.code {
				t.Errorf("got %v, want the code %v", err, tt.code)
			}
			if tt.finds && made.ID != id {
				t.Errorf("it has the id %q, want %q", made.ID, id)
			}
			taken := 0
			for _, call := range c.writes("sqladmin") {
				if call == "Backups.CreateBackup" {
					taken++
				}
			}
			if taken != tt.calls {
				t.Errorf("%d calls took a backup, want %d", taken, tt.calls)
			}
		})
	}
}

// Why a backup failed is said once, also where nothing is left of it.
func TestFailureOfABackupIsTold(t *testing.T) {
	c := newCloud(t, localcloud.Durations{Snapshot: time.Minute})
	strange := odd{c.sent, map[string]func(map[string]any){
		"POST /backups": func(b map[string]any) { delete(b, "backupContext") }, "GET /operations": func(b map[string]any) { delete(b, "backupContext") }, "GET /backups": func(b map[string]any) { delete(b, "backups") },
	}}
	session, err := gcp.New(gcp.Options{Endpoint: c.GCPEndpoint(), Transport: strange, Now: c.clock.Now}).Open(t.Context(), c.config(project))
	if err != nil {
		t.Fatal(err)
	}
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "Backups.CreateBackup"}, Kind: localcloud.FailLate, Times: 1, Code: "OUT_OF_DISK", Message: "the disk is full"})
	req := driver.Request{
		Name: "shop-nightly", Location: location, Parent: snapshotKind(c).Within(t), Spec: driver.NewSpec(v1alpha1.DatabaseSnapshotParameters{}),
		Mark: driver.Mark{Cluster: "here", Namespace: "shop", Name: "nightly", UID: "uid-1"},
	}
	made, err := session.Create(t.Context(), "DatabaseSnapshot", req, driver.Secrets{})
	if err != nil || made.Operation == "" {
		t.Fatalf("got %+v, %v", made, err)
	}
	c.settle(t)
	req.Operation = made.Operation
	seen, err := session.Observe(t.Context(), "DatabaseSnapshot", req, driver.Secrets{})
	if err != nil || seen.State != driver.Absent || seen.OperationError == nil || !strings.Contains(seen.OperationError.Error(), "the disk is full") {
		t.Errorf("seen is %+v, %v", seen, err)
	}
}
