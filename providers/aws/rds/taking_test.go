package rds_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// While a server takes its group, RDS does not tell yet whether a restart is left to do for it. What an edit set is not in force by then, or the restart
// would look like somebody else's doing. What applies at once is, and what somebody else set is nothing to report, or Databases would turn with each edit of a
// group that they share.
func TestWhileTheServerTakesItsGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-taking", func(*v1alpha1.DatabaseParameters) {})
	w.createDatabase(&req)
	w.settle(&req)
	edit := func(edit parameters, effect driver.Effect) {
		t.Helper()
		req.Spec.Parameters = edit
		changes := w.database(req).Changes
		if len(changes) != 1 || changes[0].Effect != effect {
			t.Fatalf("%v: %+v", edit, changes)
		}
		w.updateDatabase(req, changes...)
	}
	taking := func(when string, want []string, applied []string) {
		t.Helper()
		seen := w.database(req)
		state := driver.Ready
		if len(want) > 0 {
			state = driver.Pending
		}
		if seen.State != state || !slices.Equal(fromOf(seen.Changes), want) || !slices.Equal(seen.Applied["parameters"], applied) {
			t.Errorf("%s: state %v, changes from %q, want %q, applied %q, want %q", when, seen.State, fromOf(seen.Changes), want, seen.Applied["parameters"], applied)
		}
		if len(want) > 0 && seen.Changes[0].Effect != driver.Restarts {
			t.Errorf("%s: %+v", when, seen.Changes[0])
		}
	}
	edit(parameters{"work_mem": "4096"}, driver.Online)
	taking("a group of its own", []string{"work_mem=4096 (applying)"}, nil)
	w.Clock.Advance(time.Hour)
	w.settle(&req)

	edit(parameters{"work_mem": "8192"}, driver.Online)
	taking("what applies at once", nil, []string{"work_mem=8192"})
	w.Clock.Advance(time.Hour)
	w.settle(&req)

	w.setStatic("shop-taking-a") // as an edit of ours does whose restart failed
	taking("what somebody else set", nil, []string{"work_mem=8192"})
	if left := w.database(req).LeftOut; !slices.Equal(left, []string{"parameters"}) {
		t.Errorf("left out is %q: what waits of it would be forgotten", left)
	}
	req.Spec.Parameters = parameters{"work_mem": "8192", "max_connections": "60"}
	taking("what is set at a restart", []string{"max_connections=60 (applying)"}, []string{"max_connections?", "work_mem=8192"})
	w.Clock.Advance(time.Hour)
	if effects := w.settle(&req); !slices.Equal(effects, []driver.Effect{driver.Restarts}) {
		t.Errorf("it settles with %v", effects)
	}
}

// A group of which nothing is to be set any more comes into force by a restart, too.
func TestGroupWithoutParametersRestarts(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-empty", func(*v1alpha1.DatabaseParameters) {})
	w.createDatabase(&req)
	w.settle(&req)
	req.Spec.Parameters = parameters{"work_mem": "4096"}
	w.updateDatabase(req, w.database(req).Changes...)
	req.Spec.Parameters = parameters{}
	if seen := w.database(req); seen.State != driver.Pending || !slices.Equal(fromOf(seen.Changes), []string{"(applying)"}) && !slices.Equal(fromOf(seen.Changes), []string{"work_mem=4096 (applying)"}) {
		t.Errorf("while the server takes the group: state %v, changes %+v", seen.State, seen.Changes)
	}
	w.Clock.Advance(time.Hour)
	w.Ledger.Reset()
	w.settle(&req)
	if got := w.writing(); !slices.Contains(got, "RebootDBInstance") {
		t.Errorf("calls %q", got)
	}
}

// The mark needs no restart: an instance that lost it gets it while the server takes its group.
func TestMarkWhileTheServerTakesItsGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-marked", func(*v1alpha1.DatabaseParameters) {})
	w.createDatabase(&req)
	w.settle(&req)
	req.Spec.Parameters = parameters{"work_mem": "4096"}
	w.updateDatabase(req, w.database(req).Changes...)
	req.Mark.UID = "another"
	if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 || !slices.Equal(seen.LeftOut, []string{"parameters"}) {
		t.Errorf("state %v, changes %+v, left out %q", seen.State, seen.Changes, seen.LeftOut)
	}
}
