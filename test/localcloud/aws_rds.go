package localcloud

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

const (
	rdsNamespace = "http://rds.amazonaws.com/doc/2014-10-31/"
	rdsVersion   = "2014-10-31"
	// rdsInstanceQuota is how many instances an account may have in a region, unless Options say otherwise.
	rdsInstanceQuota = 40
	// rdsStorageQuota is how many GiB all of them may have together.
	rdsStorageQuota = 100000
)

// An rdsKey names an instance or a snapshot: names are of an account in a region.
type rdsKey struct{ account, region, name string }

// rdsService is Amazon RDS for single PostgreSQL, MySQL and MariaDB instances.
type rdsService struct {
	cloud *Shared

	mu        sync.Mutex
	instances map[rdsKey]*past[rdsInstance]
	snapshots map[rdsKey]*rdsSnapshot
	retained  map[rdsKey]*rdsRetained // by resource id, in lower case
	// newestSnapshot is the one that a stale read does not show yet.
	newestSnapshot rdsKey
	groups         map[rdsKey]*rdsGroup            // DB parameter groups that somebody made
	deployments    map[rdsKey]*past[rdsDeployment] // by identifier
	limits         map[string]RDSLimits            // by account
	lags           map[string]replicaLag           // by resource id
	trusting       sync.Map                        // the roles that RDS may assume since trust, by their ARN
	writes         uint64
}

func newRDSService(c *Shared) *rdsService {
	return &rdsService{cloud: c, instances: map[rdsKey]*past[rdsInstance]{}, snapshots: map[rdsKey]*rdsSnapshot{}, retained: map[rdsKey]*rdsRetained{}, groups: map[rdsKey]*rdsGroup{}, deployments: map[rdsKey]*past[rdsDeployment]{}, limits: map[string]RDSLimits{}, lags: map[string]replicaLag{}}
}

// An rdsCall is one call to RDS.
type rdsCall struct {
	*rdsService
	caller   awsCaller
	form     url.Values
	now      time.Time
	stale    bool
	failLate bool
	injected Fault
	call     *Call // what the ledger will have of it
}

