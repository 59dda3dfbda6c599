package restore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// snapshotsOf is a session that knows one snapshot, and notes what it was asked for.
type snapshotsOf struct {
	driver.Session
	seen  driver.Observation
	err   error
	asked []driver.Request
}

func (s *snapshotsOf) Observe(_ context.Context, kind string, req driver.Request) (driver.Observation, error) {
	if kind != "DatabaseSnapshot" {
		return driver.Observation{}, errors.New("not of a snapshot")
	}
	s.asked = append(s.asked, req)
	return s.seen, s.err
}

// nightly returns a snapshot of the namespace shop that can be used.
func nightly() *v1alpha1.DatabaseSnapshot {
	s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "nightly", Finalizers: []string{v1alpha1.FinalizerResource}}}
	s.Status.ExternalName, s.Status.ExternalID, s.Status.Provider, s.Status.AccountID = "shop-nightly", "backup-1", "aws", "111"
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: "Ready"}}
	return s
}

// Nothing is created before the snapshot is there of which it is to be made, and nothing is asked of a snapshot once the object exists.
func TestSnapshotOfANewObject(t *testing.T) {
	own := driver.Mark{Cluster: "here", Namespace: "shop", Name: "nightly"}
	usable := driver.Observation{State: driver.Ready, Available: true, ID: "backup-1", Mark: own, SnapshotDetails: &driver.SnapshotDetails{Engine: "postgres", Version: "16.3", Encrypted: true}}
	absent := driver.Observation{State: driver.Absent}
	byName := &v1alpha1.DatabaseRestore{ExternalSnapshotName: "shop-orders-final"}
	for _, tt := range []struct {
		name     string
		from     *v1alpha1.DatabaseRestore // in place of nightly
		object   func(*v1alpha1.DatabaseSnapshot)
		none     bool
		server   driver.Observation // what has the name of the new one; Absent if zero
		snapshot driver.Observation // what is seen of it, if not usable
		cannot   bool               // the cloud restores nothing
		config   string             // the kind of the provider config, if not a ClusterProviderConfig
		class    v1alpha1.AllowAdoption
		err      error
		asks     string // for the snapshot of that name
		reason   v1alpha1.Reason
		message  string
	}{
		{name: "usable", asks: "shop-nightly"},
		{name: "by its name in the cloud", from: byName, asks: "shop-orders-final"},
		{name: "the server exists", server: driver.Observation{State: driver.Ready, Available: true}},
		{name: "there is no such object", none: true, reason: v1alpha1.ReasonSnapshotNotFound, message: "there is no DatabaseSnapshot nightly in this namespace"},
		{name: "the object was not reconciled", object: func(s *v1alpha1.DatabaseSnapshot) { s.Status = v1alpha1.DatabaseSnapshotStatus{} },
			reason: v1alpha1.ReasonSnapshotNotReady, message: "not ready to use yet"},
		{name: "being taken", object: func(s *v1alpha1.DatabaseSnapshot) {
			s.Status.Conditions[0].Status, s.Status.Conditions[0].Reason = metav1.ConditionFalse, "Creating"
		}, reason: v1alpha1.ReasonSnapshotNotReady, message: "not ready to use yet"},
		{name: "the object may not have it", object: func(s *v1alpha1.DatabaseSnapshot) {
			s.Status.Conditions[0].Status, s.Status.Conditions[0].Reason = metav1.ConditionFalse, "NotOwned"
			s.Status.Conditions = append(s.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: "NotOwned"})
		}, reason: v1alpha1.ReasonSnapshotNotReady, message: "not ready to use (NotOwned)"},
		{name: "being deleted", object: func(s *v1alpha1.DatabaseSnapshot) { s.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)} },
			reason: v1alpha1.ReasonSnapshotNotReady, message: "is being deleted"},
		{name: "in another account", object: func(s *v1alpha1.DatabaseSnapshot) { s.Status.AccountID = "222" },
			reason: v1alpha1.ReasonInvalid, message: "is in aws account 222, and this object is to be in aws account 111"},
		{name: "in another cloud", object: func(s *v1alpha1.DatabaseSnapshot) { s.Status.Provider = "gcp" }, reason: v1alpha1.ReasonInvalid, message: "is in gcp account 111"},
		{name: "gone from the cloud", snapshot: absent, asks: "shop-nightly", reason: v1alpha1.ReasonSnapshotNotFound, message: "no DatabaseSnapshot nightly (shop-nightly) in this account"},
		{name: "of another engine", snapshot: driver.Observation{State: driver.Ready, Available: true, ID: "backup-1", Mark: own, SnapshotDetails: &driver.SnapshotDetails{Engine: "mysql", Version: "8.0", Encrypted: true}},
			asks: "shop-nightly", reason: v1alpha1.ReasonInvalid, message: "set spec.engine to mysql"},
		{name: "of another namespace by now", snapshot: driver.Observation{State: driver.Ready, Available: true, ID: "backup-1", Mark: driver.Mark{Cluster: "here", Namespace: "billing", Name: "nightly"}},
			asks: "shop-nightly", reason: v1alpha1.ReasonNotOwned, message: "may not be restored in this namespace"},
		{name: "another snapshot by now", snapshot: driver.Observation{State: driver.Ready, Available: true, ID: "backup-2", Mark: own}, asks: "shop-nightly",
			reason: v1alpha1.ReasonSnapshotNotFound, message: "is another one"},
		{name: "without a mark, in a shared account", snapshot: driver.Observation{State: driver.Ready, Available: true, ID: "backup-1"}, asks: "shop-nightly",
			reason: v1alpha1.ReasonNotOwned, message: "the account is shared"},
		{name: "without a mark, in the namespace's own account", snapshot: driver.Observation{State: driver.Ready, Available: true, ID: "backup-1"}, config: identity.KindProviderConfig, asks: "shop-nightly"},
		{name: "without a mark, by its name in a shared account", from: byName, snapshot: driver.Observation{State: driver.Ready, Available: true}, asks: "shop-orders-final",
			reason: v1alpha1.ReasonNotOwned, message: "the account is shared"},
		{name: "without a mark, and the class has its own", class: v1alpha1.AllowAdoptionIfMarked, snapshot: driver.Observation{State: driver.Ready, Available: true, ID: "backup-1"}, asks: "shop-nightly",
			reason: v1alpha1.ReasonNotOwned, message: "the account is shared"},
		{name: "without a mark, and the class takes anything", class: v1alpha1.AllowAdoptionAny, snapshot: driver.Observation{State: driver.Ready, Available: true, ID: "backup-1"}, asks: "shop-nightly"},
		{name: "the cloud restores nothing", cannot: true, reason: v1alpha1.ReasonNotSupported, message: "remove spec.restoreFrom"},
		{name: "the cloud does not answer", err: &driver.Error{Code: driver.Unavailable, Message: "no answer"}, asks: "shop-nightly", message: "no answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := parent()
			d.Spec.Engine, d.Spec.RestoreFrom = new(v1alpha1.EnginePostgres), tt.from
			if tt.from == nil {
				d.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{SnapshotRef: &v1alpha1.DatabaseSnapshotReference{Name: "nightly"}}
			}
			d.Status = v1alpha1.DatabaseStatus{}
			var objects []client.Object
			if !tt.none {
				s := nightly()
				if tt.object != nil {
					tt.object(s)
				}
				objects = append(objects, s)
			}
			w := newSample(d)
			w.cache = relatives(t, objects...)
			session := &snapshotsOf{seen: usable, err: tt.err}
			if tt.snapshot.State != driver.Unknown {
				session.seen = tt.snapshot
			}
			w.Session, w.Provider, w.Account, w.Observed, w.Observation = session, "aws", "111", true, absent
			w.Connection = &identity.Connection{}
			w.Connection.Cloud.Resources = []driver.Resource{{Kind: "DatabaseSnapshot", Source: "Database"}}
			w.Described.Capabilities.Restores = !tt.cannot
			w.Config.Kind = cmp.Or(tt.config, identity.KindClusterProviderConfig)
			if tt.class != "" {
				w.Class = &class.Resolution{Class: &class.Class{Spec: &v1alpha1.ClassSpec{AllowAdoption: tt.class}}}
			}
			w.View.Mark = driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders"}
			if tt.server.State != driver.Unknown {
				w.Observation = tt.server
			}
			stop := w.source(t)
			w.check(t, stop, session, tt.asks, tt.reason, tt.message)
		})
	}
}

