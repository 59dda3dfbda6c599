package rds

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

const (
	rdsNamespace = "http://rds.amazonaws.com/doc/2014-10-31/"
	rdsVersion   = "2014-10-31"
	// rdsInstanceQuota is how many instances an account may have in a region, unless Options say otherwise.
	rdsInstanceQuota = 40
	// rdsStorageQuota is how many GiB all of them may have together.
	rdsStorageQuota = 100000
)

// An Key names an instance or a snapshot: names are of an account in a region.
type Key struct{ account, region, name string }

// Service is Amazon RDS for single PostgreSQL, MySQL and MariaDB instances.
type Service struct {
	cloud *cloud.Shared

	mu        sync.Mutex
	instances map[Key]*cloud.Past[Instance]
	snapshots map[Key]*rdsSnapshot
	retained  map[Key]*rdsRetained // by resource id, in lower case
	// newestSnapshot is the one that a stale read does not show yet.
	newestSnapshot Key
	groups         map[Key]*rdsGroup                  // DB parameter groups that somebody made
	deployments    map[Key]*cloud.Past[rdsDeployment] // by identifier
	limits         map[string]Limits                  // by account
	lags           map[string]cloud.ReplicaLag        // by resource id
	trusting       sync.Map                           // the roles that RDS may assume since trust, by their ARN
	writes         uint64
}

// New returns RDS without instances.
func New(c *cloud.Shared) *Service {
	return &Service{cloud: c, instances: map[Key]*cloud.Past[Instance]{}, snapshots: map[Key]*rdsSnapshot{}, retained: map[Key]*rdsRetained{}, groups: map[Key]*rdsGroup{}, deployments: map[Key]*cloud.Past[rdsDeployment]{}, limits: map[string]Limits{}, lags: map[string]cloud.ReplicaLag{}}
}

// A call is one call to RDS.
type call struct {
	*Service
	caller   amazon.Caller
	form     url.Values
	now      time.Time
	stale    bool
	failLate bool
	injected traffic.Fault
	call     *traffic.Call // what the ledger will have of it
}

