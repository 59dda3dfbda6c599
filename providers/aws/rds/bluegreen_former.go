package rds

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// former is table.Succession.Former. RDS knows the calls by names: an instance of another identity is left alone, whatever its name.
func (p deployer) former(ctx context.Context, req *request, verb driver.Verb) error {
	have, err := p.of.describe(ctx, req.Former.Name)
	if err != nil {
		return err
	}
	if have != nil && aws.ToString(have.DbiResourceId) != req.Former.ID {
		have = nil
	}
	if have != nil {
		if mark := driver.MarkFrom(instanceTags(have)); !mark.Zero() && !mark.SameOwner(req.Mark) && !mark.PartOf(req.Mark) {
			return &driver.Error{Code: driver.Conflict, Op: "DescribeDBInstances", Message: "instance " + req.Former.Name + " has the mark of another object by now, and is left alone"}
		}
	}
	switch {
	case verb == driver.DeleteFormer:
		return p.deleteFormer(ctx, req, have)
	case have == nil:
		return nil
	}
	mark := req.Mark
	mark.Released = true
	if driver.MarkFrom(instanceTags(have)).Is(mark) {
		return nil
	}
	return (&snapshots{Session: p.of.Session, rds: p.of.rds}).writeRDSTags(ctx, have.DBInstanceArn, instanceTags(have), table.Delta{Set: mark.Labels(), Remove: []string{mark.Obsolete()}})
}

// deleteFormer deletes the deployment and the former instance; have is nil if that is gone. Its DB parameter group goes too, once nothing uses it: if not now, then with those of the object.
func (p deployer) deleteFormer(ctx context.Context, req *request, have *instance) error {
	d, err := p.ofFormer(ctx, req, have)
	if err == nil && d != nil && d.status() == switched {
		err = p.takeAway(ctx, d)
	}
	switch {
	case err != nil:
		return err
	case have == nil:
		return p.deleteGroupOfFormer(ctx, req)
	case aws.ToString(have.DBInstanceStatus) == "deleting":
		return nil
	}
	if err := p.unprotect(ctx, have); err != nil {
		return err
	}
	err = deleteInstance(ctx, p.of, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: have.DBInstanceIdentifier, SkipFinalSnapshot: aws.Bool(true), DeleteAutomatedBackups: aws.Bool(true)})
	if session.ErrorCode(err) == "DBInstanceNotFound" {
		return nil
	}
	return err
}

// ofFormer returns the deployment by which the former instance was replaced; nil if it is gone.
func (p deployer) ofFormer(ctx context.Context, req *request, have *instance) (*deployment, error) {
	if strings.HasPrefix(req.Operation, deployments) {
		if d, err := p.withID(ctx, req.Operation); err != nil || d != nil {
			return d, err
		}
	}
	var arn string
	if have != nil {
		arn = aws.ToString(have.DBInstanceArn)
	} else if now, err := p.of.describe(ctx, req.Name); err != nil || now == nil {
		return nil, err
	} else {
		arn = strings.TrimSuffix(aws.ToString(now.DBInstanceArn), aws.ToString(now.DBInstanceIdentifier)) + req.Former.Name
	}
	d, err := p.by(ctx, "source", arn)
	if err != nil || d == nil || d.versionIn(req.Former.ID) == "" {
		return nil, err
	}
	return d, nil
}

// deleteGroupOfFormer deletes the group that only the former instance used.
func (p deployer) deleteGroupOfFormer(ctx context.Context, req *request) error {
	now, err := p.of.describe(ctx, req.Name)
	if err != nil || now != nil && !now.inOwnGroup() {
		return err
	}
	for _, group := range ownGroups(strings.ToLower(req.Name)) {
		if now != nil && isAttached(now, group) {
			continue
		}
		found, err := p.of.groups.calls.find(ctx, group)
		// The deletion of the object itself leaves behind what the former one still uses.
		left := found != nil && found.mark.Released && (now != nil || found.mark.UID != req.Mark.UID)
		if err == nil && found != nil && found.mark.SameOwner(req.Mark) && !left {
			err = p.of.groups.calls.delete(ctx, group)
		}
		if err != nil && session.ErrorCode(err) != "InvalidDBParameterGroupState" { // which means that it is in use, and stays
			return err
		}
	}
	return nil
}

// removeBeside deletes what was prepared to take the place of an instance that is to be deleted. It reports whether the deletion of the instance has to wait for that.
func (p deployer) removeBeside(ctx context.Context, req *request) (waits bool, err error) {
	if !strings.HasPrefix(req.Operation, deployments) {
		return false, nil
	}
	d, err := p.withID(ctx, req.Operation)
	switch {
	case err != nil || d == nil:
		return false, err
	case d.status() == takenAway:
		return d.isBefore(req.Name), nil
	case d.status() == switched: // it says which one was the former, and goes with that
		return false, nil
	}
	return true, p.takeAway(ctx, d)
}