// check compares what a gathering ended with, and what a creation would be made of.
func (w *sample) check(t *testing.T, stop *reconciliation.Stop, session *snapshotsOf, asks string, reason v1alpha1.Reason, message string) {
	t.Helper()
	got, says := v1alpha1.Reason(""), ""
	if stop != nil {
		got, says = stop.Outcome.Reason, stop.Outcome.Message
		if refused, ok := errors.AsType[*identity.ValidationError](stop.Err); ok {
			got, says = refused.Reason, refused.Message
		} else if stop.Err != nil {
			says = stop.Err.Error()
		}
	}
	if got != reason || !strings.Contains(says, message) || says == "" != (message == "") {
		t.Errorf("it ended with %s: %q; want %s: %q", got, says, reason, message)
	}
	var asked string
	for _, r := range session.asked {
		asked += r.Name
	}
	if asked != asks {
		t.Errorf("the cloud was asked for snapshot %q, want %q", asked, asks)
	}
	if stop == nil && asks != "" && (w.Request.Restore == nil || w.Request.Restore.Snapshot != asks) {
		t.Errorf("it is to be made of %+v, want %s", w.Request.Restore, asks)
	}
	if plan.Plan(w.View, w.Observation, w.Policy).Verb != plan.Create && w.Request.Restore != nil {
		t.Error("what exists is to be made of a snapshot")
	}
}

