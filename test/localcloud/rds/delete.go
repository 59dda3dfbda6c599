package rds

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

func (c *call) deleteInstance(in *rds.DeleteDBInstanceInput) (any, error) {
	key, have, err := c.instance(in.DBInstanceIdentifier)
	if err != nil {
		return nil, err
	}
	skip, final := aws.ToBool(in.SkipFinalSnapshot), aws.ToString(in.FinalDBSnapshotIdentifier)
	switch {
	// The words are those of https://github.com/hashicorp/terraform-provider-aws/issues/4276.
	case final != "" && have.follows.id != "":
		return nil, invalidCombination("FinalDBSnapshotIdentifier can not be specified when deleting a replica instance")
	case skip && final != "":
		return nil, invalidCombination("FinalDBSnapshotIdentifier can not be specified when skipping the final snapshot.")
	case !skip && final == "":
		return nil, invalidCombination("FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.")
	case have.step == deleting:
		return nil, invalidState("Instance %s is already being deleted.", key.name)
	case aws.ToBool(have.db.DeletionProtection):
		return nil, invalidCombination("Cannot delete protected DB Instance, please disable deletion protection and try again.")
	case have.step != resting:
		return nil, invalidState("Instance %s is currently %s and can't be deleted.", key.name, have.status())
	}
	next := have.clone()
	due := c.now.Add(c.cloud.Options.Durations.Delete)
	if next.retains, err = c.retains(have, in.DeleteAutomatedBackups); err != nil {
		return nil, err
	}
	if !skip { // the last that may be refused: what is refused leaves nothing
		if next.final, err = c.finalSnapshot(have, final); err != nil {
			return nil, err
		}
		due = due.Add(c.cloud.Options.Durations.Snapshot)
	}
	next.backups.until = c.now
	var job *engine.Job
	if !c.failLate {
		job = c.begin(func() (*engine.Engine, error) {
			if next.final != nil { // whose data there would be no more
				next.final.job.Wait()
				if err := next.final.job.Failure(); err != nil {
					return nil, err
				}
			}
			if next.retains && have.backups.log != "" {
				if err := c.cloud.Engines.FlushLog(*have.db.DbiResourceId); err != nil {
					return nil, err
				}
			}
			return nil, c.cloud.Engines.Stop(*have.db.DbiResourceId)
		})
	}
	next.enter(deleting, "deleting", due, job, c.failLate)
	c.store(key, next)
	answered := c.shown(next)
	return &rds.DeleteDBInstanceOutput{DBInstance: &answered}, nil
}
