package rds

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// Blue/green deployments. No recording shows any call about them, so all is from these sources:
//
//   - the reference of the calls, whose samples show a deployment in answers: a new one without a target, with tasks that are PENDING; one under way with both; one after the
//     switchover whose source is NAME-old1 and whose target is NAME, as in SwitchoverDetails.
//     https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateBlueGreenDeployment.html, API_DescribeBlueGreenDeployments, API_DeleteBlueGreenDeployment
//   - the guide: names, rules, limitations, and what a switchover does in which order.
//     https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-creating.html, -switching, -deleting, -considerations, -replication-type
//   - the samples of the AWS CLI, with the tasks of an upgrade and of replicas.
//     https://docs.aws.amazon.com/cli/latest/reference/rds/describe-blue-green-deployments.html
//   - what people report, named where it is used.
//
// No source says that a deployment keeps its instances from being deleted or changed: the guide says what follows when somebody deletes a green one, the reference has the statuses MISSING_SOURCE
// and MISSING_TARGET, and Terraform deletes NAME-old1 before the deployment. Only during the switchover "you can't modify any DB instances".
//
// Never seen of the real cloud, and as here by our choice: the status of the instances during a switchover (renaming); the status of a deployment whose creation fails
// (INVALID_CONFIGURATION); whether a switchover that failed can be asked for again (yes); which codes refuse a source without backups, one that is in a deployment already, a protected
// green instance, and an engine version; whether the green instance has the tags of the blue one before the switchover (no) and its deletion protection (yes); whether a green
// instance of PostgreSQL on another major version shows its source (yes, as all of them: the guide has one that can be promoted); when the tasks change; and that the details say MISSING_SOURCE once
// NAME-old1 is deleted. Guardrails about long transactions and external replication, events, and the lazy loading of large classes (storage-initialization) are not served.

const (
	provisioning   = "PROVISIONING"
	deployed       = "AVAILABLE"
	switchingOver  = "SWITCHOVER_IN_PROGRESS"
	switchedOver   = "SWITCHOVER_COMPLETED"
	switchFailed   = "SWITCHOVER_FAILED"
	invalidDeploy  = "INVALID_CONFIGURATION"
	deletingDeploy = "DELETING"
	taskReplica    = "CREATING_READ_REPLICA_OF_SOURCE"
	taskUpgrade    = "DB_ENGINE_VERSION_UPGRADE"
	taskBackups    = "CONFIGURE_BACKUPS"
	taskTopology   = "CREATING_TOPOLOGY_OF_SOURCE"
)

// An rdsDeployment is a blue/green deployment. It is never changed in place.
type rdsDeployment struct {
	id, name, status, details string
	created, deleted          time.Time
	tags                      []rdstypes.Tag
	pairs                     []rdsPair // the primaries first
	version                   string    // to upgrade to; empty for none
	tasks                     []string
	done                      int  // how many of the tasks are
	begun                     bool // the first task that is not done, or the deletion of what goes with the deployment
	due                       time.Time
	job                       *engine.Job     // of the switchover
	moved                     []engine.Engine // where it brings the blue instance of each pair; readable once job is finished
	fails                     bool
	before                    string // the status before DELETING
	target                    bool   // the green instances are deleted, too
}

// An rdsPair is a blue instance and its green one, by their resource ids, and their ARNs as they were last.
type rdsPair struct{ blue, green, source, target string }

func (d *rdsDeployment) clone() *rdsDeployment {
	next := *d
	next.pairs = slices.Clone(d.pairs)
	return &next
}

// deploymentActions are the calls about deployments. Those of Aurora, and other changes for single instances of the environment, are not served.
var deploymentActions = map[string]amazon.QueryAction[*call]{
	"CreateBlueGreenDeployment": amazon.Action(createDeployment, "BlueGreenDeploymentName", "Source", "TargetEngineVersion", "TargetDBParameterGroupName", "TargetDBInstanceClass",
		"UpgradeTargetStorageConfig", "TargetAllocatedStorage", "TargetStorageType", "TargetIops", "TargetStorageThroughput", "Tags"),
	"SwitchoverBlueGreenDeployment": amazon.Action(switchDeployment, "BlueGreenDeploymentIdentifier", "SwitchoverTimeout"),
	"DeleteBlueGreenDeployment":     amazon.Action(deleteDeployment, "BlueGreenDeploymentIdentifier", "DeleteTarget"),
}

func init() { maps.Copy(rdsActions, deploymentActions) }

func unsupportedSource(format string, args ...any) *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "SourceDatabaseNotSupportedFault", fmt.Sprintf(format, args...))
}

func deploymentState(format string, args ...any) *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "InvalidBlueGreenDeploymentStateFault", fmt.Sprintf(format, args...))
}

