package rds_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestRDSCreate(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("taken")))(t)
	type in = rds.CreateDBInstanceInput
	for name, test := range map[string]struct {
		edit func(*in)
		want string
	}{
		"as it is": {func(*in) {}, ""},
		"mysql":    {func(i *in) { i.Engine, i.EngineVersion = aws.String("mysql"), aws.String("8.0") }, ""},
		"mariadb":  {func(i *in) { i.Engine, i.EngineVersion = aws.String("mariadb"), aws.String("10.11") }, ""},
		"throughput: a quarter of the IOPS": {func(i *in) {
			i.AllocatedStorage, i.StorageType, i.Iops, i.StorageThroughput = aws.Int32(400), aws.String("gp3"), aws.Int32(16000), aws.Int32(4000)
		}, ""},
		"throughput: more than a quarter of the IOPS": {func(i *in) {
			i.AllocatedStorage, i.StorageType, i.Iops, i.StorageThroughput = aws.Int32(400), aws.String("gp3"), aws.Int32(15999), aws.Int32(4000)
		}, "InvalidParameterCombination"},
		"mariadb, one number": {func(i *in) { i.Engine, i.EngineVersion = aws.String("mariadb"), aws.String("10") }, "InvalidParameterCombination"},
		"mariadb: tokens": {func(i *in) {
			i.Engine, i.EngineVersion, i.EnableIAMDatabaseAuthentication = aws.String("mariadb"), aws.String("10.11"), aws.Bool(true)
		}, ""},
		"mariadb: tokens in 10.6": {func(i *in) {
			i.Engine, i.EngineVersion, i.EnableIAMDatabaseAuthentication = aws.String("mariadb"), aws.String("10.6"), aws.Bool(true)
		}, "InvalidParameterCombination"},
		"mariadb: logs of PostgreSQL": {func(i *in) {
			i.Engine, i.EngineVersion, i.EnableCloudwatchLogsExports = aws.String("mariadb"), nil, []string{"postgresql"}
		}, "InvalidParameterCombination"},
		"user: too long for mariadb": {func(i *in) {
			i.Engine, i.EngineVersion, i.MasterUsername = aws.String("mariadb"), nil, aws.String("a1234567890123456")
		}, "InvalidParameterValue"},
		"taken":                       {func(i *in) { i.DBInstanceIdentifier = aws.String("TAKEN") }, "DBInstanceAlreadyExists"},
		"identifier: digit first":     {func(i *in) { i.DBInstanceIdentifier = aws.String("1a") }, "InvalidParameterValue"},
		"identifier: double hyphen":   {func(i *in) { i.DBInstanceIdentifier = aws.String("a--b") }, "InvalidParameterValue"},
		"identifier: trailing hyphen": {func(i *in) { i.DBInstanceIdentifier = aws.String("a-") }, "InvalidParameterValue"},
		"identifier: longest":         {func(i *in) { i.DBInstanceIdentifier = aws.String(strings.Repeat("a", 63)) }, ""},
		"identifier: too long":        {func(i *in) { i.DBInstanceIdentifier = aws.String(strings.Repeat("a", 64)) }, "InvalidParameterValue"},
		"engine":                      {func(i *in) { i.Engine = aws.String("oracle") }, "InvalidParameterValue"},
		"version":                     {func(i *in) { i.EngineVersion = aws.String("16.99") }, "InvalidParameterCombination"},
		"class":                       {func(i *in) { i.DBInstanceClass = aws.String("db.t9.huge") }, "InvalidParameterValue"},
		"storage: too little":         {func(i *in) { i.AllocatedStorage = aws.Int32(19) }, "InvalidParameterValue"},
		"storage: gp3 with few IOPS":  {func(i *in) { i.Iops = aws.Int32(3000) }, "InvalidParameterCombination"},
		"storage: io2 without IOPS":   {func(i *in) { i.StorageType, i.AllocatedStorage = aws.String("io2"), aws.Int32(100) }, "InvalidParameterCombination"},
		"logs":                        {func(i *in) { i.EnableCloudwatchLogsExports = []string{"postgresql"} }, ""},
		"logs of another engine":      {func(i *in) { i.EnableCloudwatchLogsExports = []string{"slowquery"} }, "InvalidParameterCombination"},
		"storage: io1": {func(i *in) {
			i.StorageType, i.AllocatedStorage, i.Iops = aws.String("io1"), aws.Int32(100), aws.Int32(5000)
		}, ""},
		"storage: io1 with too many IOPS": {func(i *in) {
			i.StorageType, i.AllocatedStorage, i.Iops = aws.String("io1"), aws.Int32(100), aws.Int32(5001)
		}, "InvalidParameterCombination"},
		"storage: io2 with as many": {func(i *in) {
			i.StorageType, i.AllocatedStorage, i.Iops = aws.String("io2"), aws.Int32(100), aws.Int32(5001)
		}, ""},
		"storage: ceiling too low": {func(i *in) { i.MaxAllocatedStorage = aws.Int32(54) }, "InvalidParameterCombination"},
		"storage: ceiling":         {func(i *in) { i.MaxAllocatedStorage = aws.Int32(55) }, ""},
		"user: reserved":           {func(i *in) { i.MasterUsername = aws.String("Admin") }, "InvalidParameterValue"},
		"user: pg_":                {func(i *in) { i.MasterUsername = aws.String("pg_me") }, "InvalidParameterValue"},
		"user: too long for mysql": {func(i *in) {
			i.Engine, i.EngineVersion, i.MasterUsername = aws.String("mysql"), nil, aws.String("a1234567890123456")
		}, "InvalidParameterValue"},
		"password: too short":      {func(i *in) { i.MasterUserPassword = aws.String("1234567") }, "InvalidParameterValue"},
		"password: slash":          {func(i *in) { i.MasterUserPassword = aws.String("1234567/") }, "InvalidParameterValue"},
		"database: hyphen":         {func(i *in) { i.DBName = aws.String("my-db") }, "InvalidParameterValue"},
		"tags: RDS's own key":      {func(i *in) { i.Tags[0].Key = aws.String("rds:x") }, "InvalidParameterValue"},
		"tags: RDS's own value":    {func(i *in) { i.Tags[0].Value = aws.String("rds:x") }, "InvalidParameterValue"},
		"tags: system":             {func(i *in) { i.Tags[0].Key = aws.String("aws:x") }, "InvalidParameterValue"},
		"retention":                {func(i *in) { i.BackupRetentionPeriod = aws.Int32(36) }, "InvalidParameterValue"},
		"window: too short":        {func(i *in) { i.PreferredBackupWindow = aws.String("03:00-03:29") }, "InvalidParameterValue"},
		"window: over midnight":    {func(i *in) { i.PreferredMaintenanceWindow = aws.String("Sat:23:45-Sun:00:15") }, ""},
		"certificate":              {func(i *in) { i.CACertificateIdentifier = aws.String("rds-ca-2015") }, "CertificateNotFound"},
		"subnet group":             {func(i *in) { i.DBSubnetGroupName = aws.String("mine") }, "DBSubnetGroupNotFoundFault"},
		"security group":           {func(i *in) { i.VpcSecurityGroupIds = []string{"sg-1"} }, "InvalidParameterValue"},
		"security group elsewhere": {func(i *in) { i.VpcSecurityGroupIds = localrds.VPCs[1].SecurityGroups[:1] }, "InvalidParameterCombination"},
		"parameter group":          {func(i *in) { i.DBParameterGroupName = aws.String("mine") }, "DBParameterGroupNotFound"},
		"key without encryption":   {func(i *in) { i.KmsKeyId = aws.String("alias/mine") }, "InvalidParameterCombination"},
		"key of another region": {func(i *in) {
			i.StorageEncrypted, i.KmsKeyId = aws.Bool(true), aws.String("arn:aws:kms:us-east-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666")
		}, "KMSKeyNotAccessibleFault"},
		"key of another account": {func(i *in) {
			i.StorageEncrypted, i.KmsKeyId = aws.Bool(true), aws.String("arn:aws:kms:eu-west-1:222222222222:key/0b3c1a5e-1111-2222-3333-444455556666")
		}, ""},
		"not implemented": {func(i *in) { i.TdeCredentialArn = aws.String("x") }, "NotImplemented"},
	} {
		t.Run(name, func(t *testing.T) {
			name := strings.Trim(strings.ReplaceAll(fmt.Sprintf("i-%x", name), "--", "-"), "-")
			_, err := client.CreateDBInstance(ctx, sdk.SomeInstance(name[:min(len(name), 63)], test.edit))
			sdk.WantCode(t, err, test.want)
		})
	}
}

