package rds_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// describeDeployment returns a deployment that must be there.
func describeDeployment(t *testing.T, client *rds.Client, id string) types.BlueGreenDeployment {
	t.Helper()
	out := check.Need(client.DescribeBlueGreenDeployments(context.Background(), &rds.DescribeBlueGreenDeploymentsInput{BlueGreenDeploymentIdentifier: &id}))(t)
	return out.BlueGreenDeployments[0]
}

func wantDeployment(t *testing.T, client *rds.Client, id, status string) types.BlueGreenDeployment {
	t.Helper()
	d := describeDeployment(t, client, id)
	if *d.Status != status {
		t.Errorf("the deployment is %s (%s), want %s", *d.Status, aws.ToString(d.StatusDetails), status)
	}
	return d
}

// awaitDeployment waits until a deployment has a status; empty for gone.
func awaitDeployment(t *testing.T, client *rds.Client, id, status string) {
	t.Helper()
	check.AwaitValue(t, "the status of the deployment", status, func() (string, error) {
		out, err := client.DescribeBlueGreenDeployments(context.Background(), &rds.DescribeBlueGreenDeploymentsInput{BlueGreenDeploymentIdentifier: &id})
		if _, gone := errors.AsType[*types.BlueGreenDeploymentNotFoundFault](err); gone {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		return *out.BlueGreenDeployments[0].Status, nil
	})
}

// someDeployment is a valid request, changed by edits.
func someDeployment(name, source string, edits ...func(*rds.CreateBlueGreenDeploymentInput)) *rds.CreateBlueGreenDeploymentInput {
	in := &rds.CreateBlueGreenDeploymentInput{BlueGreenDeploymentName: &name, Source: &source}
	for _, edit := range edits {
		edit(in)
	}
	return in
}

// tasksOf are the tasks of a deployment and their statuses.
func tasksOf(d types.BlueGreenDeployment) (all []string) {
	for _, task := range d.Tasks {
		all = append(all, *task.Name+" "+*task.Status)
	}
	return all
}

// TestRDSBlueGreen leads a deployment with a read replica through its life, as the API shows it.
func TestRDSBlueGreen(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: 8 * time.Minute, Modify: 4 * time.Minute, Delete: 3 * time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.DBInstanceClass, in.AllocatedStorage, in.BackupRetentionPeriod, in.Port, in.MultiAZ = aws.String("db.t4g.medium"), aws.Int32(500), aws.Int32(9), aws.Int32(6543), aws.Bool(true)
		in.StorageEncrypted, in.KmsKeyId, in.DeletionProtection, in.DBSubnetGroupName, in.DBParameterGroupName = aws.Bool(true), aws.String("alias/shop"), aws.Bool(true), aws.String("shop"), aws.String("pay")
		in.EnableIAMDatabaseAuthentication, in.EnablePerformanceInsights = aws.Bool(true), aws.Bool(true)
	})))(t)
	clock.Advance(8 * time.Minute)
	check.Need(client.CreateDBInstanceReadReplica(ctx, sdk.SomeReplica("copy", "orders")))(t)
	clock.Advance(8 * time.Minute)
	source := sdk.WantInstance(t, client, "orders", "available")
	created := check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment("Upgrade", *source.DBInstanceArn, func(in *rds.CreateBlueGreenDeploymentInput) {
		in.TargetEngineVersion, in.TargetDBInstanceClass = aws.String("16.9"), aws.String("db.t4g.large")
		in.Tags = []types.Tag{{Key: aws.String("of"), Value: aws.String("deployment")}}
	})))(t).BlueGreenDeployment
	id := *created.BlueGreenDeploymentIdentifier
	if !regexp.MustCompile(`^bgd-[a-z0-9]{16}$`).MatchString(id) || *created.BlueGreenDeploymentName != "Upgrade" || *created.Status != "PROVISIONING" || created.Target != nil ||
		*created.Source != *source.DBInstanceArn || len(created.SwitchoverDetails) != 2 || created.SwitchoverDetails[0].TargetMember != nil ||
		!slices.Equal(tasksOf(*created), []string{
			"CREATING_READ_REPLICA_OF_SOURCE PENDING", "DB_ENGINE_VERSION_UPGRADE PENDING", "CONFIGURE_BACKUPS PENDING", "CREATING_TOPOLOGY_OF_SOURCE PENDING",
		}) {
		t.Errorf("the answer is %+v", created)
	}
	d := wantDeployment(t, client, id, "PROVISIONING")
	greenName, ok := strings.CutPrefix(*d.Target, "arn:aws:rds:eu-west-1:"+sdk.OwnAccount+":db:")
	if !ok || !regexp.MustCompile(`^orders-green-[a-z0-9]{6}$`).MatchString(greenName) || tasksOf(d)[0] != "CREATING_READ_REPLICA_OF_SOURCE IN_PROGRESS" ||
		*d.SwitchoverDetails[0].Status != "PROVISIONING" || *d.SwitchoverDetails[0].TargetMember != *d.Target {
		t.Errorf("while it is made: %+v", d)
	}
	sdk.WantInstance(t, client, "orders", "available")
	_, err := client.SwitchoverBlueGreenDeployment(ctx, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id})
	sdk.WantCode(t, err, "InvalidBlueGreenDeploymentStateFault")
	sdk.WantInstance(t, client, greenName, "creating")
	clock.Advance(8 * time.Minute)
	sdk.WantInstance(t, client, greenName, "upgrading")
	if got := tasksOf(wantDeployment(t, client, id, "PROVISIONING"))[1]; got != "DB_ENGINE_VERSION_UPGRADE IN_PROGRESS" {
		t.Error(got)
	}
	clock.Advance(4 * time.Minute)
	sdk.WantInstance(t, client, greenName, "backing-up")
	clock.Advance(2 * time.Minute)
	d = wantDeployment(t, client, id, "AVAILABLE")
	green := sdk.WantInstance(t, client, greenName, "available")
	if *green.EngineVersion != "16.9" || *green.DBInstanceClass != "db.t4g.large" || *green.AllocatedStorage != 500 || *green.BackupRetentionPeriod != 9 || *green.Endpoint.Port != 6543 || !*green.MultiAZ ||
		*green.KmsKeyId != *source.KmsKeyId || !*green.DeletionProtection || *green.DBSubnetGroup.DBSubnetGroupName != "shop" || !*green.IAMDatabaseAuthenticationEnabled ||
		!*green.PerformanceInsightsEnabled || *green.DbiResourceId == *source.DbiResourceId || *green.ReadReplicaSourceDBInstanceIdentifier != "orders" ||
		*green.DBParameterGroups[0].DBParameterGroupName != "default.postgres16" || len(green.TagList) != 0 || *green.Endpoint.Address == *source.Endpoint.Address {
		t.Errorf("the green instance is %+v", green)
	}
	greenCopy, _ := strings.CutPrefix(*d.SwitchoverDetails[1].TargetMember, "arn:aws:rds:eu-west-1:"+sdk.OwnAccount+":db:")
	if replica := sdk.WantInstance(t, client, greenCopy, "available"); *replica.ReadReplicaSourceDBInstanceIdentifier != greenName || *replica.EngineVersion != "16.9" {
		t.Errorf("the green replica is %+v", replica)
	}
	if got := sdk.Describe(t, client, "orders").ReadReplicaDBInstanceIdentifiers; !slices.Equal(got, []string{"copy", greenName}) {
		t.Errorf("the source has the replicas %v", got)
	}
	blueCopy := sdk.Describe(t, client, "copy")

	_, err = client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("orders"), EngineVersion: aws.String("16.10")})
	sdk.WantCode(t, err, "InvalidParameterCombination")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: &greenName, DBInstanceClass: aws.String("db.t4g.xlarge"), BackupRetentionPeriod: aws.Int32(5), ApplyImmediately: aws.Bool(true),
	}))(t)
	_, err = client.SwitchoverBlueGreenDeployment(ctx, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id})
	sdk.WantCode(t, err, "InvalidBlueGreenDeploymentStateFault")
	clock.Advance(4 * time.Minute)

	// A switchover that takes too long changes nothing.
	switchOver := func(seconds int32) error {
		_, err := client.SwitchoverBlueGreenDeployment(ctx, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: aws.String(strings.ToUpper(id)), SwitchoverTimeout: &seconds})
		return err
	}
	sdk.WantCode(t, switchOver(29), "InvalidParameterValue")
	sdk.WantCode(t, switchOver(3601), "InvalidParameterValue")
	sdk.WantCode(t, switchOver(60), "")
	clock.Advance(time.Minute)
	wantDeployment(t, client, id, "SWITCHOVER_FAILED")
	if after := sdk.WantInstance(t, client, "orders", "available"); *after.DbiResourceId != *source.DbiResourceId || *after.Endpoint.Address != *source.Endpoint.Address {
		t.Errorf("after a switchover that failed: %+v", after)
	}
	sdk.WantCode(t, switchOver(300), "")
	wantDeployment(t, client, id, "SWITCHOVER_IN_PROGRESS")
	sdk.WantInstance(t, client, "orders", "renaming")
	for _, member := range []string{"orders", greenName, "copy", greenCopy} {
		_, err = client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &member, DBInstanceClass: aws.String("db.t4g.micro")})
		sdk.WantCode(t, err, "InvalidDBInstanceState")
	}
	_, err = client.DeleteBlueGreenDeployment(ctx, &rds.DeleteBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id})
	sdk.WantCode(t, err, "InvalidBlueGreenDeploymentStateFault")
	clock.Advance(4 * time.Minute)
	d = wantDeployment(t, client, id, "SWITCHOVER_COMPLETED")
	arn := strings.TrimSuffix(*source.DBInstanceArn, "orders")
	if *d.Source != arn+"orders-old1" || *d.Target != arn+"orders" || *d.SwitchoverDetails[1].SourceMember != arn+"copy-old1" || *d.SwitchoverDetails[1].TargetMember != arn+"copy" ||
		*d.SwitchoverDetails[0].Status != "SWITCHOVER_COMPLETED" {
		t.Errorf("after the switchover: %+v", d)
	}
	now, old := sdk.WantInstance(t, client, "orders", "available"), sdk.WantInstance(t, client, "orders-old1", "available")
	if *now.DbiResourceId != *green.DbiResourceId || *now.Endpoint.Address != *source.Endpoint.Address || *now.Endpoint.Port != 6543 || now.ReadReplicaSourceDBInstanceIdentifier != nil ||
		now.StatusInfos != nil || *now.EngineVersion != "16.9" || *now.BackupRetentionPeriod != 5 || *now.DBInstanceArn != *source.DBInstanceArn || len(now.TagList) != 1 || *now.TagList[0].Key != "owner" ||
		!slices.Equal(now.ReadReplicaDBInstanceIdentifiers, []string{"copy"}) || *now.DBInstanceClass != "db.t4g.xlarge" {
		t.Errorf("after the switchover: %+v", now)
	}
	if *old.DbiResourceId != *source.DbiResourceId || *old.Endpoint.Address == *source.Endpoint.Address || *old.DBInstanceArn != arn+"orders-old1" || len(old.TagList) != 1 || *old.EngineVersion != "16.3" ||
		!slices.Equal(old.ReadReplicaDBInstanceIdentifiers, []string{"copy-old1"}) || !*old.DeletionProtection {
		t.Errorf("the old instance is %+v", old)
	}
	if replica := sdk.Describe(t, client, "copy"); *replica.ReadReplicaSourceDBInstanceIdentifier != "orders" || *replica.Endpoint.Address != *blueCopy.Endpoint.Address || *replica.DbiResourceId == *blueCopy.DbiResourceId {
		t.Errorf("the new replica is %+v", replica)
	}
	if replica := sdk.Describe(t, client, "copy-old1"); *replica.ReadReplicaSourceDBInstanceIdentifier != "orders-old1" || *replica.DbiResourceId != *blueCopy.DbiResourceId {
		t.Errorf("the old replica is %+v", replica)
	}
	_, err = client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &greenName})
	sdk.WantCode(t, err, "DBInstanceNotFound")

	// The old instance can be deleted before the deployment, the target can't go with it, and both environments stay.
	remove := func(target bool) error {
		_, err := client.DeleteBlueGreenDeployment(ctx, &rds.DeleteBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id, DeleteTarget: &target})
		return err
	}
	sdk.WantCode(t, remove(true), "InvalidBlueGreenDeploymentStateFault")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("orders-old1"), DeletionProtection: aws.Bool(false)}))(t)
	check.Need(client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: aws.String("orders-old1"), SkipFinalSnapshot: aws.Bool(true)}))(t)
	clock.Advance(3 * time.Minute)
	if d = wantDeployment(t, client, id, "SWITCHOVER_COMPLETED"); *d.SwitchoverDetails[0].Status != "MISSING_SOURCE" {
		t.Errorf("without the old instance: %+v", d)
	}
	sdk.WantCode(t, remove(false), "")
	if d = wantDeployment(t, client, id, "DELETING"); d.DeleteTime == nil {
		t.Errorf("while it is deleted: %+v", d)
	}
	clock.Advance(3 * time.Minute)
	_, err = client.DescribeBlueGreenDeployments(ctx, &rds.DescribeBlueGreenDeploymentsInput{BlueGreenDeploymentIdentifier: &id})
	sdk.WantCode(t, err, "BlueGreenDeploymentNotFoundFault")
	sdk.WantInstance(t, client, "orders", "available")
}

