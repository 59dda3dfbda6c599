package rds

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// remove asks RDS to delete an instance.
//
// With a final snapshot the automated backups are kept as well: they lead to any moment before the end, the
// snapshot to the end only, and they expire by themselves. Without one nothing is kept. A read replica takes no final snapshot; where one was asked for, it keeps its automated backups.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_DeleteInstance.html
func (d *instances) remove(ctx context.Context, req *request) (driver.Result, error) {
	if waits, err := (deployer{d}).removeBeside(ctx, req); waits || err != nil {
		return driver.Result{Operation: req.Operation}, err
	}
	if mayHaveGroups(req) {
		if gone, err := d.isGone(ctx, req); gone && err == nil {
			return d.deleteGroups(ctx, req)
		} else if err != nil {
			return driver.Result{}, err
		}
	}
	in := &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &req.Name}
	var left string
	if req.Deletion != nil && req.Deletion.Snapshot != "" {
		var err error
		if left, err = (restorer{d}).markBackups(ctx, req); err != nil {
			return driver.Result{}, err
		}
		in.FinalDBSnapshotIdentifier = &req.Deletion.Snapshot
		in.SkipFinalSnapshot, in.DeleteAutomatedBackups = aws.Bool(false), aws.Bool(false)
	} else {
		in.SkipFinalSnapshot, in.DeleteAutomatedBackups = aws.Bool(true), aws.Bool(true)
	}
	taken, err := d.deleteAs(ctx, req, in)
	if session.ErrorCode(err) == "DBInstanceNotFound" && mayHaveGroups(req) {
		return d.deleteGroups(ctx, req)
	}
	if err == nil {
		return driver.Result{Left: strings.Trim(left+"; "+sayTaken(taken, in), "; ")}, nil
	}
	return driver.Result{}, d.explainDeletion(ctx, req, err)
}

// deleteAs asks RDS for a deletion, and asks for less where RDS refuses a part of it: a read replica takes no final snapshot, a region keeps the automated
// backups of 40 instances at most, of which the snapshot is what was asked for, and a final snapshot that an earlier try took is not taken again. It returns that one.
func (d *instances) deleteAs(ctx context.Context, req *request, in *rds.DeleteDBInstanceInput) (taken *types.DBSnapshot, err error) {
	for {
		err = deleteInstance(ctx, d, in)
		switch {
		case (replicator{d}).isReplica(ctx, req, in, err):
		case session.ErrorCode(err) == "DBInstanceAutomatedBackupQuotaExceeded" && !aws.ToBool(in.DeleteAutomatedBackups):
			in.DeleteAutomatedBackups = aws.Bool(true)
			if err := lacksWrites(taken, in, d.Now()); err != nil {
				return nil, err
			}
			continue
		case session.ErrorCode(err) == "DBSnapshotAlreadyExists" && in.FinalDBSnapshotIdentifier != nil:
			if taken, err = (finalSnapshots{d}).takenBefore(ctx, req, in, err); err != nil {
				return nil, err
			}
			if err := lacksWrites(taken, in, d.Now()); err != nil {
				return nil, err
			}
		default:
			return taken, err
		}
		in.FinalDBSnapshotIdentifier, in.SkipFinalSnapshot = nil, aws.Bool(true)
	}
}

// deleteGroups deletes what is left of an instance that is gone.
func (d *instances) deleteGroups(ctx context.Context, req *request) (driver.Result, error) {
	left, err := d.groups.deleteOf(ctx, req)
	return driver.Result{Left: left}, err
}

// isGone reports whether the instance is gone, so that a deletion is about its groups. RDS deletes by name: one that somebody made under that name since
// is not this object's to delete.
func (d *instances) isGone(ctx context.Context, req *request) (bool, error) {
	have, err := d.describe(ctx, req.Name)
	if err != nil || have == nil {
		return have == nil, err
	}
	mark := driver.MarkFrom(instanceTags(have))
	if req.ID != "" && aws.ToString(have.DbiResourceId) != req.ID || req.ID == "" && !mark.Zero() && !mark.SameOwner(req.Mark) && !mark.PartOf(req.Mark) {
		return false, &driver.Error{Code: driver.Conflict, Op: "DescribeDBInstances",
			Message: "another instance has the name " + req.Name + " by now, and is not deleted: Mooring looks again whose it is"}
	}
	return false, nil
}

func deleteInstance(ctx context.Context, d *instances, in *rds.DeleteDBInstanceInput) error {
	_, err := session.Call(ctx, d.Session, "DeleteDBInstance", d.rds.DeleteDBInstance, in, onceRDS)
	return err
}

// explainDeletion tells apart what RDS has the same error for.
func (d *instances) explainDeletion(ctx context.Context, req *request, err error) error {
	if err == nil {
		return nil
	}
	e := *session.AsError(err)
	switch code := session.ErrorCode(err); {
	case code == "DBInstanceNotFound":
		return nil
	case code == "InvalidParameterCombination" && strings.Contains(e.Message, "protected"):
		e.Code = driver.Protected
		e.Message = "deletion protection is on: set spec.deletionProtection: false, or turn it off in RDS"
	case code == "InvalidDBInstanceState":
		return d.explainState(ctx, req, &e)
	}
	return &e
}

// explainState looks why RDS does not delete the instance now: it may be at it, at work on something else, or
// unable to take a snapshot ever.
func (d *instances) explainState(ctx context.Context, req *request, refused *driver.Error) error {
	have, err := d.describe(ctx, req.Name)
	if err != nil {
		return refused
	}
	if have == nil {
		return nil
	}
	switch state, problem := stateOf(aws.ToString(have.DBInstanceStatus)); {
	case state == driver.Deleting:
		return nil
	case problem != "" && req.Deletion != nil && req.Deletion.Snapshot != "":
		refused.Code = driver.Conflict
		refused.Message = fmt.Sprintf("no final snapshot can be taken (%s): set deletionPolicy: Delete to delete it without one", problem)
	}
	return refused
}