// What the cloud fills in and how it says back what it was told.
func TestRDSDefaults(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("plain", func(in *rds.CreateDBInstanceInput) {
		in.EngineVersion, in.StorageType = aws.String("16"), nil
		in.StorageEncrypted, in.KmsKeyId = aws.Bool(true), aws.String("alias/mine")
		in.PreferredMaintenanceWindow = aws.String("Tue:04:00-Tue:05:00")
	})))(t)
	db := sdk.Describe(t, client, "plain")
	for name, pair := range map[string][2]any{
		"version":     {*db.EngineVersion, "16.10"},
		"storage":     {*db.StorageType, "gp3"},
		"iops":        {*db.Iops, int32(3000)},
		"retention":   {*db.BackupRetentionPeriod, int32(1)},
		"minor":       {*db.AutoMinorVersionUpgrade, true},
		"protection":  {*db.DeletionProtection, false},
		"maintenance": {*db.PreferredMaintenanceWindow, "tue:04:00-tue:05:00"},
		"certificate": {*db.CACertificateIdentifier, "rds-ca-rsa2048-g1"},
		"parameters":  {*db.DBParameterGroups[0].DBParameterGroupName, "default.postgres16"},
		"key":         {strings.HasPrefix(*db.KmsKeyId, "arn:aws:kms:eu-west-1:111111111111:key/"), true},
		"arn":         {*db.DBInstanceArn, "arn:aws:rds:eu-west-1:111111111111:db:plain"},
		"pending":     {db.PendingModifiedValues.MasterUserPassword == nil, true},
		"port":        {*db.Endpoint.Port, int32(5432)},
		"database":    {db.DBName == nil, true},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestRDSQuota(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	cloud.Options.InstanceQuota = 2
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("one")))(t)
	huge := func(in *rds.CreateDBInstanceInput) { in.AllocatedStorage = aws.Int32(65536) }
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("huge", huge)))(t)
	_, err := client.CreateDBInstance(ctx, sdk.SomeInstance("three"))
	sdk.WantCode(t, err, "InstanceQuotaExceeded")
	check.Need(sdk.RDS(cloud, sdk.OwnAccount, "eu-north-1").CreateDBInstance(ctx, sdk.SomeInstance("elsewhere")))(t)
	cloud.Options.InstanceQuota = 10
	_, err = client.CreateDBInstance(ctx, sdk.SomeInstance("huge-too", huge))
	sdk.WantCode(t, err, "StorageQuotaExceeded")
}

