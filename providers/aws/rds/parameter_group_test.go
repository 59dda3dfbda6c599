package rds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func inParameterGroup(name string) func(*v1alpha1.DatabaseParameters) {
	return func(s *v1alpha1.DatabaseParameters) { s.AWS.DBParameterGroupName = &name }
}

// one returns the only change that is observed.
func (w *environment) one(req request) driver.Change {
	w.T.Helper()
	seen := w.database(req)
	if seen.State != driver.Ready || len(seen.Changes) != 1 {
		w.T.Fatalf("state %v, changes %+v, want one", seen.State, seen.Changes)
	}
	return seen.Changes[0]
}

// setStatic is what somebody does to a group that takes a restart.
func (w *environment) setStatic(group string) {
	w.T.Helper()
	awstest.Do(w.T, w.RDS.ModifyDBParameterGroup, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: &group, Parameters: []rdstypes.Parameter{
		{ParameterName: new("max_connections"), ParameterValue: new("60"), ApplyMethod: rdstypes.ApplyMethodPendingReboot},
	}})
}

func (w *environment) writing() []string {
	return slices.DeleteFunc(w.Operations(), func(name string) bool { return strings.HasPrefix(name, "Describe") })
}

// A group is attached without a restart. The restart that brings it into force is a change of its own, also where it waits for what somebody else
// changed in the group; a standby stays where it is.
func TestParameterGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-group", func(s *v1alpha1.DatabaseParameters) {
		s.Availability = new(v1alpha1.AvailabilityMultiZone)
		inParameterGroup("Spare")(s)
	})
	w.createDatabase(&req)
	zone := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0].AvailabilityZone
	w.Ledger.Reset()
	step := func(when, from, to string, effect driver.Effect, call string) {
		t.Helper()
		c := w.one(req)
		if c.From != from || c.To != to || c.Effect != effect || c.Why == "" {
			t.Errorf("%s: %+v, want %s to %s, %s", when, c, from, to, effect)
		}
		w.Ledger.Reset()
		w.updateDatabase(req, c)
		if got := w.writing(); !slices.Equal(got, []string{call}) {
			t.Errorf("%s: calls %q, want %s", when, got, call)
		}
		want := []string{to + " (applying)"} // that a restart is left to do is known once the server took the group
		if call == "RebootDBInstance" {
			want = nil
		}
		if seen := w.database(req); seen.State != driver.Pending || !slices.Equal(fromOf(seen.Changes), want) {
			t.Errorf("%s, while the server takes it: state %v, changes %v, want from %q", when, seen.State, seen.Changes, want)
		}
		w.Clock.Advance(time.Hour)
	}
	silent := func(when, group string) {
		t.Helper()
		w.Ledger.Reset()
		seen := w.database(req)
		if len(seen.Changes) != 0 || seen.State != driver.Ready || !slices.Equal(seen.Applied["aws.dbParameterGroupName"], []string{group}) {
			t.Errorf("%s: state %v, changes %v, applied %v", when, seen.State, seen.Changes, seen.Applied)
		}
		if got := w.Operations(); !slices.Equal(got, []string{"DescribeDBInstances"}) {
			t.Errorf("%s: calls %q", when, got)
		}
		req.Applied = seen.Applied
	}
	req.Spec.AWS.DBParameterGroupName = new("pay")
	step("another group", "spare", "pay", driver.Online, "ModifyDBInstance")
	if seen := w.database(req); !slices.Equal(seen.Applied["aws.dbParameterGroupName"], []string{"Spare"}) {
		t.Errorf("attached and not in force: applied %v", seen.Applied)
	}
	step("the restart", "pay (pending-reboot)", "pay", driver.Restarts, "RebootDBInstance")
	silent("in force", "pay")

	w.setStatic("pay")
	if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) != 0 {
		t.Errorf("while the server takes what somebody changed in the group: state %v, changes %v", seen.State, seen.Changes)
	}
	w.Clock.Advance(time.Hour)
	step("somebody changed the group", "pay (pending-reboot)", "pay", driver.Restarts, "RebootDBInstance")
	silent("taken over", "pay")

	req.Spec.AWS.DBParameterGroupName = new("default.postgres16")
	step("back to the default group", "pay", "default.postgres16", driver.Online, "ModifyDBInstance")
	step("the restart", "default.postgres16 (pending-reboot)", "default.postgres16", driver.Restarts, "RebootDBInstance")

	req.Spec.AWS.DBParameterGroupName = nil
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, DBParameterGroupName: new("pay"), ApplyImmediately: new(true)})
	if seen := w.database(req); len(seen.Changes) != 0 || seen.Applied["aws.dbParameterGroupName"] != nil {
		t.Errorf("unset: changes %v, applied %v", seen.Changes, seen.Applied)
	}
	if now := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0].AvailabilityZone; *now != *zone {
		t.Errorf("it moved from %s to %s", *zone, *now)
	}
}

