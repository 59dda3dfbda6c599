package rds_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// A roleTest gives roles to instances.
type roleTest struct {
	*testing.T
	client *rds.Client
}

func (r roleTest) add(name, feature, role, code string) {
	r.Helper()
	_, err := r.client.AddRoleToDBInstance(r.Context(), &rds.AddRoleToDBInstanceInput{DBInstanceIdentifier: &name, FeatureName: &feature, RoleArn: new("arn:aws:iam::" + sdk.OwnAccount + ":role/" + role)})
	sdk.WantCode(r.T, err, code)
}

func (r roleTest) remove(name, feature, role, code string) {
	r.Helper()
	_, err := r.client.RemoveRoleFromDBInstance(r.Context(), &rds.RemoveRoleFromDBInstanceInput{DBInstanceIdentifier: &name, FeatureName: &feature, RoleArn: new("arn:aws:iam::" + sdk.OwnAccount + ":role/" + role)})
	sdk.WantCode(r.T, err, code)
}

func (r roleTest) has(name string, want map[string]string) {
	r.Helper()
	got := map[string]string{}
	for _, role := range sdk.Describe(r.T, r.client, name).AssociatedRoles {
		got[*role.FeatureName] = (*role.RoleArn)[len("arn:aws:iam::"+sdk.OwnAccount+":role/"):] + " " + *role.Status
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.Errorf("%s: roles (-want +got):\n%s", name, diff)
	}
}

// An instance has a role for a feature, and a role serves one feature. RDS takes its time to associate one and to take one away, and does neither of an instance that is not available.
func TestRDSRoles(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute, RoleRemoval: 30 * time.Second})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	r := roleTest{t, client}
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders")))(t)
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("pay", func(in *rds.CreateDBInstanceInput) { in.Engine, in.EngineVersion, in.DBName = new("mysql"), nil, nil })))(t)
	clock.Advance(time.Hour)
	r.add("nowhere", "s3Import", "shop-imports", "DBInstanceNotFound")
	r.add("pay", "s3Import", "shop-imports", "InvalidParameterValue")
	r.add("orders", "S3_INTEGRATION", "shop-imports", "InvalidParameterValue")
	r.add("orders", "s3Import", "shop", "InvalidParameterValue")
	r.add("orders", "s3Import", localrds.RoleNotPassed, "AccessDenied")
	r.has("orders", map[string]string{})

	r.add("orders", "s3Import", "shop-imports", "")
	r.add("orders", "Lambda", localrds.RoleNotTrusting, "")
	r.has("orders", map[string]string{"s3Import": "shop-imports PENDING", "Lambda": localrds.RoleNotTrusting + " PENDING"})
	sdk.WantInstance(t, client, "orders", "available")
	clock.Advance(time.Minute)
	r.has("orders", map[string]string{"s3Import": "shop-imports ACTIVE", "Lambda": localrds.RoleNotTrusting + " INVALID"})
	r.add("orders", "s3Import", "shop-exports", "DBInstanceRoleAlreadyExists")
	r.add("orders", "s3Export", "shop-imports", "DBInstanceRoleAlreadyExists")

	r.remove("orders", "s3Import", "shop-exports", "DBInstanceRoleNotFound")
	r.remove("orders", "s3Import", "shop-imports", "")
	r.has("orders", map[string]string{"s3Import": "shop-imports PENDING", "Lambda": localrds.RoleNotTrusting + " INVALID"})
	r.add("orders", "s3Import", "shop-exports", "DBInstanceRoleAlreadyExists")
	clock.Advance(30 * time.Second)
	r.has("orders", map[string]string{"Lambda": localrds.RoleNotTrusting + " INVALID"})
	r.add("orders", "s3Import", "shop-exports", "")
	cloud.MakeIdentity("arn:aws:iam::"+sdk.OwnAccount+":role/shop-everything", 5*time.Second)
	r.add("orders", "s3Export", "shop-everything", "InvalidParameterValue")

	check.Need(client.StopDBInstance(t.Context(), &rds.StopDBInstanceInput{DBInstanceIdentifier: new("orders")}))(t)
	r.add("orders", "s3Export", "shop-everything", "InvalidDBInstanceState")
	r.remove("orders", "s3Import", "shop-exports", "InvalidDBInstanceState")
}

// A role that RDS may not assume stays INVALID after its trust policy was corrected, until it is associated anew.
func TestRDSRoleThatIsTrustedLater(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	r := roleTest{t, client}
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders")))(t)
	clock.Advance(time.Hour)
	r.add("orders", "Lambda", localrds.RoleNotTrusting, "")
	clock.Advance(time.Minute)
	cloud.TrustRDS("arn:aws:iam::" + sdk.OwnAccount + ":role/" + localrds.RoleNotTrusting)
	r.has("orders", map[string]string{"Lambda": localrds.RoleNotTrusting + " INVALID"})
	r.remove("orders", "Lambda", localrds.RoleNotTrusting, "")
	r.add("orders", "Lambda", localrds.RoleNotTrusting, "")
	clock.Advance(time.Minute)
	r.has("orders", map[string]string{"Lambda": localrds.RoleNotTrusting + " ACTIVE"})
}

// What has the data of an instance does not have its roles: a restore, and a read replica, which keeps those that it was given when it is promoted.
func TestRDSRolesStayBehind(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	r := roleTest{t, client}
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders")))(t)
	clock.Advance(time.Hour)
	r.add("orders", "s3Import", "shop-imports", "")
	check.Need(client.CreateDBSnapshot(t.Context(), &rds.CreateDBSnapshotInput{DBInstanceIdentifier: new("orders"), DBSnapshotIdentifier: new("nightly")}))(t)
	clock.Advance(time.Hour)
	check.Need(client.RestoreDBInstanceFromDBSnapshot(t.Context(), &rds.RestoreDBInstanceFromDBSnapshotInput{DBInstanceIdentifier: new("restored"), DBSnapshotIdentifier: new("nightly")}))(t)
	check.Need(client.RestoreDBInstanceToPointInTime(t.Context(), &rds.RestoreDBInstanceToPointInTimeInput{TargetDBInstanceIdentifier: new("again"), SourceDBInstanceIdentifier: new("orders"), UseLatestRestorableTime: new(true)}))(t)
	check.Need(client.CreateDBInstanceReadReplica(t.Context(), sdk.SomeReplica("reads", "orders")))(t)
	clock.Advance(time.Hour)
	for _, name := range []string{"restored", "again", "reads"} {
		r.has(name, map[string]string{})
	}
	r.has("orders", map[string]string{"s3Import": "shop-imports ACTIVE"})
	r.add("reads", "s3Export", "shop-exports", "")
	check.Need(client.PromoteReadReplica(t.Context(), &rds.PromoteReadReplicaInput{DBInstanceIdentifier: new("reads")}))(t)
	clock.Advance(time.Hour)
	r.has("reads", map[string]string{"s3Export": "shop-exports ACTIVE"})
}