// rdsActions are the calls that RDS answers here, and the parameters that each takes. Calls that answer with a list are in describes, those about
// blue/green deployments in deploymentActions.
var rdsActions = map[string]amazon.QueryAction[*call]{
	"CreateDBInstance": amazon.Action((*call).createInstance, withParameters(
		"DBInstanceIdentifier", "Engine", "EngineVersion", "DBInstanceClass", "AllocatedStorage", "MaxAllocatedStorage", "StorageType",
		"Iops", "StorageThroughput", "StorageEncrypted", "KmsKeyId", "MasterUsername", "MasterUserPassword", "ManageMasterUserPassword", "MasterUserSecretKmsKeyId", "DBName",
		"BackupRetentionPeriod", "PreferredBackupWindow", "PreferredMaintenanceWindow", "MultiAZ", "AvailabilityZone",
		"CACertificateIdentifier", "EnableIAMDatabaseAuthentication", "EnablePerformanceInsights", "PerformanceInsightsKMSKeyId", "PerformanceInsightsRetentionPeriod", "DatabaseInsightsMode", "MonitoringInterval", "MonitoringRoleArn", "DedicatedLogVolume", "EnableCloudwatchLogsExports", "DBSubnetGroupName", "VpcSecurityGroupIds", "NetworkType", "Port", "DBParameterGroupName", "OptionGroupName", "Tags")...),
	"RestoreDBInstanceToPointInTime": amazon.Action((*call).restoreToTime, slices.Concat(restoreParameters, []string{
		"TargetDBInstanceIdentifier", "SourceDBInstanceIdentifier", "SourceDbiResourceId", "SourceDBInstanceAutomatedBackupsArn", "RestoreTime", "UseLatestRestorableTime", "MaxAllocatedStorage"})...),
	"CreateDBInstanceReadReplica":     amazon.Action((*call).createReplica, replicaParameters...),
	"PromoteReadReplica":              amazon.Action((*call).promoteReplica, "DBInstanceIdentifier", "BackupRetentionPeriod", "PreferredBackupWindow"),
	"RestoreDBInstanceFromDBSnapshot": amazon.Action((*call).restoreFromSnapshot, slices.Concat(restoreParameters, []string{"DBInstanceIdentifier", "DBSnapshotIdentifier"})...),
	"ModifyDBInstance": amazon.Action((*call).modifyInstance, withParameters(
		"DBInstanceIdentifier", "ApplyImmediately", "EngineVersion", "AllowMajorVersionUpgrade", "DBInstanceClass", "AllocatedStorage",
		"MaxAllocatedStorage", "StorageType", "Iops", "StorageThroughput", "MasterUserPassword", "ManageMasterUserPassword", "MasterUserSecretKmsKeyId", "RotateMasterUserPassword", "BackupRetentionPeriod",
		"PreferredBackupWindow", "PreferredMaintenanceWindow", "MultiAZ", "CACertificateIdentifier", "CertificateRotationRestart",
		"EnableIAMDatabaseAuthentication", "EnablePerformanceInsights", "PerformanceInsightsKMSKeyId", "PerformanceInsightsRetentionPeriod", "DatabaseInsightsMode", "MonitoringInterval", "MonitoringRoleArn", "DedicatedLogVolume", "DBSubnetGroupName", "VpcSecurityGroupIds", "NetworkType", "DBPortNumber", "CloudwatchLogsExportConfiguration", "DBParameterGroupName", "OptionGroupName")...),
	"DeleteDBInstance": amazon.Action((*call).deleteInstance,
		"DBInstanceIdentifier", "SkipFinalSnapshot", "FinalDBSnapshotIdentifier", "DeleteAutomatedBackups"),
	"CreateDBSnapshot":         amazon.Action((*call).createSnapshot, "DBInstanceIdentifier", "DBSnapshotIdentifier", "Tags"),
	"DeleteDBSnapshot":         amazon.Action((*call).deleteSnapshot, "DBSnapshotIdentifier"),
	"AddTagsToResource":        amazon.Action((*call).addTags, "ResourceName", "Tags"),
	"RemoveTagsFromResource":   amazon.Action((*call).removeTags, "ResourceName", "TagKeys"),
	"ListTagsForResource":      amazon.Action((*call).listTags, "ResourceName"),
	"AddRoleToDBInstance":      amazon.Action((*call).addRole, "DBInstanceIdentifier", "FeatureName", "RoleArn"),
	"RemoveRoleFromDBInstance": amazon.Action((*call).removeRole, "DBInstanceIdentifier", "FeatureName", "RoleArn"),
	"RebootDBInstance":         amazon.Action((*call).rebootInstance, "DBInstanceIdentifier", "ForceFailover"),
	"StopDBInstance":           amazon.Action((*call).stopInstance, "DBInstanceIdentifier"),
	"StartDBInstance":          amazon.Action((*call).startInstance, "DBInstanceIdentifier"),
	"CreateDBParameterGroup":   amazon.Action((*call).createGroup, "DBParameterGroupName", "DBParameterGroupFamily", "Description", "Tags"),
	"CopyDBParameterGroup": amazon.Action((*call).copyGroup,
		"SourceDBParameterGroupIdentifier", "TargetDBParameterGroupIdentifier", "TargetDBParameterGroupDescription", "Tags"),
	"ModifyDBParameterGroup": amazon.Action((*call).modifyGroup, "DBParameterGroupName", "Parameters"),
	"ResetDBParameterGroup":  amazon.Action((*call).resetGroup, "DBParameterGroupName", "Parameters", "ResetAllParameters"),
	"DeleteDBParameterGroup": amazon.Action((*call).deleteGroup, "DBParameterGroupName"),
}