// createDeployment is CreateBlueGreenDeployment. The words about the name are those of https://github.com/crossplane-contrib/provider-upjet-aws/issues/1430.
func createDeployment(c *call, in *rds.CreateBlueGreenDeploymentInput) (any, error) {
	name := aws.ToString(in.BlueGreenDeploymentName)
	if err := cmp.Or(validIdentifier("BlueGreenDeploymentName", name, 60), validRDSTags(in.Tags)); err != nil {
		return nil, err
	}
	for _, p := range own(c, c.deployments) {
		if p.Now != nil && p.Now.name == name {
			return nil, amazon.Err(http.StatusBadRequest, "BlueGreenDeploymentAlreadyExistsFault", "A Blue Green Deployment with the name '"+name+"' already exists")
		}
	}
	key, source, err := c.deployable(aws.ToString(in.Source))
	if err != nil {
		return nil, err
	}
	version, err := c.checkDeployment(key, source, in)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(fmt.Append(nil, c.caller.Account, c.caller.Region, name, c.writes))
	d := &rdsDeployment{
		id: "bgd-" + strings.ToLower(amazon.Base32ID(sum[:], 16)), name: name, status: provisioning, created: c.now, tags: append([]rdstypes.Tag{}, in.Tags...),
		tasks: []string{taskReplica}, begun: true,
	}
	if version != *source.db.EngineVersion {
		d.version, d.tasks = version, append(d.tasks, taskUpgrade)
	}
	d.tasks = append(d.tasks, taskBackups)
	if len(c.replicasOf(source)) > 0 {
		d.tasks = append(d.tasks, taskTopology)
	}
	if err := c.makeGreen(d, key, in, version); err != nil {
		return nil, err
	}
	answered := c.shownDeployment(d)
	answered.Target = nil
	for i := range answered.SwitchoverDetails {
		answered.SwitchoverDetails[i] = rdstypes.SwitchoverDetail{SourceMember: answered.SwitchoverDetails[i].SourceMember}
	}
	answered.Tasks[0].Status = aws.String("PENDING")
	c.storeDeployment(Key{c.caller.Account, c.caller.Region, d.id}, d)
	return &rds.CreateBlueGreenDeploymentOutput{BlueGreenDeployment: &answered}, nil
}

func (s *Service) storeDeployment(key Key, d *rdsDeployment) {
	if s.deployments[key] == nil {
		s.deployments[key] = &cloud.Past[rdsDeployment]{}
	}
	s.writes++
	s.deployments[key].Write(d, s.writes)
}

// deployable returns the instance that an ARN names.
func (c *call) deployable(arn string) (Key, *Instance, error) {
	name, ok := strings.CutPrefix(arn, c.arn(instanceResource, ""))
	switch {
	case strings.HasPrefix(arn, c.arn(clusterResource, "")):
		return Key{}, nil, clusterResource.missing(arn)
	case !ok && !strings.HasPrefix(arn, "arn:aws:rds:"):
		return Key{}, nil, invalidValue("Invalid source ARN: %s", arn)
	case !ok: // "must be in the same AWS account"
		return Key{}, nil, instanceResource.missing(arn)
	}
	return c.instance(&name)
}

// checkDeployment refuses a source that can't have a deployment, or not that one, and returns the version of the green instance.
func (c *call) checkDeployment(key Key, source *Instance, in *rds.CreateBlueGreenDeploymentInput) (version string, err error) {
	if source.step != resting || source.status() != "available" {
		return "", invalidState("Instance %s is not in available state.", key.name)
	}
	if err := c.checkBlue(key, source); err != nil {
		return "", err
	}
	db := &source.db
	if version, err = upgradeOf(db, in.TargetEngineVersion); err != nil {
		return "", err
	}
	if err := c.checkGreenGroup(in.TargetDBParameterGroupName, familyOf(*db.Engine, version)); err != nil {
		return "", err
	}
	if MajorVersion(*db.Engine, version) == MajorVersion(*db.Engine, *db.EngineVersion) {
		return version, nil
	}
	switch group := c.made(c.key(source.groupName())); {
	case !isDefaultOptions(source.optionGroup()):
		return "", unsupportedSource("A blue/green deployment with a major version upgrade isn't supported for a DB instance with a custom option group.")
	// The words are those of https://repost.aws/knowledge-center/rds-postgresql-blue-green-deployment-error. A replication that is physical needs no such parameter.
	case *db.Engine == "postgres" && (group == nil || group.values["rds.logical_replication"].value != "1" || *db.DBParameterGroups[0].ParameterApplyStatus != "in-sync"):
		return "", unsupportedSource("Blue/Green Deployments require a DB instance with logical replication enabled. Before you create a Blue/Green Deployment for a DB instance, " +
			"associate the DB instance with a custom DB instance parameter group that enables logical replication.")
	}
	return version, nil
}

// checkBlue refuses a source by the limitations of the guide. The words about backups are those of a replica without them.
func (c *call) checkBlue(key Key, source *Instance) error {
	switch {
	case c.deploymentOf(source) != nil:
		return invalidState("Instance %s is part of a blue/green deployment already.", key.name)
	case source.follows.id != "":
		return unsupportedSource("DB instance %s is a read replica.", key.name)
	case source.db.MasterUserSecret != nil:
		return unsupportedSource("Blue/green deployments don't support managing master user passwords with AWS Secrets Manager.")
	case aws.ToInt32(source.db.BackupRetentionPeriod) == 0 || source.backups.since.IsZero():
		return invalidState("Automated backups are not enabled for this database instance. To enable automated backups, use ModifyDBInstance to set the backup retention period to a non-zero value.")
	}
	for _, other := range c.replicasOf(source) {
		replica := c.instances[other].Now
		switch {
		case other.region != key.region:
			return unsupportedSource("Blue/green deployments don't support cross-Region read replicas.")
		case len(c.replicasOf(replica)) > 0:
			return unsupportedSource("Blue/green deployments don't support cascading read replicas.")
		case aws.ToBool(source.db.DedicatedLogVolume) && !aws.ToBool(replica.db.DedicatedLogVolume):
			return unsupportedSource("A dedicated log volume must be enabled on all DB instances, including read replicas.")
		case replica.step != resting || replica.status() != "available":
			return invalidState("Instance %s is not in available state.", other.name)
		}
	}
	return nil
}

func (c *call) checkGreenGroup(name *string, family string) error {
	if name == nil {
		return nil
	}
	g, err := c.group(name)
	if err == nil && g.family != family {
		err = invalidCombination("The parameter group %s with DBParameterGroupFamily %s can't be used for this instance. Please use a parameter group with DBParameterGroupFamily %s", g.name, g.family, family)
	}
	return err
}