// TestRDSBlueGreenDeletion before the switchover, with and without the target.
func TestRDSBlueGreenDeletion(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Delete: time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	deploy := func(engine string, edits ...func(*rds.CreateDBInstanceInput)) (id, green string) {
		check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance(engine, append(edits, func(in *rds.CreateDBInstanceInput) {
			in.Engine, in.EngineVersion = &engine, nil
		})...)))(t)
		d := check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment(engine, *sdk.Describe(t, client, engine).DBInstanceArn)))(t).BlueGreenDeployment
		shown := wantDeployment(t, client, *d.BlueGreenDeploymentIdentifier, "AVAILABLE")
		return *d.BlueGreenDeploymentIdentifier, (*shown.Target)[strings.LastIndex(*shown.Target, ":")+1:]
	}
	remove := func(id string, target bool) error {
		_, err := client.DeleteBlueGreenDeployment(ctx, &rds.DeleteBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id, DeleteTarget: &target})
		return err
	}
	id, green := deploy("postgres", func(in *rds.CreateDBInstanceInput) { in.DeletionProtection = aws.Bool(true) })
	sdk.WantCode(t, remove(id, true), "InvalidBlueGreenDeploymentStateFault")
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &green, DeletionProtection: aws.Bool(false)}))(t)
	cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "DeleteBlueGreenDeployment"}, Kind: localcloud.FailLate, Times: 1})
	sdk.WantCode(t, remove(id, true), "")
	wantDeployment(t, client, id, "DELETING")
	clock.Advance(time.Minute)
	if d := wantDeployment(t, client, id, "AVAILABLE"); d.DeleteTime != nil {
		t.Errorf("after a deletion that failed: %+v", d)
	}
	sdk.WantInstance(t, client, green, "available")
	sdk.WantCode(t, remove(id, true), "")
	sdk.WantInstance(t, client, green, "deleting")
	clock.Advance(time.Minute)
	_, err := client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &green})
	sdk.WantCode(t, err, "DBInstanceNotFound")
	sdk.WantCode(t, remove(id, true), "BlueGreenDeploymentNotFoundFault")
	sdk.WantInstance(t, client, "postgres", "available")

	d := check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment("postgres", *sdk.Describe(t, client, "postgres").DBInstanceArn)))(t).BlueGreenDeployment
	again := *describeDeployment(t, client, *d.BlueGreenDeploymentIdentifier).Target
	again = again[strings.LastIndex(again, ":")+1:]
	sdk.WantCode(t, remove(*d.BlueGreenDeploymentIdentifier, false), "")
	clock.Advance(time.Minute)
	if db := sdk.WantInstance(t, client, again, "available"); db.ReadReplicaSourceDBInstanceIdentifier != nil {
		t.Errorf("the green instance of PostgreSQL still follows %s", *db.ReadReplicaSourceDBInstanceIdentifier)
	}
	id, green = deploy("mysql")
	sdk.WantCode(t, remove(id, false), "")
	clock.Advance(time.Minute)
	if db := sdk.WantInstance(t, client, green, "available"); aws.ToString(db.ReadReplicaSourceDBInstanceIdentifier) != "mysql" {
		t.Errorf("the green instance of MySQL follows %v", db.ReadReplicaSourceDBInstanceIdentifier)
	}
}