var rdsActions = map[string]queryAction[*rdsCall]{
	"CreateDBInstance": action((*rdsCall).createInstance, withParameters(
		"DBInstanceIdentifier", "Engine", "EngineVersion", "DBInstanceClass", "AllocatedStorage", "MaxAllocatedStorage", "StorageType",
		"Iops", "StorageThroughput", "StorageEncrypted", "KmsKeyId", "MasterUsername", "MasterUserPassword", "ManageMasterUserPassword", "MasterUserSecretKmsKeyId", "DBName",
		"BackupRetentionPeriod", "PreferredBackupWindow", "PreferredMaintenanceWindow", "MultiAZ", "AvailabilityZone",
		"CACertificateIdentifier", "EnableIAMDatabaseAuthentication", "EnablePerformanceInsights", "PerformanceInsightsKMSKeyId", "PerformanceInsightsRetentionPeriod", "DatabaseInsightsMode", "MonitoringInterval", "MonitoringRoleArn", "DedicatedLogVolume", "EnableCloudwatchLogsExports", "DBSubnetGroupName", "VpcSecurityGroupIds", "NetworkType", "Port", "DBParameterGroupName", "OptionGroupName", "Tags")...),
	"RestoreDBInstanceToPointInTime": action((*rdsCall).restoreToTime, slices.Concat(restoreParameters, []string{
		"TargetDBInstanceIdentifier", "SourceDBInstanceIdentifier", "SourceDbiResourceId", "SourceDBInstanceAutomatedBackupsArn", "RestoreTime", "UseLatestRestorableTime", "MaxAllocatedStorage"})...),
	"DescribeDBInstanceAutomatedBackups": action((*rdsCall).describeBackups,
		"DbiResourceId", "DBInstanceIdentifier", "DBInstanceAutomatedBackupsArn", "Filters", "Marker", "MaxRecords"),
	"CreateDBInstanceReadReplica":     action((*rdsCall).createReplica, replicaParameters...),
	"PromoteReadReplica":              action((*rdsCall).promoteReplica, "DBInstanceIdentifier", "BackupRetentionPeriod", "PreferredBackupWindow"),
	"RestoreDBInstanceFromDBSnapshot": action((*rdsCall).restoreFromSnapshot, slices.Concat(restoreParameters, []string{"DBInstanceIdentifier", "DBSnapshotIdentifier"})...),
	"DescribeDBInstances":             action((*rdsCall).describeInstances, "DBInstanceIdentifier", "Filters", "Marker", "MaxRecords"),
	"ModifyDBInstance": action((*rdsCall).modifyInstance, withParameters(
		"DBInstanceIdentifier", "ApplyImmediately", "EngineVersion", "AllowMajorVersionUpgrade", "DBInstanceClass", "AllocatedStorage",
		"MaxAllocatedStorage", "StorageType", "Iops", "StorageThroughput", "MasterUserPassword", "ManageMasterUserPassword", "MasterUserSecretKmsKeyId", "RotateMasterUserPassword", "BackupRetentionPeriod",
		"PreferredBackupWindow", "PreferredMaintenanceWindow", "MultiAZ", "CACertificateIdentifier", "CertificateRotationRestart",
		"EnableIAMDatabaseAuthentication", "EnablePerformanceInsights", "PerformanceInsightsKMSKeyId", "PerformanceInsightsRetentionPeriod", "DatabaseInsightsMode", "MonitoringInterval", "MonitoringRoleArn", "DedicatedLogVolume", "DBSubnetGroupName", "VpcSecurityGroupIds", "NetworkType", "DBPortNumber", "CloudwatchLogsExportConfiguration", "DBParameterGroupName", "OptionGroupName")...),
	"DeleteDBInstance": action((*rdsCall).deleteInstance,
		"DBInstanceIdentifier", "SkipFinalSnapshot", "FinalDBSnapshotIdentifier", "DeleteAutomatedBackups"),
	"CreateDBSnapshot": action((*rdsCall).createSnapshot, "DBInstanceIdentifier", "DBSnapshotIdentifier", "Tags"),
	"DescribeDBSnapshots": action((*rdsCall).describeSnapshots,
		"DBInstanceIdentifier", "DBSnapshotIdentifier", "DbiResourceId", "SnapshotType", "Marker", "MaxRecords"),
	"DeleteDBSnapshot":         action((*rdsCall).deleteSnapshot, "DBSnapshotIdentifier"),
	"AddTagsToResource":        action((*rdsCall).addTags, "ResourceName", "Tags"),
	"RemoveTagsFromResource":   action((*rdsCall).removeTags, "ResourceName", "TagKeys"),
	"ListTagsForResource":      action((*rdsCall).listTags, "ResourceName"),
	"AddRoleToDBInstance":      action((*rdsCall).addRole, "DBInstanceIdentifier", "FeatureName", "RoleArn"),
	"RemoveRoleFromDBInstance": action((*rdsCall).removeRole, "DBInstanceIdentifier", "FeatureName", "RoleArn"),
	"RebootDBInstance":         action((*rdsCall).rebootInstance, "DBInstanceIdentifier", "ForceFailover"),
	"StopDBInstance":           action((*rdsCall).stopInstance, "DBInstanceIdentifier"),
	"StartDBInstance":          action((*rdsCall).startInstance, "DBInstanceIdentifier"),
	"CreateDBParameterGroup":   action((*rdsCall).createGroup, "DBParameterGroupName", "DBParameterGroupFamily", "Description", "Tags"),
	"CopyDBParameterGroup": action((*rdsCall).copyGroup,
		"SourceDBParameterGroupIdentifier", "TargetDBParameterGroupIdentifier", "TargetDBParameterGroupDescription", "Tags"),
	"DescribeDBParameterGroups":       action((*rdsCall).describeGroups, "DBParameterGroupName", "Marker", "MaxRecords"),
	"DescribeDBParameters":            action((*rdsCall).describeParameters, "DBParameterGroupName", "Source", "Marker", "MaxRecords"),
	"DescribeEngineDefaultParameters": action((*rdsCall).describeDefaults, "DBParameterGroupFamily", "Marker", "MaxRecords"),
	"ModifyDBParameterGroup":          action((*rdsCall).modifyGroup, "DBParameterGroupName", "Parameters"),
	"ResetDBParameterGroup":           action((*rdsCall).resetGroup, "DBParameterGroupName", "Parameters", "ResetAllParameters"),
	"DeleteDBParameterGroup":          action((*rdsCall).deleteGroup, "DBParameterGroupName"),
	"DescribeEvents": action((*rdsCall).describeEvents,
		"SourceIdentifier", "SourceType", "StartTime", "EndTime", "Duration", "EventCategories", "Filters", "Marker", "MaxRecords"),
	"DescribeAccountAttributes":     action((*rdsCall).describeQuotas),
	"DescribeDBMajorEngineVersions": action((*rdsCall).describeMajorVersions, "Engine", "MajorEngineVersion", "Marker", "MaxRecords"),
	"DescribeDBEngineVersions": action((*rdsCall).describeEngineVersions,
		"Engine", "EngineVersion", "DBParameterGroupFamily", "DefaultOnly", "Marker", "MaxRecords"),
}