func TestRDSPages(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	cloud.Options.InstanceQuota = -1
	for i := range 45 {
		check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance(fmt.Sprintf("page-%02d", i))))(t)
	}
	check.Need(sdk.RDS(cloud, sdk.OtherAccount, "eu-west-1").CreateDBInstance(ctx, sdk.SomeInstance("foreign")))(t)
	seen, pages := map[string]bool{}, rds.NewDescribeDBInstancesPaginator(client, &rds.DescribeDBInstancesInput{MaxRecords: aws.Int32(20)})
	for n := 1; pages.HasMorePages(); n++ {
		page := check.Need(pages.NextPage(ctx))(t)
		if want := min(20, 45-len(seen)); len(page.DBInstances) != want {
			t.Errorf("page %d: got %d, want %d", n, len(page.DBInstances), want)
		}
		for _, db := range page.DBInstances {
			seen[*db.DBInstanceIdentifier] = true
		}
	}
	if len(seen) != 45 || seen["foreign"] {
		t.Errorf("got %d instances", len(seen))
	}
	for _, size := range []int32{19, 101} {
		_, err := client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{MaxRecords: aws.Int32(size)})
		sdk.WantCode(t, err, "InvalidParameterValue")
	}
	filtered := check.Need(client.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{
		Filters: []types.Filter{{Name: aws.String("db-instance-id"), Values: []string{"page-03", "page-07", "nowhere"}}},
	}))(t)
	if len(filtered.DBInstances) != 2 {
		t.Errorf("got %d instances by filter, want 2", len(filtered.DBInstances))
	}
}

func TestRDSTags(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	arn := check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("tagged")))(t).DBInstance.DBInstanceArn
	tag := func(key, value string) types.Tag { return types.Tag{Key: &key, Value: &value} }
	check.Need(client.AddTagsToResource(ctx, &rds.AddTagsToResourceInput{ResourceName: arn, Tags: []types.Tag{tag("owner", "you"), tag("b", "2")}}))(t)
	check.Need(client.RemoveTagsFromResource(ctx, &rds.RemoveTagsFromResourceInput{ResourceName: arn, TagKeys: []string{"b", "never"}}))(t)
	for name, tags := range map[string][]types.Tag{
		"described": sdk.Describe(t, client, "tagged").TagList,
		"listed":    check.Need(client.ListTagsForResource(ctx, &rds.ListTagsForResourceInput{ResourceName: arn}))(t).TagList,
	} {
		if len(tags) != 1 || *tags[0].Key != "owner" || *tags[0].Value != "you" {
			t.Errorf("%s: got %v", name, tags)
		}
	}
	_, err := client.AddTagsToResource(ctx, &rds.AddTagsToResourceInput{ResourceName: arn, Tags: []types.Tag{tag("aws:b", "2")}})
	sdk.WantCode(t, err, "InvalidParameterValue")
	_, err = client.ListTagsForResource(ctx, &rds.ListTagsForResourceInput{ResourceName: aws.String(*arn + "x")})
	sdk.WantCode(t, err, "DBInstanceNotFound")
	if got := cloud.Ledger.Count(localcloud.Filter{Operation: "AddTagsToResource", Resource: "tagged", Account: sdk.OwnAccount, Write: localcloud.Writes}); got != 2 {
		t.Errorf("the ledger has %d writes of tags, want 2", got)
	}
}
