package rds

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What RDS has under the resource id of an instance that is gone is restored only if it is complete and the object's own. What is under way is waited for.
func TestStatesOfTheVanished(t *testing.T) {
	at := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	own := driver.Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "u"}
	req := &driver.Request{Name: "shop-orders", Mark: own, Vanished: &driver.ParentRef{Name: "shop-orders", ID: "db-1"}}
	tags := func(namespace, name string, more ...types.Tag) []types.Tag {
		m := own
		m.Namespace, m.Name = namespace, name
		return append(rdsTags(m.Labels()), more...)
	}
	const none, waits, usable = "none", "waits", "usable"
	got := func(states []driver.SavedState) string {
		switch {
		case len(states) == 0:
			return none
		case states[0].Complete:
			return usable
		}
		return waits
	}
	for name, tt := range map[string]struct {
		change func(*types.DBInstanceAutomatedBackup)
		want   string
	}{
		"retained":                    {func(*types.DBInstanceAutomatedBackup) {}, usable},
		"retained, with its mark":     {func(b *types.DBInstanceAutomatedBackup) { b.TagList = tags("shop", "orders") }, usable},
		"with the mark of another":    {func(b *types.DBInstanceAutomatedBackup) { b.TagList = tags("shop", "others") }, none},
		"of another instance":         {func(b *types.DBInstanceAutomatedBackup) { b.DbiResourceId = new("db-2") }, none},
		"never complete":              {func(b *types.DBInstanceAutomatedBackup) { b.RestoreWindow = nil }, none},
		"without a latest time":       {func(b *types.DBInstanceAutomatedBackup) { b.RestoreWindow = &types.RestoreWindow{} }, none},
		"not retained yet":            {func(b *types.DBInstanceAutomatedBackup) { b.Status = new("active") }, waits},
		"of an instance in its birth": {func(b *types.DBInstanceAutomatedBackup) { b.Status = new("creating") }, none},
	} {
		b := types.DBInstanceAutomatedBackup{DbiResourceId: new("db-1"), DBInstanceIdentifier: new("shop-orders"), Status: new("retained"), RestoreWindow: &types.RestoreWindow{LatestTime: &at}}
		tt.change(&b)
		states := statesOfBackups(req, []types.DBInstanceAutomatedBackup{b})
		if is := got(states); is != tt.want || is == usable && !states[0].From.Time.Equal(at) {
			t.Errorf("backups %s: %s, want %s", name, is, tt.want)
		}
	}
	for name, tt := range map[string]struct {
		change func(*types.DBSnapshot)
		want   string
	}{
		"a manual one":                  {func(*types.DBSnapshot) {}, usable},
		"an automated one":              {func(s *types.DBSnapshot) { s.SnapshotType = new("automated") }, usable},
		"with the mark of the instance": {func(s *types.DBSnapshot) { s.TagList = tags("shop", "orders") }, usable},
		"of an object of the namespace": {func(s *types.DBSnapshot) {
			s.TagList = tags("shop", "nightly", types.Tag{Key: new(ofSnapshot), Value: new("DatabaseSnapshot")})
		}, usable},
		"of an object of another": {func(s *types.DBSnapshot) {
			s.TagList = tags("bank", "nightly", types.Tag{Key: new(ofSnapshot), Value: new("DatabaseSnapshot")})
		}, none},
		"with the mark of another":       {func(s *types.DBSnapshot) { s.TagList = tags("shop", "others") }, none},
		"of another instance":            {func(s *types.DBSnapshot) { s.DbiResourceId = new("db-2") }, none},
		"being taken":                    {func(s *types.DBSnapshot) { s.Status, s.OriginalSnapshotCreateTime = new("creating"), nil }, waits},
		"being taken, by somebody else":  {func(s *types.DBSnapshot) { s.Status, s.TagList = new("creating"), tags("bank", "others") }, none},
		"failed":                         {func(s *types.DBSnapshot) { s.Status = new("failed") }, none},
		"being deleted":                  {func(s *types.DBSnapshot) { s.Status = new("deleting") }, none},
		"a copy, of the time of the old": {func(s *types.DBSnapshot) { s.SnapshotCreateTime = new(at.Add(time.Hour)) }, usable},
	} {
		s := types.DBSnapshot{DbiResourceId: new("db-1"), DBInstanceIdentifier: new("shop-orders"), DBSnapshotIdentifier: new("nightly"), Status: new("available"), OriginalSnapshotCreateTime: &at}
		tt.change(&s)
		states := statesOfSnapshots(req, []types.DBSnapshot{s})
		if is := got(states); is != tt.want || is == usable && (!states[0].From.Time.Equal(at) || states[0].From.Snapshot != "nightly") {
			t.Errorf("a snapshot %s: %s, want %s", name, is, tt.want)
		}
	}
	if asked := []*int32{noLess(new(int32(20)), 50), noLess(new(int32(80)), 50), noLess(nil, 50)}; slices.Index(asked, nil) != 0 || *asked[1] != 80 || asked[2] != nil {
		t.Errorf("sizes are %v", asked)
	}
}