func (s *rdsService) identify(caller awsCaller, _ *http.Request, body []byte) (Call, service) {
	form, _ := url.ParseQuery(string(body))
	name := form.Get("Action")
	resource := ""
	parameters := []string{"DBSnapshotIdentifier", "DBInstanceIdentifier", "ResourceName", "DBParameterGroupName", "TargetDBParameterGroupIdentifier", "BlueGreenDeploymentIdentifier", "BlueGreenDeploymentName"}
	if strings.HasPrefix(name, "Restore") { // which makes an instance
		parameters = []string{"DBInstanceIdentifier", "TargetDBInstanceIdentifier"}
	}
	for _, parameter := range parameters {
		if resource == "" {
			resource = strings.ToLower(lastOfARN(form.Get(parameter)))
		}
	}
	return Call{
		Service: "rds", Operation: name, Resource: resource,
		Write: !strings.HasPrefix(name, "Describe") && !strings.HasPrefix(name, "List"),
	}, &rdsCall{rdsService: s, caller: caller, form: form}
}

func (s *rdsService) write(e *awsError, _ *http.Request) reply { return queryFailure(rdsNamespace, e) }

func (s *rdsService) fail(fault Fault, call Call) reply {
	if fault.Kind == Refused {
		return queryFailure(rdsNamespace, awsErr(fault.Status, fault.Code, fault.Message))
	}
	conflict := "InvalidDBInstanceState"
	if call.Operation == "SwitchoverBlueGreenDeployment" || call.Operation == "DeleteBlueGreenDeployment" {
		conflict = "InvalidBlueGreenDeploymentStateFault"
	}
	return queryFailure(rdsNamespace, queryFault(fault, conflict))
}

func (c *rdsCall) act(call *Call, _ *http.Request, _ []byte, injected Fault) reply {
	do, err := pickAction(rdsActions, c.form, rdsVersion)
	if err != nil {
		return queryFailure(rdsNamespace, err)
	}
	c.now, c.stale, c.failLate = c.cloud.opts.Now(), injected.Kind == Stale, injected.Kind == FailLate
	c.injected, c.call = injected, call
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cloud.clock.note()
	c.settle(c.now)
	output, failed := do(c, c.form)
	if failed != nil {
		return queryFailure(rdsNamespace, asAWSError(failed))
	}
	return queryReply(rdsNamespace, c.form.Get("Action"), output)
}

// settle brings all to the state it has at a time. What a deployment does with instances may be over at once.
func (s *rdsService) settle(now time.Time) {
	for s.settleInstances(now); s.settleDeployments(now); {
		s.settleInstances(now)
	}
	s.expireBackups(now)
	for _, snapshot := range s.snapshots {
		snapshot.settle(now)
	}
}

func (s *rdsService) settleInstances(now time.Time) {
	for key, p := range s.instances {
		if p.now == nil {
			continue
		}
		if next := p.now.settled(now, s.cloud.opts.Durations); next == nil {
			s.leaveBackups(key, p.now)
			p.before, p.now = p.now, nil
		} else {
			p.now = s.settleBackups(next, now)
		}
	}
	s.settleReplicas(now)
}

func (c *rdsCall) key(name string) rdsKey {
	return rdsKey{c.caller.account, c.caller.region, strings.ToLower(name)}
}

// ownKey returns the key for an identifier or an ARN of this account and region.
func (c *rdsCall) ownKey(name, kind string) rdsKey {
	if rest, ok := strings.CutPrefix(name, c.arn(kind, "")); ok {
		name = rest
	}
	return c.key(name)
}

func (c *rdsCall) arn(kind, name string) string {
	return fmt.Sprintf("arn:aws:rds:%s:%s:%s:%s", c.caller.region, c.caller.account, kind, name)
}

// instance returns an instance as a write sees it.
func (c *rdsCall) instance(name *string) (rdsKey, *rdsInstance, error) {
	if aws.ToString(name) == "" {
		return rdsKey{}, nil, awsErr(http.StatusBadRequest, "MissingParameter", "The request must contain the parameter DBInstanceIdentifier")
	}
	key := c.ownKey(*name, "db")
	in := c.instances[key].read(false)
	if in == nil {
		return key, nil, instanceNotFound(*name)
	}
	return key, in, nil
}

func instanceNotFound(name string) *awsError {
	return awsErr(http.StatusNotFound, "DBInstanceNotFound", "DBInstance "+name+" not found.")
}

// store makes in the instance of a key.
func (s *rdsService) store(key rdsKey, in *rdsInstance) {
	if s.instances[key] == nil {
		s.instances[key] = &past[rdsInstance]{}
	}
	s.writes++
	s.instances[key].write(in, s.writes)
}

func invalidValue(format string, args ...any) *awsError {
	return awsErr(http.StatusBadRequest, "InvalidParameterValue", fmt.Sprintf(format, args...))
}

func invalidCombination(format string, args ...any) *awsError {
	return awsErr(http.StatusBadRequest, "InvalidParameterCombination", fmt.Sprintf(format, args...))
}

func invalidState(format string, args ...any) *awsError {
	return awsErr(http.StatusBadRequest, "InvalidDBInstanceState", fmt.Sprintf(format, args...))
}
