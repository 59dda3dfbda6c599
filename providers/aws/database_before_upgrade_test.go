package aws_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// RDS takes no snapshot of a server without automated backups before it gets another major version: one of ours is there before the upgrade begins, and stays. One is taken, whatever answer was lost.
func TestSnapshotBeforeAMajorUpgrade(t *testing.T) {
	for name, tt := range map[string]struct {
		days    int32
		version string
		lost    bool
		taken   int
	}{
		"without backups":                {0, "17", false, 1},
		"and the answer is lost":         {0, "17", true, 1},
		"with backups":                   {7, "17", false, 0},
		"without backups, minor version": {0, "16.9", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := databaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.Backup.RetentionDays = &tt.days })
			w.createDatabase(&req)
			if tt.lost {
				w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "CreateDBSnapshot"}, Kind: localcloud.ResponseLost, Times: 1})
			}
			req.Spec.Version = &tt.version
			changes := w.database(req).Changes
			if _, err := w.attempts(&req, changes...); err != nil {
				t.Fatal(err)
			}
			if waits := tt.taken > 0; waits {
				result, err := w.attempts(&req, changes...)
				if err != nil || len(result.Failed) != 1 || result.Failed[0].Err.Code != driver.Busy || !strings.Contains(result.Failed[0].Err.Message, "first") || w.asked("ModifyDBInstance") != 0 {
					t.Errorf("while it is taken: %+v, %v, by the calls %v", result, err, w.operations())
				}
				if seen := w.database(req); seen.State != driver.Pending || !seen.Available {
					t.Errorf("while it is taken: %+v", seen)
				}
				w.clock.Advance(time.Hour)
				w.updateDatabase(req, w.database(req).Changes...)
			}
			w.clock.Advance(time.Hour)
			if got := *w.instance(req.Name).EngineVersion; !strings.HasPrefix(got, tt.version) {
				t.Errorf("it has version %s", got)
			}
			taken := do(t, w.rds.DescribeDBSnapshots, &rds.DescribeDBSnapshotsInput{SnapshotType: new("manual")}).DBSnapshots
			if len(taken) != tt.taken || tt.taken > 0 && *taken[0].EngineVersion != "16.4" || w.asked("CreateDBSnapshot") != tt.taken {
				t.Errorf("the snapshots are %+v, by the calls %v", taken, w.operations())
			}
		})
	}
}

// A snapshot that is still being taken on a later day is the one, whatever RDS calls its state: no other is begun each day.
func TestOneSnapshotBeforeAnUpgradeHoweverLongItTakes(t *testing.T) {
	takes := slow
	takes.Snapshot = 80 * time.Hour
	w := newEnvironment(t, localcloud.Options{Durations: takes})
	req := databaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.Backup.RetentionDays = new(int32(0)) })
	w.createDatabase(&req)
	req.Spec.Version = new("17")
	changes := w.database(req).Changes
	for day := range 4 {
		result, err := w.attempts(&req, changes...)
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Err.Code != driver.Busy || w.asked("CreateDBSnapshot") != 1 {
			t.Fatalf("on day %d: %+v, %v, by the calls %v", day, result, err, w.operations())
		}
		w.clock.Advance(24 * time.Hour)
	}
}