// serversOf is a session that knows one server.
type serversOf struct {
	driver.Session
	seen  driver.Observation
	asked int
}

func (s *serversOf) Observe(_ context.Context, kind string, _ driver.Request) (driver.Observation, error) {
	if kind != "Database" {
		return driver.Observation{}, errors.New("not of a database")
	}
	s.asked++
	return s.seen, nil
}

// A database that is restored as it was at a time is one of this namespace, in this account, and the very one that its object stands for.
func TestSourceOfAPointInTime(t *testing.T) {
	at := metav1.Time{Time: time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)}
	mirror := json.RawMessage(`{"engine":"postgres","version":"16.3","storage":{"sizeGiB":50}}`)
	usable := driver.Observation{State: driver.Ready, ID: "db-1", Mark: driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid-orders"}, Mirror: mirror}
	with := func(change func(*driver.Observation)) driver.Observation { o := usable; change(&o); return o }
	for _, tt := range []struct {
		name    string
		of      string // in place of orders
		called  string // what the server is to be called
		source  func(*v1alpha1.Database)
		seen    driver.Observation // if not usable
		spec    func(*v1alpha1.DatabaseSpec)
		cannot  bool
		copies  bool
		reason  v1alpha1.Reason
		message string
		next    outcome.When
	}{
		{name: "usable"},
		{name: "usable, and copied with its mark", copies: true},
		{name: "only observed, and copied with a mark that no object has", copies: true, seen: with(func(o *driver.Observation) { o.Mark.Released = true }), reason: v1alpha1.ReasonInvalid, message: "restore a DatabaseSnapshot", next: outcome.AtSync},
		{name: "stopped", seen: with(func(o *driver.Observation) { o.Stopped = true })},
		{name: "at work", seen: with(func(o *driver.Observation) { o.State = driver.Pending })},
		{name: "one whose server has the name that this one is to have", called: "shop-orders", reason: v1alpha1.ReasonInvalid, message: "choose another spec.externalName", next: outcome.AtSync},
		{name: "not created yet", source: func(d *v1alpha1.Database) { d.Status = v1alpha1.DatabaseStatus{} },
			reason: v1alpha1.ReasonSnapshotNotReady, message: "does not exist in the cloud yet", next: outcome.Polling}, // nobody watches it
		{name: "being deleted, and there as yet", source: func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: at.Time} }},
		{name: "being deleted, and going", source: func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: at.Time} }, seen: with(func(o *driver.Observation) { o.State = driver.Deleting }),
			reason: v1alpha1.ReasonSnapshotNotReady, message: "is being deleted", next: outcome.Polling},
		{name: "in another account", source: func(d *v1alpha1.Database) { d.Status.AccountID = "222" }, reason: v1alpha1.ReasonInvalid, message: "is in aws account 222", next: outcome.AtSync},
		{name: "gone", seen: driver.Observation{State: driver.Absent}, reason: v1alpha1.ReasonSnapshotNotFound, message: "no Database orders (shop-orders)", next: outcome.AtSync},
		{name: "another server of its name", seen: with(func(o *driver.Observation) { o.ID = "db-2" }), reason: v1alpha1.ReasonSnapshotNotFound, message: "is another one", next: outcome.AtSync},
		{name: "only observed, and another namespace's", seen: with(func(o *driver.Observation) { o.Mark.Namespace = "billing" }), reason: v1alpha1.ReasonNotOwned, message: "may not be restored", next: outcome.AtSync},
		{name: "only observed, and nobody's", seen: with(func(o *driver.Observation) { o.Mark = driver.Mark{} }), reason: v1alpha1.ReasonNotOwned, message: "may not be restored", next: outcome.AtSync},
		{name: "a smaller disk", spec: func(s *v1alpha1.DatabaseSpec) { s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))} },
			reason: v1alpha1.ReasonInvalid, message: "set spec.storage.sizeGiB to 50", next: outcome.AtSync},
		{name: "the cloud can't", cannot: true, reason: v1alpha1.ReasonNotSupported, message: "to a point in time", next: outcome.AtSync},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := parent()
			if tt.source != nil {
				tt.source(source)
			}
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "restored"}}
			d.Spec.Engine = new(v1alpha1.EnginePostgres)
			d.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: cmp.Or(tt.of, "orders")}, Time: &at}}
			if tt.spec != nil {
				tt.spec(&d.Spec)
			}
			w := newSample(d)
			w.cache = relatives(t, source)
			session := &serversOf{seen: usable}
			if tt.seen.State != driver.Unknown {
				session.seen = tt.seen
			}
			w.Session, w.Provider, w.Account, w.Observed, w.Observation = session, "aws", "111", true, driver.Observation{State: driver.Absent}
			w.Connection = &identity.Connection{}
			w.Described.Capabilities.PointInTime, w.Described.Capabilities.Copies, w.Described.Capabilities.RestoresDeleted = !tt.cannot, tt.copies, true
			w.Described.Fields = []driver.Field{{Field: "tls", Safe: "Optional"}}
			w.View.Mark, w.Request.Name = driver.Mark{Cluster: "here", Namespace: "shop", Name: "restored"}, tt.called
			stop := w.source(t)
			got, says, next := v1alpha1.Reason(""), "", outcome.When(0)
			if stop != nil {
				got, says, next = stop.Outcome.Reason, stop.Outcome.Message, stop.Outcome.Next
				if refused, ok := errors.AsType[*identity.ValidationError](stop.Err); ok {
					got, says = refused.Reason, refused.Message
				}
			}
			if got != tt.reason || !strings.Contains(says, tt.message) || next != tt.next {
				t.Errorf("it ended with %s: %q, and comes back %v; want %s: %q, %v", got, says, next, tt.reason, tt.message, tt.next)
			}
			if from := w.Request.Restore; stop == nil && (from == nil || from.Source != (driver.ParentRef{Name: "shop-orders", ID: "db-1"}) || !from.Time.Equal(at.Time)) {
				t.Errorf("it is to be restored from %+v", from)
			}
			if from := w.Request.Restore; stop == nil {
				_, undone := w.Observation.Applied["tls"]
				if undone != tt.copies || (from.SourceMark == usable.Mark) != tt.copies {
					t.Errorf("it is born with the mark %+v, and what the spec lacks is undone: %t", from.SourceMark, undone)
				}
			}
		})
	}
}
