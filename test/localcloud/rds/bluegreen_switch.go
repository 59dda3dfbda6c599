package rds

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// deployment returns the deployment of an identifier, which "isn't case-sensitive".
func (c *call) deployment(id *string, stale bool) (Key, *rdsDeployment, error) {
	key := c.key(aws.ToString(id))
	if d := c.deployments[key].Read(stale); d != nil {
		return key, d, nil
	}
	return key, nil, deploymentResource.missing(aws.ToString(id))
}

// switchDeployment is SwitchoverBlueGreenDeployment. The words about instances are those of https://github.com/hashicorp/terraform-provider-aws/issues/36241. Replicas whose green instance somebody deleted stay as they are.
func switchDeployment(c *call, in *rds.SwitchoverBlueGreenDeploymentInput) (any, error) {
	key, d, err := c.deployment(in.BlueGreenDeploymentIdentifier, false)
	if err != nil {
		return nil, err
	}
	seconds := *orElse(in.SwitchoverTimeout, 300)
	switch {
	case seconds < 30 || seconds > 3600:
		return nil, invalidValue("Invalid switchover timeout: %d. Must be between 30 and 3600 seconds.", seconds)
	case d.status != deployed && d.status != switchFailed:
		return nil, deploymentState("Switchover is not allowed while blue green deployment lifecycle is %s.", d.status)
	}
	var keys []Key
	var pairs []rdsPair
	for _, pair := range d.pairs {
		blueKey, blue := c.withID(pair.blue)
		greenKey, green := c.withID(pair.green)
		if blue == nil || green == nil {
			continue
		}
		for key, member := range map[Key]*Instance{blueKey: blue, greenKey: green} {
			if member.step != resting || member.status() != "available" {
				return nil, deploymentState("DB instance %s is not in available state", key.name)
			}
		}
		keys, pairs = append(keys, blueKey, greenKey), append(pairs, pair)
	}
	next := d.clone()
	within, takes := time.Duration(seconds)*time.Second, c.cloud.Options.Durations.Modify
	next.pairs = pairs
	next.status, next.details, next.due, next.fails = switchingOver, "", c.now.Add(min(takes, within)), c.failLate || takes > within
	next.job, next.moved = nil, make([]engine.Engine, len(pairs))
	if !next.fails {
		next.job = c.begin(func() (*engine.Engine, error) { return nil, c.switchEngines(pairs, next.moved, within) })
	}
	next.pairs = d.pairs
	for _, of := range keys {
		member := c.instances[of].Now.clone()
		member.enter(switching, "renaming", next.due, next.job, next.fails)
		c.store(of, member)
	}
	c.storeDeployment(key, next)
	answered := c.shownDeployment(next)
	return &rds.SwitchoverBlueGreenDeploymentOutput{BlueGreenDeployment: &answered}, nil
}

// switchEngines switches the servers of pairs over, and says where the blue ones are then. Once the first has been, the others can't fail the switchover: they stay where they were.
func (s *Service) switchEngines(pairs []rdsPair, moved []engine.Engine, within time.Duration) error {
	for i, pair := range pairs {
		at, err := s.cloud.Engines.SwitchOver(pair.blue, pair.green, within)
		if err != nil && i == 0 {
			return err
		}
		moved[i] = at
	}
	return nil
}

// endSwitchover gives the green instances the names and endpoints of the blue ones, and those NAME-old1, or the first of such numbers that is free. "If the switchover takes longer than the specified duration, then any changes are rolled
// back": then nothing has changed.
func (s *Service) endSwitchover(d *rdsDeployment) {
	if d.fails || d.job.Failed() {
		d.status, d.details, d.fails = switchFailed, "The switchover was rolled back.", false
		return
	}
	d.status = switchedOver
	at := 0
	for i, pair := range d.pairs {
		blueKey, blue := s.withID(pair.blue)
		greenKey, green := s.withID(pair.green)
		if blue == nil || green == nil {
			continue
		}
		where := d.moved[at]
		at++
		if where.Host == "" {
			continue
		}
		s.swap(blueKey, greenKey, i == 0, where)
		_, blue = s.withID(pair.blue)
		_, green = s.withID(pair.green)
		d.pairs[i].source, d.pairs[i].target = *blue.db.DBInstanceArn, *green.db.DBInstanceArn
	}
}

