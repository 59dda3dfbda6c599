package system

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/providers/driver"
)

// TakeSnapshot implements SnapshotConsole.
func (a *awsDatabases) TakeSnapshot(t testing.TB, database, name string) {
	t.Helper()
	a.rest(t, database)
	call(t, a.rds.CreateDBSnapshot, &rds.CreateDBSnapshotInput{DBInstanceIdentifier: &database, DBSnapshotIdentifier: &name})
	until(t, name+" is available", func() bool { return *a.snapshot(t, name).Status == "available" })
}

func (a *awsDatabases) snapshot(t testing.TB, name string) *rdstypes.DBSnapshot {
	t.Helper()
	out, err := a.rds.DescribeDBSnapshots(t.Context(), &rds.DescribeDBSnapshotsInput{DBSnapshotIdentifier: &name})
	if e, ok := errors.AsType[smithy.APIError](err); ok && e.ErrorCode() == "DBSnapshotNotFound" {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return &out.DBSnapshots[0]
}

// SnapshotMark implements SnapshotConsole.
func (a *awsDatabases) SnapshotMark(t testing.TB, name string) map[string]string {
	t.Helper()
	have := a.snapshot(t, name)
	if have == nil {
		return nil
	}
	tags := map[string]string{}
	for _, tag := range have.TagList {
		tags[*tag.Key] = *tag.Value
	}
	if _, uid, has := strings.Cut(tags["mooring-kind"], "/"); has {
		tags[driver.LabelNamespaceUID] = uid
	}
	if tags["mooring-kind"] == "" && tags[driver.LabelUID] != "" && tags[driver.LabelReleased] == "" { // a mark without its kind is that of what was left behind
		tags[driver.LabelReleased] = "true"
	}
	return tags
}

// DropSnapshot implements SnapshotConsole.
func (a *awsDatabases) DropSnapshot(t testing.TB, name string) {
	t.Helper()
	call(t, a.rds.DeleteDBSnapshot, &rds.DeleteDBSnapshotInput{DBSnapshotIdentifier: &name})
}
