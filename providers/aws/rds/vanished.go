package rds

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// restorable returns what RDS still has of the instance that a request's Vanished names, by the resource id, which no later instance of its name has: its
// automated backups, if they were retained, and its snapshots, those that RDS took by itself included.
func (r restorer) restorable(ctx context.Context, req *request) (*driver.Restorable, error) {
	if req.Vanished.ID == "" {
		return r.deleted(ctx, req)
	}
	backups, err := r.backupsOf(ctx, req.Vanished.ID)
	if err != nil {
		return nil, err
	}
	taken, err := r.snapshots(ctx, req.Vanished.ID)
	if err != nil {
		return nil, err
	}
	return table.NewestOf(*req.Vanished, append(statesOfBackups(&req.Request, backups), statesOfSnapshots(&req.Request, taken)...)), nil
}

// backupsOf returns the automated backups of an instance. Those of one instance are one, or one in each region that they are replicated to.
func (r restorer) backupsOf(ctx context.Context, id string) ([]types.DBInstanceAutomatedBackup, error) {
	return r.backups(ctx, &rds.DescribeDBInstanceAutomatedBackupsInput{DbiResourceId: &id})
}

// backups returns all automated backups that a call asks for.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBInstanceAutomatedBackups.html
func (r restorer) backups(ctx context.Context, in *rds.DescribeDBInstanceAutomatedBackupsInput) (all []types.DBInstanceAutomatedBackup, err error) {
	for {
		out, err := session.Call(ctx, r.databases.Session, "DescribeDBInstanceAutomatedBackups", r.databases.rds.DescribeDBInstanceAutomatedBackups, in)
		if session.ErrorCode(err) == "DBInstanceAutomatedBackupNotFound" {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, out.DBInstanceAutomatedBackups...)
		if aws.ToString(out.Marker) == "" || aws.ToString(out.Marker) == aws.ToString(in.Marker) {
			return all, nil
		}
		in.Marker = out.Marker
	}
}

// snapshots returns the snapshots of an instance.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBSnapshots.html
func (r restorer) snapshots(ctx context.Context, id string) (all []types.DBSnapshot, err error) {
	in := &rds.DescribeDBSnapshotsInput{DbiResourceId: &id}
	for {
		out, err := session.Call(ctx, r.databases.Session, "DescribeDBSnapshots", r.databases.rds.DescribeDBSnapshots, in)
		if err != nil {
			return nil, err
		}
		all = append(all, out.DBSnapshots...)
		if aws.ToString(out.Marker) == "" || aws.ToString(out.Marker) == aws.ToString(in.Marker) {
			return all, nil
		}
		in.Marker = out.Marker
	}
}

// statesOfBackups returns the latest restorable times of the automated backups that a request's object may use. While RDS says that an instance which is gone is
// active, it has not retained them yet. Without a window nothing can be restored: the first backup was never complete.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBInstanceAutomatedBackup.html
func statesOfBackups(req *driver.Request, backups []types.DBInstanceAutomatedBackup) (states []driver.SavedState) {
	for i := range backups {
		b := &backups[i]
		window, mark := b.RestoreWindow, driver.MarkFrom(tagsOf(b.TagList))
		switch status := aws.ToString(b.Status); {
		case aws.ToString(b.DbiResourceId) != req.Vanished.ID || !mark.Leaves(req.Mark, false):
			continue
		case status == "active":
			states = append(states, driver.SavedState{})
			continue
		case status != "retained" || window == nil || window.LatestTime == nil:
			continue
		}
		states = append(states, driver.SavedState{
			Complete: true,
			From:     driver.Restore{Time: window.LatestTime.UTC()},
			Details:  detailsOfBackups(b),
		})
	}
	return states
}

// detailsOfBackups returns what an instance that is restored by automated backups has.
func detailsOfBackups(b *types.DBInstanceAutomatedBackup) driver.SnapshotDetails {
	is := driver.SnapshotDetails{
		Source: aws.ToString(b.DBInstanceIdentifier), SizeGiB: aws.ToInt32(b.AllocatedStorage), Engine: aws.ToString(b.Engine), Version: aws.ToString(b.EngineVersion),
		Username: aws.ToString(b.MasterUsername), Encrypted: aws.ToBool(b.Encrypted), Key: aws.ToString(b.KmsKeyId),
	}
	if w := b.RestoreWindow; w != nil && w.LatestTime != nil {
		is.Taken = w.LatestTime.UTC()
	}
	return is
}