// swap gives a green instance the place of a blue one, whose tags it gets beside its own.
func (s *Service) swap(blueKey, greenKey Key, promoted bool, where engine.Engine) {
	blue, green := s.instances[blueKey].Now.clone(), s.instances[greenKey].Now.clone()
	oldKey := blueKey
	for n := 1; oldKey == blueKey || s.instances[oldKey].Read(false) != nil; n++ {
		oldKey.name = fmt.Sprintf("%s-old%d", blueKey.name, n)
	}
	green.db.Endpoint = blue.db.Endpoint
	green.db.TagList = append(slices.DeleteFunc(slices.Clone(green.db.TagList), func(own rdstypes.Tag) bool {
		return slices.ContainsFunc(blue.db.TagList, func(tag rdstypes.Tag) bool { return *tag.Key == *own.Key })
	}), blue.db.TagList...)
	endpoint := *blue.db.Endpoint
	endpoint.Address, endpoint.Port = aws.String(where.Host), aws.Int32(int32(where.Port))
	blue.db.Endpoint = &endpoint
	if promoted {
		green.db.ReadReplicaSourceDBInstanceIdentifier, green.db.StatusInfos = nil, nil
		if *green.db.BackupRetentionPeriod == 0 { // of PostgreSQL 13, whose replicas have none
			green.db.BackupRetentionPeriod = blue.db.BackupRetentionPeriod
		}
		green.follows, green.backups = rdsFollowing{}, rdsBackups{}
	}
	s.store(greenKey, nil)
	s.store(blueKey, renamed(green, blueKey))
	s.store(oldKey, renamed(blue, oldKey))
	for id, key := range map[string]Key{*blue.db.DbiResourceId: oldKey, *green.db.DbiResourceId: blueKey} {
		for _, follower := range s.replicasOf(&Instance{db: rdstypes.DBInstance{DbiResourceId: &id}}) {
			next := s.instances[follower].Now.clone()
			next.follows.source = key
			next.db.ReadReplicaSourceDBInstanceIdentifier = aws.String(key.seenFrom(follower))
			s.store(follower, next)
		}
	}
}

// renamed gives an instance another name.
func renamed(in *Instance, key Key) *Instance {
	in.db.DBInstanceIdentifier = aws.String(key.name)
	in.db.DBInstanceArn = aws.String("arn:aws:rds:" + key.region + ":" + key.account + ":db:" + key.name)
	return in
}

// deleteDeployment is DeleteBlueGreenDeployment. The words about the target are those of the service, as people report them. What waits for its green instances is deleted once these are made.
func deleteDeployment(c *call, in *rds.DeleteBlueGreenDeploymentInput) (any, error) {
	key, d, err := c.deployment(in.BlueGreenDeploymentIdentifier, false)
	if err != nil {
		return nil, err
	}
	target := aws.ToBool(in.DeleteTarget)
	switch {
	case d.status == switchedOver && target:
		return nil, deploymentState("Deleting target is not allowed while blue green deployment lifecycle is %s.", d.status)
	case d.status == switchingOver || d.status == deletingDeploy:
		return nil, deploymentState("Deleting is not allowed while blue green deployment lifecycle is %s.", d.status)
	}
	for _, pair := range d.pairs {
		if of, green := c.withID(pair.green); target && green != nil && aws.ToBool(green.db.DeletionProtection) {
			return nil, deploymentState("Deleting target is not allowed while DB instance %s has deletion protection.", of.name)
		}
	}
	next := d.clone()
	next.before, next.status, next.deleted, next.target, next.fails = d.status, deletingDeploy, c.now, target, c.failLate
	next.due, next.begun = c.now.Add(c.cloud.Options.Durations.Delete), d.begun && c.failLate
	c.storeDeployment(key, next)
	answered := c.shownDeployment(next)
	return &rds.DeleteBlueGreenDeploymentOutput{BlueGreenDeployment: &answered}, nil
}

// shownDeployments are the deployments of the caller.
func (c *call) shownDeployments(*rds.DescribeBlueGreenDeploymentsInput) (all []rdstypes.BlueGreenDeployment, _ error) {
	for d := range listed(c, c.deployments) {
		all = append(all, c.shownDeployment(d))
	}
	return all, nil
}

func (c *call) namedDeployment(id string) (rdstypes.BlueGreenDeployment, error) {
	_, d, err := c.deployment(&id, c.stale)
	if err != nil {
		return rdstypes.BlueGreenDeployment{}, err
	}
	return c.shownDeployment(d), nil
}

// shownDeployment returns a deployment as it is described.
func (s *Service) shownDeployment(d *rdsDeployment) rdstypes.BlueGreenDeployment {
	out := rdstypes.BlueGreenDeployment{
		BlueGreenDeploymentIdentifier: &d.id, BlueGreenDeploymentName: &d.name, CreateTime: &d.created, Status: &d.status,
		Source: &d.pairs[0].source, Target: &d.pairs[0].target, TagList: d.tags,
	}
	if !d.deleted.IsZero() {
		out.DeleteTime = &d.deleted
	}
	if d.details != "" {
		out.StatusDetails = &d.details
	}
	for i, task := range d.tasks {
		status := "PENDING"
		switch {
		case i < d.done:
			status = "COMPLETED"
		case i == d.done && strings.HasPrefix(cmp.Or(d.before, d.status), invalidDeploy):
			status = "FAILED"
		case i == d.done:
			status = "IN_PROGRESS"
		}
		out.Tasks = append(out.Tasks, rdstypes.BlueGreenDeploymentTask{Name: &task, Status: &status})
	}
	for _, pair := range d.pairs {
		status := cmp.Or(d.before, d.status)
		if status == invalidDeploy {
			status = deployed
		}
		_, blue := s.withID(pair.blue)
		_, green := s.withID(pair.green)
		switch {
		case blue == nil:
			status = "MISSING_SOURCE"
		case green == nil:
			status = "MISSING_TARGET"
		}
		out.SwitchoverDetails = append(out.SwitchoverDetails, rdstypes.SwitchoverDetail{SourceMember: &pair.source, TargetMember: &pair.target, Status: &status})
	}
	return out
}
