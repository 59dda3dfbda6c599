package restore

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// deletedOf is a session that knows what is left of servers that were deleted, and notes what it was asked for.
type deletedOf struct {
	driver.Session
	seen  driver.Observation
	err   error
	asked []driver.Request
}

func (s *deletedOf) Observe(_ context.Context, kind string, req driver.Request, _ driver.Secrets) (driver.Observation, error) {
	if kind != "Database" || req.Vanished == nil || req.Vanished.ID != "" {
		return driver.Observation{}, errors.New("not about what was deleted")
	}
	s.asked = append(s.asked, req)
	return s.seen, s.err
}

// A Database that is not there is looked for among the backups that the cloud has of deleted servers, by its mark and by the name that its server had.
func TestDeletedSource(t *testing.T) {
	at := metav1.Time{Time: time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)}
	own := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid-orders"}
	usual := plan.ExternalName("here", "shop", "orders", 63)
	backups := func(change func(*driver.SavedState)) driver.Observation {
		b := driver.SavedState{
			From: driver.Restore{Source: driver.ParentRef{Name: usual, ID: "db-1"}, Time: at.Add(time.Hour)}, Since: at.Add(-time.Hour), Mark: own, Complete: true,
			Details: driver.SnapshotDetails{Engine: "postgres", Version: "16.3", SizeGiB: 50, Encrypted: true},
		}
		if change != nil {
			change(&b)
		}
		return driver.Observation{State: driver.Absent, Backup: &driver.Backup{Restorable: &driver.Restorable{Backups: []driver.SavedState{b}}}}
	}
	for _, tt := range []struct {
		name    string
		object  string // in place of restored
		called  string // what the server is to be called
		latest  bool
		seen    driver.Observation
		spec    func(*v1alpha1.DatabaseSpec)
		config  string
		there   bool // the API server has the object that is named
		cannot  bool
		err     error
		asks    string // for a server of that name
		reason  v1alpha1.Reason
		message string
	}{
		{name: "it is restored", seen: backups(nil), asks: usual},
		{name: "to the latest time", latest: true, seen: backups(nil), asks: usual},
		{name: "itself", object: "orders", called: "chosen", seen: backups(nil), asks: "chosen"},
		{name: "nothing is left", seen: driver.Observation{State: driver.Absent, Backup: &driver.Backup{Restorable: &driver.Restorable{}}}, asks: usual, reason: v1alpha1.ReasonSnapshotNotFound, message: "there is no Database orders in this namespace"},
		{name: "nothing is left of itself", object: "orders", called: "shop-orders", seen: driver.Observation{State: driver.Absent, Backup: &driver.Backup{Restorable: &driver.Restorable{}}}, asks: "shop-orders",
			reason: v1alpha1.ReasonSnapshotNotFound, message: "names this object itself"},
		{name: "another namespace's", seen: backups(func(b *driver.SavedState) { b.Mark.Namespace = "bank" }), config: identity.KindProviderConfig, asks: usual, reason: v1alpha1.ReasonSnapshotNotFound, message: "nothing to restore"},
		{name: "nobody's, in a shared account", seen: backups(func(b *driver.SavedState) { b.Mark = driver.Mark{} }), asks: usual, reason: v1alpha1.ReasonNotOwned, message: "the account is shared"},
		{name: "nobody's, in the namespace's own account", seen: backups(func(b *driver.SavedState) { b.Mark = driver.Mark{} }), config: identity.KindProviderConfig, asks: usual},
		{name: "not complete", seen: backups(func(b *driver.SavedState) { b.Complete, b.From.Time = false, time.Time{} }), asks: usual, reason: v1alpha1.ReasonSnapshotNotReady, message: "not complete yet"},
		{name: "a time outside", seen: backups(func(b *driver.SavedState) { b.Since = at.Add(time.Minute) }), asks: usual, reason: v1alpha1.ReasonInvalid, message: "has backups from 2026-11-27T03:01:00Z to 2026-11-27T04:00:00Z"},
		{name: "of another engine", seen: backups(func(b *driver.SavedState) { b.Details.Engine = "mysql" }), asks: usual, reason: v1alpha1.ReasonInvalid, message: "set spec.engine to mysql"},
		{name: "a smaller disk", seen: backups(nil), spec: func(s *v1alpha1.DatabaseSpec) { s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))} }, asks: usual,
			reason: v1alpha1.ReasonInvalid, message: "set spec.storage.sizeGiB to 50"},
		{name: "the cache lags behind its creation", seen: backups(nil), there: true, asks: usual, message: "the cache is behind"},
		{name: "its own server is there by now", seen: driver.Observation{State: driver.Pending}, asks: usual, message: "the cache is behind"},
		{name: "the driver says nothing", seen: driver.Observation{State: driver.Absent}, asks: usual, reason: v1alpha1.ReasonSnapshotNotFound, message: "aws restores no deleted server"},
		{name: "the cloud can't", cannot: true, reason: v1alpha1.ReasonSnapshotNotFound, message: "aws restores no deleted server to a point in time"},
		{name: "the cloud does not answer", err: &driver.Error{Code: driver.Unavailable, Message: "no answer"}, asks: usual, message: "no answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: cmp.Or(tt.object, "restored")}}
			d.Spec.Engine = new(v1alpha1.EnginePostgres)
			d.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: "orders"}}}
			if !tt.latest {
				d.Spec.RestoreFrom.PointInTime.Time = &at
			}
			if tt.spec != nil {
				tt.spec(&d.Spec)
			}
			w := newSample(d)
			w.cache, w.fresh = relatives(t), relatives(t)
			if tt.there {
				w.fresh = relatives(t, client.Object(parent()))
			}
			session := &deletedOf{seen: tt.seen, err: tt.err}
			w.Session, w.Provider, w.Account, w.Observed, w.Observation = session, "aws", "111", true, driver.Observation{State: driver.Absent}
			w.Described.Capabilities.PointInTime, w.Described.Capabilities.RestoresDeleted = true, !tt.cannot
			w.Config.Kind = cmp.Or(tt.config, identity.KindClusterProviderConfig)
			w.View.Mark = driver.Mark{Cluster: "here", Namespace: "shop", Name: d.Name}
			w.Request.Name, w.Request.Mark = tt.called, w.View.Mark
			stop := w.source(t)
			got, says := v1alpha1.Reason(""), ""
			if stop != nil {
				got, says = stop.Outcome.Reason, stop.Outcome.Message
				if refused, ok := errors.AsType[*identity.ValidationError](stop.Err); ok {
					got, says = refused.Reason, refused.Message
				} else if stop.Err != nil {
					says = stop.Err.Error()
				}
				if got == v1alpha1.ReasonSnapshotNotReady && stop.Outcome.Next != outcome.Polling {
					t.Errorf("it comes back %v", stop.Outcome.Next)
				}
			}
			if got != tt.reason || !strings.Contains(says, tt.message) || (says == "") != (tt.message == "") {
				t.Errorf("it ended with %s: %q; want %s: %q", got, says, tt.reason, tt.message)
			}
			asked := ""
			for _, r := range session.asked {
				asked += r.Vanished.Name
				if r.VanishedMark != (driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders"}) {
					t.Errorf("the cloud was asked for the mark %+v", r.VanishedMark)
				}
			}
			if asked != tt.asks {
				t.Errorf("the cloud was asked for %q, want %q", asked, tt.asks)
			}
			from := w.Request.Restore
			if w.Request.Vanished != nil || !w.Request.VanishedMark.Zero() {
				t.Error("a creation would ask what is left")
			}
			if stop == nil && (from == nil || from.Source != (driver.ParentRef{Name: usual, ID: "db-1"}) || from.Vanished != "" || from.Time.IsZero() != tt.latest || !tt.latest && !from.Time.Equal(at.Time)) {
				t.Errorf("it is to be made of %+v", from)
			}
		})
	}
}
