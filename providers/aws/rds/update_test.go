package rds_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A change that is online by itself restarts the server if somebody left another instance class for RDS's own window: RDS applies both.
func TestChangeAppliesWhatWaits(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	name := "shop-waits"
	req := awstest.DatabaseOf(name, nil)
	w.createDatabase(&req)
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, DBInstanceClass: new("db.t4g.small")})
	req.Spec.AWS.InstanceClass = new("db.t4g.small")
	req.Spec.Backup.RetentionDays = new(int32(14))
	req.Spec.Tags = map[string]v1alpha1.TagValue{"team": "pay"}
	seen := w.database(req)
	if got := driver.Names(seen.Changes); seen.State != driver.Ready || !slices.Equal(got, []string{"backup.retentionDays", "tags"}) {
		t.Fatalf("state %v, changes %v", seen.State, got)
	}
	days, tags := seen.Changes[0], seen.Changes[1]
	const why = "RDS also applies aws.instanceClass, which waits for its own maintenance window: " +
		"the server is away for a few minutes, until it runs on another host and has recovered"
	if days.Effect != driver.Restarts || days.Why != why || tags.Effect != driver.Online || tags.Why != "" {
		t.Errorf("changes %+v", seen.Changes)
	}

	running := func() string {
		t.Helper()
		out, err := w.RDS.DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name})
		if err != nil {
			t.Fatal(err)
		}
		return *out.DBInstances[0].DBInstanceClass
	}
	w.updateDatabase(req, tags)
	req.Login.Password = "Another-Horse-2"
	w.editDatabase(req, driver.Edit{Password: driver.SetPassword})
	w.Clock.Advance(10 * time.Minute)
	if got := running(); got != "db.t4g.micro" {
		t.Fatalf("tags and a password made it %s", got)
	}
	back := req
	back.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
	if seen := w.database(back); len(seen.Changes) != 2 || seen.Changes[0].Effect != driver.Restarts || seen.Changes[1].Effect != driver.Online {
		t.Errorf("to take the class back: %+v", seen.Changes)
	}
	w.updateDatabase(req, w.database(req).Changes...)
	w.Clock.Advance(10 * time.Minute)
	if got := running(); got != "db.t4g.small" {
		t.Errorf("it has %s: what waited was not applied", got)
	}
	req.Spec.Backup.RetentionDays = new(int32(21))
	if seen := w.database(req); len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Online {
		t.Errorf("nothing waits any more: %+v", seen.Changes)
	}
}
