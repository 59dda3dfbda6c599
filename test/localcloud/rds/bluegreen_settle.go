package rds

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// settleDeployments brings every deployment to the state it has at a time, and reports whether any changed.
func (s *Service) settleDeployments(now time.Time) (changed bool) {
	for key, p := range s.deployments {
		d := p.Now
		if d == nil {
			continue
		}
		next := d.clone()
		switch d.status {
		case provisioning:
			s.provision(next)
		case switchingOver:
			if now.Before(d.due) || !d.job.Finished() {
				continue
			}
			s.endSwitchover(next)
		case deletingDeploy:
			if next = s.endDeletion(next, now); next == nil {
				p.Before, p.Now = d, nil
				changed = true
				continue
			}
		case deployed, switchFailed:
			s.checkPairs(next)
		}
		if next.status != d.status || next.done != d.done || next.begun != d.begun {
			s.storeDeployment(key, next)
			changed = true
		}
	}
	return changed
}

// withID returns the instance of a resource id; nil if it is gone.
func (s *Service) withID(id string) (Key, *Instance) {
	for key, p := range s.instances {
		if p.Now != nil && *p.Now.db.DbiResourceId == id {
			return key, p.Now
		}
	}
	return Key{}, nil
}

// invalid is a deployment that nobody can switch over any more.
func (d *rdsDeployment) invalid(why string) { d.status, d.details = invalidDeploy, why }

// usable reports whether an instance rests in good health.
func (in *Instance) usable() bool {
	return in.step == resting && (in.status() == "available" || in.status() == "storage-optimization")
}

// provision does the first task that is not done, or has done it.
func (s *Service) provision(d *rdsDeployment) {
	key, green := s.withID(d.pairs[0].green)
	_, blue := s.withID(d.pairs[0].blue)
	switch {
	case green == nil || blue == nil:
		d.invalid("A resource of the blue/green deployment is missing.")
		return
	case green.step != resting:
		return
	case !green.usable():
		d.invalid("The green DB instance is in the status " + green.status() + ".")
		return
	}
	task := d.tasks[d.done]
	if !d.begun {
		s.beginTask(d, task, key, green, blue)
		d.begun = true
		return
	}
	if task == taskTopology {
		for _, pair := range d.pairs[1:] {
			_, replica := s.withID(pair.green)
			if replica != nil && replica.step != resting {
				return
			}
			if replica == nil || !replica.usable() {
				d.invalid("A green read replica could not be created.")
				return
			}
		}
	}
	if d.done, d.begun = d.done+1, false; d.done == len(d.tasks) {
		d.status = deployed
	}
}

func (s *Service) beginTask(d *rdsDeployment, task string, key Key, green, blue *Instance) {
	durations := s.cloud.Options.Durations
	next := green.clone()
	switch {
	case task == taskUpgrade:
		next.applying = rdstypes.PendingModifiedValues{EngineVersion: aws.String(d.version)}
		next.enter(modifying, "upgrading", green.due.Add(durations.Modify), nil, false)
	case task == taskBackups && backsUpReplicas(&green.db):
		next.db.BackupRetentionPeriod = blue.db.BackupRetentionPeriod
		next.enter(backingUp, "backing-up", green.due.Add(backupShare(durations)), nil, false)
	default:
		return
	}
	s.store(key, next)
}

// checkPairs ends the hope for a switchover of primaries of which one is gone, or was promoted. "If you manually promote the green DB instance ..., replication between the blue and green environments breaks and the blue/green
// deployment enters a state of Invalid configuration."
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-switching.html
func (s *Service) checkPairs(d *rdsDeployment) {
	pair := d.pairs[0]
	_, blue := s.withID(pair.blue)
	_, green := s.withID(pair.green)
	switch {
	case blue == nil:
		d.invalid("The source of the blue/green deployment is missing.")
	case green == nil:
		d.invalid("The target of the blue/green deployment is missing.")
	case green.follows.id != pair.blue || green.follows.ended:
		d.invalid("Replication from the source to the target of the blue/green deployment has ended.")
	}
}

// deploymentOf returns the deployment in which an instance is blue or green; nil if there is none, or it has nothing more to do with the instance.
func (s *Service) deploymentOf(in *Instance) *rdsDeployment {
	for _, p := range s.deployments {
		if d := p.Now; d != nil && d.status != switchedOver && d.before != switchedOver && slices.ContainsFunc(d.pairs, func(pair rdsPair) bool {
			return pair.blue == *in.db.DbiResourceId || pair.green == *in.db.DbiResourceId
		}) {
			return d
		}
	}
	return nil
}

// endDeletion goes on with a deletion; nil is gone. Without its target, the green instance of PostgreSQL is promoted, and that of MySQL goes on to follow; of MariaDB the guide says nothing, and it is as MySQL.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-deleting.html
func (s *Service) endDeletion(d *rdsDeployment, now time.Time) *rdsDeployment {
	if d.fails {
		if now.Before(d.due) {
			return d
		}
		d.status, d.before, d.fails, d.deleted = d.before, "", false, time.Time{}
		return d
	}
	waits := false
	for i, pair := range d.pairs {
		key, green := s.withID(pair.green)
		switch {
		case green == nil || d.before == switchedOver:
		case d.target && green.step == resting:
			s.store(key, s.deleted(green, now))
			waits, d.begun = true, true
		case d.target:
			waits = true
		case i == 0 && green.follows.id == pair.blue && *green.db.Engine == "postgres" && !green.follows.ended:
			if waits = true; green.step == resting && green.usable() {
				next := green.clone()
				next.enter(promoting, "modifying", now.Add(s.cloud.Options.Durations.Modify), s.promotion(next), false)
				s.store(key, next)
				d.begun = true
			} else if green.step == resting { // there is nothing to promote
				waits = false
			}
		}
	}
	if waits || now.Before(d.due) {
		return d
	}
	return nil
}

// deleted begins the deletion of an instance, of which nothing stays.
func (s *Service) deleted(in *Instance, now time.Time) *Instance {
	next, id := in.clone(), *in.db.DbiResourceId
	next.backups.until = now
	job := s.begin(func() (*engine.Engine, error) { return nil, s.cloud.Engines.Stop(id) })
	next.enter(deleting, "deleting", now.Add(s.cloud.Options.Durations.Delete), job, false)
	return next
}
