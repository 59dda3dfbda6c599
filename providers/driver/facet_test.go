package driver_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// The zero value of an observation permits nothing: a facet that is missing reads as one that says nothing.
func TestMissingFacetSaysNothing(t *testing.T) {
	var o driver.Observation
	if l := o.Login; l.GetCloudManaged() || l.GetPasswordRefused() || l.GetPasswordProblem() != "" {
		t.Error("a missing Login says something")
	}
	if r := o.Replication; r.GetFollows() != nil || r.GetFollowers() != nil {
		t.Error("a missing Replication says something")
	}
	if s := o.Succession; s.GetSucceeds() != "" || s.GetFormer() != nil {
		t.Error("a missing Succession says something")
	}
	if b := o.Backup; b.GetFinalSnapshot() != driver.Unknown || b.GetRestorable() != nil {
		t.Error("a missing Backup says something")
	}
}

// Getters return what the facet has.
func TestFacetSaysWhatItHas(t *testing.T) {
	o := driver.Observation{
		Login:       &driver.LoginState{PasswordRefused: true, CloudManaged: true, PasswordProblem: "no key"},
		Replication: &driver.Replication{Follows: &driver.Following{Primary: "orders"}, Followers: []string{"reads"}},
		Succession:  &driver.Succession{Succeeds: "db-1", Former: &driver.Former{Pending: true}},
		Backup:      &driver.Backup{FinalSnapshot: driver.Ready, Restorable: &driver.Restorable{Pending: true}},
	}
	got := []any{
		o.Login.GetPasswordRefused(), o.Login.GetCloudManaged(), o.Login.GetPasswordProblem(), o.Replication.GetFollows().Primary, o.Replication.GetFollowers(),
		o.Succession.GetSucceeds(), o.Succession.GetFormer().Pending, o.Backup.GetFinalSnapshot(), o.Backup.GetRestorable().Pending,
	}
	want := []any{true, true, "no key", "orders", []string{"reads"}, "db-1", true, driver.Ready, true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A kind has the facets of its capabilities, and no others.
func TestUnexpectedFacets(t *testing.T) {
	all := driver.Observation{
		Login: &driver.LoginState{}, Replication: &driver.Replication{}, Succession: &driver.Succession{}, Backup: &driver.Backup{},
		Actions: map[driver.Action]driver.ActionState{driver.Restart: {}}, SnapshotDetails: &driver.SnapshotDetails{},
	}
	for name, tt := range map[string]struct {
		kind driver.Resource
		o    driver.Observation
		want []string
	}{
		"nothing observed": {},
		"no capability":    {o: all, want: []string{"Login", "Replication", "Succession", "Backup", "Actions", "SnapshotDetails"}},
		"a login":          {kind: driver.Resource{Capabilities: driver.Capabilities{Login: true}}, o: driver.Observation{Login: &driver.LoginState{}}},
		"restores, without final snapshots": {
			kind: driver.Resource{Capabilities: driver.Capabilities{Restores: true}}, o: driver.Observation{Backup: &driver.Backup{}},
		},
		"all": {
			kind: driver.Resource{Source: "Database", Capabilities: driver.Capabilities{
				Login: true, Replicas: true, Beside: true, Snapshots: true, Actions: []driver.Action{driver.Restart},
			}},
			o: all,
		},
	} {
		if diff := cmp.Diff(tt.want, tt.kind.UnexpectedFacets(&tt.o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