// TestRDSBlueGreenInvalid: a deployment can't be switched over once an instance is gone, or promoted by hand.
func TestRDSBlueGreenInvalid(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	skip := aws.Bool(true)
	for name, test := range map[string]struct {
		detail string
		breaks func(blue, green string) error
	}{
		"no-target": {"MISSING_TARGET", func(_, green string) error {
			_, err := client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &green, SkipFinalSnapshot: skip})
			return err
		}},
		"no-source": {"MISSING_SOURCE", func(blue, _ string) error {
			_, err := client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &blue, SkipFinalSnapshot: skip})
			return err
		}},
		"promoted": {"AVAILABLE", func(_, green string) error {
			_, err := client.PromoteReadReplica(ctx, &rds.PromoteReadReplicaInput{DBInstanceIdentifier: &green})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance(name)))(t)
			id := *check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment(name, *sdk.Describe(t, client, name).DBInstanceArn)))(t).BlueGreenDeployment.BlueGreenDeploymentIdentifier
			target := *wantDeployment(t, client, id, "AVAILABLE").Target
			if err := test.breaks(name, target[strings.LastIndex(target, ":")+1:]); err != nil {
				t.Fatal(err)
			}
			if d := wantDeployment(t, client, id, "INVALID_CONFIGURATION"); *d.SwitchoverDetails[0].Status != test.detail || aws.ToString(d.StatusDetails) == "" {
				t.Errorf("the deployment is %+v", d)
			}
			_, err := client.SwitchoverBlueGreenDeployment(ctx, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id})
			sdk.WantCode(t, err, "InvalidBlueGreenDeploymentStateFault")
			check.Need(client.DeleteBlueGreenDeployment(ctx, &rds.DeleteBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id}))(t)
		})
	}
}

