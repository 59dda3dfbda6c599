package rds

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// deleted returns the automated backups of instances that were deleted, and that had the name or the mark that a request's Vanished says. Retained ones are listed,
// because RDS has no filter by tags; a region keeps those of 40 instances. What has the name is listed in any status: RDS may be about to retain it.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBInstanceAutomatedBackups.html (Filters)
func (r restorer) deleted(ctx context.Context, req *request) (*driver.Restorable, error) {
	left := &driver.Restorable{}
	listed := map[string]bool{}
	for _, filter := range []types.Filter{
		{Name: aws.String("status"), Values: []string{"retained"}}, {Name: aws.String("db-instance-id"), Values: []string{req.Vanished.Name}},
	} {
		backups, err := r.backups(ctx, &rds.DescribeDBInstanceAutomatedBackupsInput{Filters: []types.Filter{filter}})
		if err != nil {
			return nil, err
		}
		for i := range backups {
			b := &backups[i]
			id := aws.ToString(b.DbiResourceId)
			if listed[id] || id == "" || !wasCalled(&req.Request, b) {
				continue
			}
			listed[id] = true
			alive, err := r.isAlive(ctx, b)
			if err != nil {
				return nil, err
			}
			unusable := aws.ToString(b.Status) == "retained" && b.RestoreWindow == nil // whose first backup was never complete
			if !alive && !unusable {
				left.Backups = append(left.Backups, stateOfDeleted(b))
			}
		}
	}
	return left, nil
}

// wasCalled reports whether automated backups are of an instance with the name or the mark that a request asks for.
func wasCalled(req *driver.Request, b *types.DBInstanceAutomatedBackup) bool {
	mark, of := driver.MarkFrom(tagsOf(b.TagList)), req.VanishedMark
	same := mark.Cluster == of.Cluster && mark.Namespace == of.Namespace && mark.Name == of.Name
	return same && !of.Zero() || strings.EqualFold(aws.ToString(b.DBInstanceIdentifier), req.Vanished.Name)
}

// isAlive reports whether the instance is there that automated backups are of, and is not being deleted. Retained ones are of none.
func (r restorer) isAlive(ctx context.Context, b *types.DBInstanceAutomatedBackup) (bool, error) {
	if aws.ToString(b.Status) == "retained" {
		return false, nil
	}
	of, err := r.databases.describe(ctx, aws.ToString(b.DBInstanceIdentifier))
	if err != nil || of == nil || aws.ToString(of.DbiResourceId) != aws.ToString(b.DbiResourceId) {
		return false, err
	}
	state, _ := stateOf(aws.ToString(of.DBInstanceStatus))
	return state != driver.Deleting, nil
}

// stateOfDeleted returns what the automated backups of a deleted instance are. They are complete once RDS says that it retains them, with the times to which it
// restores.
func stateOfDeleted(b *types.DBInstanceAutomatedBackup) driver.SavedState {
	s := driver.SavedState{
		From:    driver.Restore{Source: driver.ParentRef{Name: aws.ToString(b.DBInstanceIdentifier), ID: aws.ToString(b.DbiResourceId)}},
		Mark:    driver.MarkFrom(tagsOf(b.TagList)),
		Details: detailsOfBackups(b),
	}
	if w := b.RestoreWindow; w != nil {
		s.Since, s.From.Time = aws.ToTime(w.EarliestTime).UTC(), aws.ToTime(w.LatestTime).UTC()
	}
	s.Complete = aws.ToString(b.Status) == "retained" && !s.From.Time.IsZero()
	return s
}

// checkDeleted refuses what RDS would refuse in words that do not help, of a source that is no instance any more.
func (r restorer) checkDeleted(ctx context.Context, req *request) error {
	backups, err := r.backupsOf(ctx, req.Restore.Source.ID)
	if err != nil {
		return err
	}
	return deletedRefusal(req, backups)
}

// deletedRefusal says why an instance that was deleted, and of which there are these automated backups, can't be restored as a request asks for it; nil if it can.
func deletedRefusal(req *request, backups []types.DBInstanceAutomatedBackup) error {
	source, at := req.Restore.Source, req.Restore.Time
	for i := range backups {
		b := &backups[i]
		s := stateOfDeleted(b)
		switch {
		case s.From.Source != source || !s.Complete:
			continue
		case !s.Details.Encrypted:
			return session.Invalid("%s was not encrypted, and a server restored from it would not be: copy a snapshot of it with a key in RDS, and name the copy in spec.restoreFrom.externalSnapshotName", source.Name)
		case otherKey(portable.WantedDiskKey(&req.Spec), source.Name, s.Details.Key, "") != "":
			return session.Invalid("%s", otherKey(portable.WantedDiskKey(&req.Spec), source.Name, s.Details.Key, ""))
		case !at.IsZero() && (at.Before(s.Since) || at.After(s.From.Time)):
			return session.Invalid("spec.restoreFrom.pointInTime.time is %s, and RDS has backups of %s from %s to %s", at.Format(time.RFC3339), source.Name, s.Since.Format(time.RFC3339), s.From.Time.Format(time.RFC3339))
		}
		return nil
	}
	return &driver.Error{Code: driver.NotFound, Op: "DescribeDBInstanceAutomatedBackups", Message: fmt.Sprintf("RDS has no instance %s and no retained backups of it that could be restored; correct spec.restoreFrom", source.Name)}
}

// markBackups writes the mark of an instance on its automated backups before it is deleted and they stay: they have tags of their own, and not those of the instance.
// What refuses that does not keep the instance from being deleted. It returns what that means, in a sentence; empty if they have the mark.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_AddTagsToResource.html
func (r restorer) markBackups(ctx context.Context, req *request) (unmarked string, err error) {
	if req.ID == "" {
		return "", nil
	}
	d := r.databases
	backups, err := r.backupsOf(ctx, req.ID)
	for i := 0; err == nil && i < len(backups); i++ {
		b := &backups[i]
		if aws.ToString(b.DbiResourceId) != req.ID || driver.MarkFrom(tagsOf(b.TagList)) == req.Mark || aws.ToString(b.DBInstanceAutomatedBackupsArn) == "" {
			continue
		}
		_, err = session.Call(ctx, d.Session, "AddTagsToResource", d.rds.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: b.DBInstanceAutomatedBackupsArn, Tags: rdsTags(req.Mark.Labels())})
	}
	switch driver.CodeOf(err) {
	case driver.Unavailable, driver.Throttled:
		return "", err
	}
	if err == nil {
		return "", nil
	}
	return "the mark could not be written on the automated backups of the instance, so that only an account of the namespace's own restores them: " + session.AsError(err).Message, nil
}
