package rds_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	monitoringRole = "arn:aws:iam::" + awstest.Account + ":role/rds-monitoring-role"
	otherRole      = "arn:aws:iam::" + awstest.Account + ":role/shop-monitoring"
)

func monitored(seconds *int32, role *string) *v1alpha1.EnhancedMonitoring {
	return &v1alpha1.EnhancedMonitoring{IntervalSeconds: seconds, RoleARN: role}
}

// RDS wants interval and role together, and 0 alone: each edit takes one call, whatever the server had.
func TestMonitoring(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.AWS.Monitoring = monitored(nil, new(monitoringRole)) })
	w.createDatabase(&req)
	for _, step := range []struct {
		name     string
		settings *v1alpha1.EnhancedMonitoring
		writes   int
		seconds  int32
		role     string
	}{
		{"a role alone, as from a class, asks for nothing", monitored(nil, new(monitoringRole)), 0, 0, ""},
		{"on", monitored(new(int32(60)), new(monitoringRole)), 1, 60, monitoringRole},
		{"more often, with the role that the server has", monitored(new(int32(5)), nil), 1, 5, monitoringRole},
		{"another role, with the interval that the server has", monitored(new(int32(5)), new(otherRole)), 1, 5, otherRole},
		{"released", nil, 0, 5, otherRole},
		{"off, with a role", monitored(new(int32(0)), new(otherRole)), 1, 0, ""},
		{"off", monitored(new(int32(0)), nil), 0, 0, ""},
		{"off, with another role", monitored(new(int32(0)), new(monitoringRole)), 0, 0, ""},
		{"on again", monitored(new(int32(1)), new(otherRole)), 1, 1, otherRole},
	} {
		before := req.Spec.DeepCopy()
		req.Spec.AWS.Monitoring = step.settings
		seen := w.database(req)
		if foreseen := foresee(t, before, &req.Spec, req.Applied); len(foreseen) > len(seen.Changes) { // a server of what another spec left may differ in more
			t.Errorf("%s: %v foretold, %v to change", step.name, foreseen, seen.Changes)
		}
		w.Ledger.Reset()
		if len(seen.Changes) > 0 {
			w.updateDatabase(req, seen.Changes...)
			if seen := w.database(req); seen.State != driver.Ready || !seen.Available || len(seen.Changes) > 0 {
				t.Errorf("%s: while RDS changes its monitoring: %v, available %t, changes %v", step.name, seen.State, seen.Available, seen.Changes)
			}
			w.Clock.Advance(time.Hour)
		}
		if w.Writes() != step.writes {
			t.Errorf("%s: %d writes, want %d", step.name, w.Writes(), step.writes)
		}
		now := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0]
		role := ""
		if now.MonitoringRoleArn != nil {
			role = *now.MonitoringRoleArn
		}
		if *now.MonitoringInterval != step.seconds || role != step.role {
			t.Errorf("%s: every %d seconds as %q, want %d as %q", step.name, *now.MonitoringInterval, role, step.seconds, step.role)
		}
		if left := w.database(req).Changes; len(left) > 0 {
			t.Errorf("%s: still differs: %v", step.name, left)
		}
	}
}

// foresee returns what a preview says of an edit.
func foresee(t *testing.T, from, to *v1alpha1.DatabaseParameters, applied driver.Applied) []driver.Change {
	t.Helper()
	before, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	after, err := json.Marshal(to)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := aws.New(aws.Options{}).Preview("Database", before, after, applied)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// A role that RDS can't use keeps no interval away: that goes with the role that the server has.
func TestMonitoringKeepsItsRole(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) {
		p.AWS.Monitoring = monitored(new(int32(60)), new(monitoringRole))
	})
	w.createDatabase(&req)
	req.Spec.AWS.Monitoring = monitored(new(int32(5)), new("arn:aws:iam::"+awstest.Account+":role/shop"))
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.monitoring.roleARN" {
		t.Errorf("%v, failed %v; want the role alone to fail", err, result.Failed)
	}
	now := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0]
	if *now.MonitoringInterval != 5 || *now.MonitoringRoleArn != monitoringRole {
		t.Errorf("every %d seconds as %s", *now.MonitoringInterval, *now.MonitoringRoleArn)
	}
}

// A refusal names the field: without a role before any call, else with RDS's own words and what to do about the role.
func TestMonitoringRefused(t *testing.T) {
	for name, test := range map[string]struct {
		settings *v1alpha1.EnhancedMonitoring
		code     driver.Code
		says     string
		writes   int
	}{
		"no role":                        {monitored(new(int32(60)), nil), driver.Invalid, "set spec.aws.monitoring.roleARN", 0},
		"a role that RDS can't assume":   {monitored(new(int32(60)), new("arn:aws:iam::"+awstest.Account+":role/shop")), driver.Invalid, "set spec.aws.monitoring.roleARN to a role", 1},
		"a role of another account":      {monitored(new(int32(60)), new("arn:aws:iam::222222222222:role/rds-monitoring-role")), driver.Invalid, "in the server's account", 1},
		"a role that nobody may pass on": {monitored(new(int32(60)), new("arn:aws:iam::"+awstest.Account+":role/audit-monitoring")), driver.Denied, "allow iam:PassRole on the role in spec.aws.monitoring.roleARN", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			wants := func(p *v1alpha1.DatabaseParameters) { p.AWS.Monitoring = test.settings }
			_, err := drivertest.Databases(w.Session).Create(t.Context(), awstest.DatabaseOf("shop-orders", wants))
			if driver.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) || w.Writes() != test.writes {
				t.Errorf("create: %v, after %d writes", err, w.Writes())
			}
			req := awstest.DatabaseOf("shop-orders", nil)
			w.createDatabase(&req)
			wants(&req.Spec)
			seen := w.database(req)
			w.Ledger.Reset()
			result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
			if err == nil && len(result.Failed) > 0 {
				err = result.Failed[0].Err
			}
			if driver.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) || (w.Writes() > 0) != (test.writes > 0) {
				t.Errorf("update: %v, after %d writes", err, w.Writes())
			}
			req.Spec.AWS.Monitoring = nil
			if left := w.database(req).Changes; len(left) > 0 {
				t.Errorf("the refusal left something behind: %v", left)
			}
		})
	}
}