// Identify implements amazon.Dialect.
func (s *Service) Identify(caller amazon.Caller, _ *http.Request, body []byte) (traffic.Call, cloud.Service) {
	form, _ := url.ParseQuery(string(body))
	name := form.Get("Action")
	resource := ""
	parameters := []string{"DBSnapshotIdentifier", "DBInstanceIdentifier", "ResourceName", "DBParameterGroupName", "TargetDBParameterGroupIdentifier", "BlueGreenDeploymentIdentifier", "BlueGreenDeploymentName"}
	if strings.HasPrefix(name, "Restore") { // which makes an instance
		parameters = []string{"DBInstanceIdentifier", "TargetDBInstanceIdentifier"}
	}
	for _, parameter := range parameters {
		if resource == "" {
			resource = strings.ToLower(amazon.LastOfARN(form.Get(parameter)))
		}
	}
	return traffic.Call{
		Service: "rds", Operation: name, Resource: resource,
		Write: !strings.HasPrefix(name, "Describe") && !strings.HasPrefix(name, "List"),
	}, &call{Service: s, caller: caller, form: form}
}

// Write implements amazon.Dialect.
func (s *Service) Write(e *amazon.Error, _ *http.Request) cloud.Reply {
	return amazon.QueryFailure(rdsNamespace, e)
}

// Fail implements cloud.Service.
func (s *Service) Fail(fault traffic.Fault, call traffic.Call) cloud.Reply {
	if fault.Kind == traffic.Refused {
		return amazon.QueryFailure(rdsNamespace, amazon.Err(fault.Status, fault.Code, fault.Message))
	}
	conflict := "InvalidDBInstanceState"
	if call.Operation == "SwitchoverBlueGreenDeployment" || call.Operation == "DeleteBlueGreenDeployment" {
		conflict = "InvalidBlueGreenDeploymentStateFault"
	}
	return amazon.QueryFailure(rdsNamespace, amazon.QueryFault(fault, conflict))
}

// Act implements cloud.Service.
func (c *call) Act(call *traffic.Call, _ *http.Request, _ []byte, injected traffic.Fault) cloud.Reply {
	do, err := amazon.PickAction(rdsActions, c.form, rdsVersion)
	if err != nil {
		return amazon.QueryFailure(rdsNamespace, err)
	}
	c.now, c.stale, c.failLate = c.cloud.Options.Now(), injected.Kind == traffic.Stale, injected.Kind == traffic.FailLate
	c.injected, c.call = injected, call
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cloud.Clock.Note()
	c.settle(c.now)
	output, failed := do(c, c.form)
	if failed != nil {
		return amazon.QueryFailure(rdsNamespace, amazon.AsError(failed))
	}
	return amazon.QueryReply(rdsNamespace, c.form.Get("Action"), output)
}

// settle brings all to the state it has at a time. What a deployment does with instances may be over at once.
func (s *Service) settle(now time.Time) {
	for s.settleInstances(now); s.settleDeployments(now); {
		s.settleInstances(now)
	}
	s.expireBackups(now)
	for _, snapshot := range s.snapshots {
		snapshot.settle(now)
	}
}

func (s *Service) settleInstances(now time.Time) {
	for key, p := range s.instances {
		if p.Now == nil {
			continue
		}
		if next := p.Now.settled(now, s.cloud.Options.Durations); next == nil {
			s.leaveBackups(key, p.Now)
			p.Before, p.Now = p.Now, nil
		} else {
			p.Now = s.settleBackups(next, now)
		}
	}
	s.settleReplicas(now)
}

func (c *call) key(name string) Key {
	return Key{c.caller.Account, c.caller.Region, strings.ToLower(name)}
}

// instance returns an instance as a write sees it.
func (c *call) instance(name *string) (Key, *Instance, error) {
	if aws.ToString(name) == "" {
		return Key{}, nil, missingParameter("DBInstanceIdentifier")
	}
	key := c.ownKey(*name, instanceResource)
	in := c.instances[key].Read(false)
	if in == nil {
		return key, nil, instanceResource.missing(*name)
	}
	return key, in, nil
}

// store makes in the instance of a key.
func (s *Service) store(key Key, in *Instance) {
	if s.instances[key] == nil {
		s.instances[key] = &cloud.Past[Instance]{}
	}
	s.writes++
	s.instances[key].Write(in, s.writes)
}

func invalidValue(format string, args ...any) *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "InvalidParameterValue", fmt.Sprintf(format, args...))
}

func invalidCombination(format string, args ...any) *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "InvalidParameterCombination", fmt.Sprintf(format, args...))
}

func invalidState(format string, args ...any) *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "InvalidDBInstanceState", fmt.Sprintf(format, args...))
}
