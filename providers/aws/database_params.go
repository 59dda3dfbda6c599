package aws

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// provisionedFrom is the size in GiB from which a gp3 disk has IOPS and throughput that can be chosen; below
// it RDS takes none. https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
const provisionedFrom = 400

// instanceParams are the values to send, which rows of databaseTable fill; nil leaves one alone. The calls are made
// from them here and nowhere else, as each call has a shape of its own.
type instanceParams struct {
	engine, version, database, class *string
	storage, retention               *int32
	protection                       *bool
	password                         *string
	tags                             field.Delta
}

// create makes the call for a new instance. What nobody declared is RDS's choice, but for what is safe: encrypted,
// and not to be reached from the Internet.
func (p instanceParams) create(name, username string, tags map[string]string) *rds.CreateDBInstanceInput {
	return &rds.CreateDBInstanceInput{
		DBInstanceIdentifier:  &name,
		Engine:                p.engine,
		EngineVersion:         p.version,
		DBInstanceClass:       p.class,
		DBName:                p.database,
		AllocatedStorage:      aws.Int32(max(aws.ToInt32(p.storage), leastStorage)),
		StorageType:           aws.String("gp3"),
		StorageEncrypted:      aws.Bool(true),
		BackupRetentionPeriod: p.retention,
		DeletionProtection:    p.protection,
		PubliclyAccessible:    aws.Bool(false),
		CopyTagsToSnapshot:    aws.Bool(true),
		MasterUsername:        &username,
		MasterUserPassword:    p.password,
		Tags:                  rdsTags(tags),
	}
}

// modify makes the call that changes an instance; ok is false if there is nothing to call for. ApplyImmediately
// also applies what others left for the maintenance window: RDS knows no other way.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.ApplyImmediately.html
func (p instanceParams) modify(have *types.DBInstance) (in *rds.ModifyDBInstanceInput, ok bool) {
	in = &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier:  have.DBInstanceIdentifier,
		ApplyImmediately:      aws.Bool(true),
		EngineVersion:         p.version,
		DBInstanceClass:       p.class,
		BackupRetentionPeriod: p.retention,
		DeletionProtection:    p.protection,
		MasterUserPassword:    p.password,
	}
	if p.version != nil {
		now := aws.ToString(have.EngineVersion)
		if driver.MajorVersion(*p.version) != driver.MajorVersion(now) {
			in.AllowMajorVersionUpgrade = aws.Bool(true)
		}
		if driver.VersionServes(*p.version, now) { // takes back a change that waits: the version that runs, to the letter
			in.EngineVersion, in.AllowMajorVersionUpgrade = &now, nil
		}
	}
	if p.storage != nil {
		in.AllocatedStorage, in.Iops, in.StorageThroughput = grow(*p.storage, have)
	}
	ok = p.version != nil || p.class != nil || p.retention != nil || p.protection != nil || p.password != nil || p.storage != nil
	return in, ok
}

// grow returns the size to ask for, and the IOPS and throughput that the disk keeps: RDS wants them
// named together with a new size wherever they can be chosen.
func grow(wanted int32, have *types.DBInstance) (size, iops, throughput *int32) {
	now := aws.ToInt32(have.AllocatedStorage)
	if now >= wanted {
		return &now, nil, nil // takes back a change that waits
	}
	size = aws.Int32(grown(wanted, now))
	switch kind := aws.ToString(have.StorageType); {
	case kind == "io1" || kind == "io2":
		return size, have.Iops, nil
	case kind == "gp3" && now >= provisionedFrom:
		return size, have.Iops, have.StorageThroughput
	}
	return size, nil, nil
}

func rdsTags(tags map[string]string) []types.Tag {
	list := make([]types.Tag, 0, len(tags))
	for _, k := range sortedKeys(tags) {
		list = append(list, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return list
}

// defaultUsername is the administrator that an engine's users expect on RDS.
func defaultUsername(engine string) string {
	if engine == string(v1alpha1.EngineMySQL) {
		return "admin"
	}
	return "postgres"
}

// leastStorage is the least that gp3 takes in GiB. A declared size is a floor, so it may be met with more.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
const leastStorage = 20