// The restart comes after the other changes, and only where it was planned: not by the attachment that is sent again because its answer was lost.
func TestRestartForParameterGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-restart", inParameterGroup("spare"))
	w.createDatabase(&req)
	req.Spec.AWS.DBParameterGroupName = new("pay")
	attach := w.one(req)
	w.updateDatabase(req, attach)
	w.Clock.Advance(time.Hour)
	w.Ledger.Reset()
	w.updateDatabase(req, attach)
	if got := w.writing(); len(got) > 0 {
		t.Errorf("attached before: calls %q", got)
	}
	req.Spec.AWS.InstanceClass = new("db.t4g.small")
	changes := w.database(req).Changes
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.dbParameterGroupName" || driver.CodeOf(result.Failed[0].Err) != driver.Busy {
		t.Errorf("two changes: %v, %v", err, result.Failed)
	}
	if got := w.writing(); !slices.Equal(got, []string{"ModifyDBInstance"}) {
		t.Errorf("two changes: calls %q", got)
	}
	w.Clock.Advance(time.Hour)
	if c := w.one(req); c.Effect != driver.Restarts {
		t.Errorf("what is left: %+v", c)
	}
	awstest.Do(t, w.RDS.StopDBInstance, &rds.StopDBInstanceInput{DBInstanceIdentifier: &req.Name})
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); len(seen.Changes) != 0 || !seen.Stopped {
		t.Errorf("stopped: %+v: its start is a restart", seen.Changes)
	}
}

// RDS takes an upgrade to another major version and the group of its family in one call: they have one effect, and go together.
func TestParameterGroupOfAnUpgrade(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	awstest.Do(t, w.RDS.CreateDBParameterGroup, &rds.CreateDBParameterGroupInput{DBParameterGroupName: new("next"), DBParameterGroupFamily: new("postgres17"), Description: new("next")})
	req := awstest.DatabaseOf("shop-upgrade", inParameterGroup("spare"))
	w.createDatabase(&req)
	refused := func(when string) {
		t.Helper()
		result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
		if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid || !strings.Contains(result.Failed[0].Err.Error(), "set spec.aws.dbParameterGroupName") {
			t.Errorf("%s: %v, %v, want what to set", when, err, result.Failed)
		}
	}
	req.Spec.Version = new("17")
	refused("the version alone")
	req.Spec.Version, req.Spec.AWS.DBParameterGroupName = new("16.4"), new("next")
	refused("the group alone")
	req.Spec.AWS.DBParameterGroupName = new("nobodys")
	refused("a group that is not there")

	req.Spec.Version, req.Spec.AWS.DBParameterGroupName = new("17"), new("next")
	changes := w.database(req).Changes
	if len(changes) != 2 || changes[0].Effect != driver.Irreversible || changes[1].Effect != driver.Irreversible || changes[1].Why == "" {
		t.Fatalf("changes %+v", changes)
	}
	w.Ledger.Reset()
	w.updateDatabase(req, changes...)
	if got := w.writing(); !slices.Equal(got, []string{"ModifyDBInstance"}) {
		t.Errorf("calls %q", got)
	}
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); len(seen.Changes) != 0 || seen.State != driver.Ready {
		t.Errorf("upgraded: %v, %+v", seen.State, seen.Changes)
	}
}

// A group that is not there is refused with its field; the creation makes nothing.
func TestUnknownParameterGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	for name, group := range map[string]string{"shop-none": "nobodys", "shop-family": "pay-mysql"} {
		req := awstest.DatabaseOf(name, inParameterGroup(group))
		_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
		if awstest.WantCode(t, err, driver.Invalid); err != nil && !strings.Contains(err.Error(), "spec.aws.dbParameterGroupName") {
			t.Errorf("%s: %v", group, err)
		}
		if seen := w.database(req); seen.State != driver.Absent {
			t.Errorf("%s: %v", group, seen.State)
		}
	}
}

// fromOf returns what changes lead away from.
func fromOf(changes []driver.Change) (from []string) {
	for _, c := range changes {
		from = append(from, c.From)
	}
	return from
}