// TestRDSBlueGreenFails: a creation and a switchover can fail at their end, and answers can get lost.
func TestRDSBlueGreenFails(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders")))(t)
	source := sdk.Describe(t, client, "orders")
	fault := func(operation string, kind localcloud.FaultKind) {
		cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: operation}, Kind: kind, Times: 1})
	}
	fault("CreateBlueGreenDeployment", localcloud.FailLate)
	id := *check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment("first", *source.DBInstanceArn)))(t).BlueGreenDeployment.BlueGreenDeploymentIdentifier
	if d := wantDeployment(t, client, id, "INVALID_CONFIGURATION"); tasksOf(d)[0] != "CREATING_READ_REPLICA_OF_SOURCE FAILED" {
		t.Errorf("the deployment is %+v", d)
	}
	check.Need(client.DeleteBlueGreenDeployment(ctx, &rds.DeleteBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id, DeleteTarget: aws.Bool(true)}))(t)
	if all := check.Need(client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{}))(t).DBInstances; len(all) != 1 {
		t.Errorf("%d instances are left", len(all))
	}

	fault("CreateBlueGreenDeployment", localcloud.ResponseLost)
	if _, err := client.CreateBlueGreenDeployment(ctx, someDeployment("second", *source.DBInstanceArn)); err == nil {
		t.Error("the answer was not lost")
	}
	_, err := client.CreateBlueGreenDeployment(ctx, someDeployment("second", *source.DBInstanceArn))
	sdk.WantCode(t, err, "BlueGreenDeploymentAlreadyExistsFault")
	all := check.Need(client.DescribeBlueGreenDeployments(ctx, &rds.DescribeBlueGreenDeploymentsInput{Filters: []types.Filter{
		{Name: aws.String("blue-green-deployment-name"), Values: []string{"second"}}, {Name: aws.String("source"), Values: []string{*source.DBInstanceArn}},
	}}))(t).BlueGreenDeployments
	if len(all) != 1 {
		t.Fatalf("found %d deployments", len(all))
	}
	id = *all[0].BlueGreenDeploymentIdentifier
	input := &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &id}
	fault("SwitchoverBlueGreenDeployment", localcloud.Conflict)
	_, err = client.SwitchoverBlueGreenDeployment(ctx, input)
	sdk.WantCode(t, err, "InvalidBlueGreenDeploymentStateFault")
	fault("SwitchoverBlueGreenDeployment", localcloud.FailLate)
	check.Need(client.SwitchoverBlueGreenDeployment(ctx, input))(t)
	wantDeployment(t, client, id, "SWITCHOVER_FAILED")
	if db := sdk.WantInstance(t, client, "orders", "available"); *db.DbiResourceId != *source.DbiResourceId {
		t.Error("the names were swapped all the same")
	}
	fault("SwitchoverBlueGreenDeployment", localcloud.ResponseLost)
	if _, err := client.SwitchoverBlueGreenDeployment(ctx, input); err == nil {
		t.Error("the answer was not lost")
	}
	wantDeployment(t, client, id, "SWITCHOVER_COMPLETED")
	if db := sdk.WantInstance(t, client, "orders", "available"); *db.DbiResourceId == *source.DbiResourceId {
		t.Error("the names were not swapped")
	}

	// The next one finds the name of the last one's blue instance taken.
	third := *check.Need(client.CreateBlueGreenDeployment(ctx, someDeployment("third", *source.DBInstanceArn)))(t).BlueGreenDeployment.BlueGreenDeploymentIdentifier
	check.Need(client.SwitchoverBlueGreenDeployment(ctx, &rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: &third}))(t)
	wantDeployment(t, client, third, "SWITCHOVER_COMPLETED")
	sdk.WantInstance(t, client, "orders-old2", "available")
	fault("DescribeBlueGreenDeployments", localcloud.Stale)
	if got := check.Need(client.DescribeBlueGreenDeployments(ctx, &rds.DescribeBlueGreenDeploymentsInput{BlueGreenDeploymentIdentifier: &third}))(t).BlueGreenDeployments; *got[0].Status == "SWITCHOVER_COMPLETED" {
		t.Error("a stale read shows the last change")
	}
}
