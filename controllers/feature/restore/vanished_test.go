package restore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// leftOf is a session that knows what is left of servers that are gone, by their ids.
type leftOf struct {
	driver.Session
	left  map[string]*driver.Restorable
	there bool // one of the name is there again
	err   error
	asked []string
}

func (s *leftOf) Observe(_ context.Context, kind string, req driver.Request, _ driver.Secrets) (driver.Observation, error) {
	if kind != "Database" || req.Vanished == nil {
		return driver.Observation{}, errors.New("not about what vanished")
	}
	s.asked = append(s.asked, req.Vanished.Name+"/"+req.Vanished.ID)
	if s.there {
		return driver.Observation{State: driver.Pending}, s.err
	}
	return driver.Observation{State: driver.Absent, Backup: &driver.Backup{Restorable: s.left[req.Vanished.ID]}}, s.err
}

// What takes the place of a server that vanished is made of what is left of that very server, whatever the spec restores new servers from.
func TestLeftOfTheVanished(t *testing.T) {
	at := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	of := func(id string) *driver.Restorable {
		return &driver.Restorable{From: &driver.Restore{Snapshot: "of-" + id, Vanished: id, Time: at}, Details: driver.SnapshotDetails{Engine: "postgres", Version: "16.3", SizeGiB: 500}}
	}
	none, pending := &driver.Restorable{}, &driver.Restorable{Pending: true}
	begun := func(d *v1alpha1.Database) {
		d.Spec.WhenVanished = v1alpha1.WhenVanishedStop // meanwhile
		d.Status.FirstReadyTime, d.Status.ExternalID, d.Status.Origin = nil, "", v1alpha1.OriginCreated
		d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Server: "shop-old", VanishedID: "db-0"}
	}
	for _, tt := range []struct {
		name    string
		edit    func(*v1alpha1.Database)
		left    map[string]*driver.Restorable
		there   bool
		cannot  bool
		err     error
		asked   []string
		from    string // the snapshot; empty for none
		reason  v1alpha1.Reason
		message string
		waits   bool
	}{
		{name: "it is restored", left: map[string]*driver.Restorable{"db-1": of("db-1")}, asked: []string{"shop-orders/db-1"}, from: "of-db-1"},
		{name: "beside a snapshot in the spec", edit: func(d *v1alpha1.Database) {
			d.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{SnapshotRef: &v1alpha1.DatabaseSnapshotReference{Name: "nobody"}}
		}, left: map[string]*driver.Restorable{"db-1": of("db-1")}, asked: []string{"shop-orders/db-1"}, from: "of-db-1"},
		{name: "nothing is left", left: map[string]*driver.Restorable{"db-1": none}, asked: []string{"shop-orders/db-1"}, reason: v1alpha1.ReasonVanished, message: "nothing to restore"},
		{name: "a snapshot is being taken", left: map[string]*driver.Restorable{"db-1": pending}, asked: []string{"shop-orders/db-1"}, reason: v1alpha1.ReasonSnapshotNotReady, message: "not complete yet", waits: true},
		{name: "another engine", edit: func(d *v1alpha1.Database) { d.Spec.Engine = new(v1alpha1.EngineMySQL) }, left: map[string]*driver.Restorable{"db-1": of("db-1")},
			asked: []string{"shop-orders/db-1"}, reason: v1alpha1.ReasonInvalid, message: "set spec.engine to postgres"},
		{name: "a disk that grew by itself", edit: func(d *v1alpha1.Database) { d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))} },
			left: map[string]*driver.Restorable{"db-1": of("db-1")}, asked: []string{"shop-orders/db-1"}, from: "of-db-1"},
		{name: "a restore has begun, and the policy is another by now", edit: begun, left: map[string]*driver.Restorable{"db-0": of("db-0")}, asked: []string{"shop-old/db-0"}, from: "of-db-0"},
		{name: "a restore has begun, and nothing is left any more", edit: begun, left: map[string]*driver.Restorable{"db-0": none}, asked: []string{"shop-old/db-0"},
			reason: v1alpha1.ReasonVanished, message: "create another one"},
		{name: "what was restored vanished before it worked", edit: func(d *v1alpha1.Database) { begun(d); d.Status.ExternalID = "db-1" },
			left: map[string]*driver.Restorable{"db-0": of("db-0"), "db-1": of("db-1")}, asked: []string{"shop-old/db-0"}, from: "of-db-0"},
		{name: "what was restored vanished before it worked, and of the first nothing is left", edit: func(d *v1alpha1.Database) { begun(d); d.Status.ExternalID = "db-1" },
			left: map[string]*driver.Restorable{"db-0": none, "db-1": of("db-1")}, asked: []string{"shop-old/db-0", "shop-orders/db-1"}, from: "of-db-1"},
		{name: "what was restored worked, and vanished", edit: func(d *v1alpha1.Database) { d.Status.RestoredFrom = &v1alpha1.RestoredFrom{VanishedID: "db-0"} },
			left: map[string]*driver.Restorable{"db-0": of("db-0"), "db-1": none}, asked: []string{"shop-orders/db-1"}, reason: v1alpha1.ReasonVanished, message: "nothing to restore"},
		{name: "Stop", edit: func(d *v1alpha1.Database) { d.Spec.WhenVanished = v1alpha1.WhenVanishedStop }},
		{name: "Recreate", edit: func(d *v1alpha1.Database) { d.Spec.WhenVanished = v1alpha1.WhenVanishedRecreate }},
		{name: "only observed", edit: func(d *v1alpha1.Database) { d.Spec.Management = v1alpha1.ManagementObserve }},
		{name: "the cloud restores nothing", cannot: true, reason: v1alpha1.ReasonVanished, message: "can't restore such an object in this cloud"},
		{name: "the driver says nothing", asked: []string{"shop-orders/db-1"}, reason: v1alpha1.ReasonVanished, message: "can't restore such an object in this cloud"},
		{name: "it is there again", there: true, asked: []string{"shop-orders/db-1"}, message: "the cache is behind"},
		{name: "the cloud does not answer, and the conditions do not say yet that it is gone", edit: func(d *v1alpha1.Database) {
			d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionAvailable, Status: metav1.ConditionTrue}}
		}, err: &driver.Error{Code: driver.Unavailable, Message: "no answer"}, asked: []string{"shop-orders/db-1"}, reason: v1alpha1.ReasonRetrying, message: "deleted outside Mooring, and Mooring tries again to look for what is left", waits: true},
		{name: "the cloud does not answer", edit: func(d *v1alpha1.Database) { d.Status.Conditions = nil }, err: &driver.Error{Code: driver.Unavailable, Message: "no answer"}, asked: []string{"shop-orders/db-1"}, message: "no answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := parent()
			d.Spec.Engine, d.Spec.WhenVanished = new(v1alpha1.EnginePostgres), v1alpha1.WhenVanishedRestore
			d.Status.ExternalName, d.Status.ExternalID, d.Status.FirstReadyTime = "shop-orders", "db-1", &metav1.Time{Time: at}
			if tt.edit != nil {
				tt.edit(d)
			}
			w := newSample(d)
			session := &leftOf{left: tt.left, there: tt.there, err: tt.err}
			w.Before = d.Status.Conditions
			w.Session, w.Observed, w.Observation, w.Policy = session, true, driver.Observation{State: driver.Absent}, plan.PolicyOf(w.Kind, d)
			w.Request.Name = "shop-orders"
			w.Described.Capabilities.Restores = !tt.cannot
			w.View = plan.StoredView(d, &d.Status.ResourceStatus)
			w.View.AbsenceSure = true
			w.View.NoteRestore(w.Kind, d, d)
			stop := w.source(t)
			wantStop(t, stop, tt.reason, tt.message, tt.waits)
			if !slices.Equal(session.asked, tt.asked) {
				t.Errorf("the cloud was asked about %q, want %q", session.asked, tt.asked)
			}
			from := ""
			if stop == nil && w.Request.Restore != nil {
				from = w.Request.Restore.Snapshot
			}
			if from != tt.from || w.Request.Vanished != nil {
				t.Errorf("it is to be made of %q, want %q; a creation would ask about %v", from, tt.from, w.Request.Vanished)
			}
		})
	}
}

// wantStop checks what a gathering ended with. What vanished stalls by the plan, as it does by another policy.
func wantStop(t *testing.T, stop *reconciliation.Stop, reason v1alpha1.Reason, message string, waits bool) {
	t.Helper()
	var got v1alpha1.Reason
	var says string
	switch {
	case stop == nil:
	case stop.Err != nil:
		says = stop.Err.Error()
	case stop.Action != nil:
		if got, says = stop.Action.Reason, stop.Action.Message; stop.Action.Verb != plan.Stall {
			t.Errorf("it is to %s", stop.Action.Verb)
		}
	default:
		got, says = stop.Outcome.Reason, stop.Outcome.Message
		if stop.Outcome.Next != outcome.Polling || stop.Outcome.State != condition.Progressing {
			t.Errorf("it waits as %s, and comes back %v", stop.Outcome.State, stop.Outcome.Next)
		}
	}
	if got != reason || !strings.Contains(says, message) || (says == "") != (message == "") || waits != (stop != nil && stop.Action == nil && stop.Err == nil) {
		t.Errorf("it ended with %s: %q; want %s: %q", got, says, reason, message)
	}
}