// statesOfSnapshots returns the snapshots that a request's object may use, those that are being taken included. The tags of an instance are copied to its
// snapshots, its mark among them.
func statesOfSnapshots(req *driver.Request, all []types.DBSnapshot) (states []driver.SavedState) {
	for i := range all {
		s := &all[i]
		var o driver.Observation
		stateOfSnapshot(&snapshotRequest{}, s, &o)
		tags := tagsOf(s.TagList)
		usable := (o.Available || o.State == driver.Pending) && aws.ToString(s.DbiResourceId) == req.Vanished.ID
		if !usable || !driver.MarkFrom(tags).Leaves(req.Mark, tags[ofSnapshot] != "") {
			continue
		}
		states = append(states, driver.SavedState{
			Complete: o.Available, Details: *o.SnapshotDetails,
			From: driver.Restore{Snapshot: aws.ToString(s.DBSnapshotIdentifier), Time: o.SnapshotDetails.Taken},
		})
	}
	return states
}

// left refuses what RDS would refuse in words that do not help, of what is left of an instance that is gone. It returns the size of its disk.
func (r restorer) left(ctx context.Context, req *request) (sizeGiB int32, err error) {
	from := req.Restore
	if from.Snapshot == "" {
		return r.checkLeft(ctx, req)
	}
	of := &snapshotRequest{Request: driver.Request{Name: from.Snapshot}}
	snapshot, err := (&snapshots{Session: r.databases.Session, rds: r.databases.rds}).read(ctx, of, nil)
	switch key := keyInPlace(req); {
	case err != nil:
		return 0, err
	case snapshot == nil || aws.ToString(snapshot.DbiResourceId) != from.Vanished:
		return 0, &driver.Error{Code: driver.NotFound, Op: "DescribeDBSnapshots", Message: "RDS has no snapshot " + from.Snapshot + " of the instance that vanished any more"}
	case key != nil:
		err = keyRefusal(*key, from.Snapshot, snapshot)
	}
	return aws.ToInt32(snapshot.AllocatedStorage), err
}

// keyInPlace returns the key that a server is to have which is restored in the place of one that vanished; nil for the one that this had. An alias that was applied to
// this said which key it got, and its backups have that.
func keyInPlace(req *request) *string {
	key := portable.WantedDiskKey(&req.Spec)
	if key != nil && isAlias(*key) && slices.Equal(req.Applied["encryption.key"], []string{*key}) {
		return nil
	}
	return key
}

// checkLeft is the same for automated backups.
func (r restorer) checkLeft(ctx context.Context, req *request) (sizeGiB int32, err error) {
	backups, err := r.backupsOf(ctx, req.Restore.Vanished)
	if err != nil {
		return 0, err
	}
	of := &driver.Request{Vanished: &req.Restore.Source, Mark: req.Mark}
	left := table.NewestOf(req.Restore.Source, statesOfBackups(of, backups))
	key := keyInPlace(req)
	switch is := left.Details; {
	case left.From == nil:
		return 0, &driver.Error{Code: driver.NotFound, Op: "DescribeDBInstanceAutomatedBackups", Message: "RDS has no automated backups of " + req.Restore.Source.Name + " any more"}
	case otherKey(key, is.Source, is.Key, "") != "":
		return 0, session.Invalid("%s", otherKey(key, is.Source, is.Key, ", or set the key that it had"))
	}
	return left.Details.SizeGiB, nil
}

// noLess takes a size that is less than that of the disk out of a call in the place of an instance that vanished: its disk may have grown by itself, and RDS restores
// none that is smaller.
func noLess(asked *int32, sizeGiB int32) *int32 {
	if asked != nil && *asked < sizeGiB {
		return nil
	}
	return asked
}
