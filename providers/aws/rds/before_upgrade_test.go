package rds_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// RDS takes no snapshot of a server without automated backups before it gets another major version: the changes that are sent together then need one first, and no others. An edit is previewed so.
func TestBackupFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		days, to int32
		version  string
		beside   bool
		want     []string
	}{
		"without backups":                    {0, 0, "17", false, []string{"version", "parameters"}},
		"without backups, by another server": {0, 0, "17", true, nil},
		"with backups":                       {7, 7, "17", false, nil},
		"with backups that end":              {7, 0, "17", false, []string{"version", "parameters"}},
		"with backups that begin":            {0, 7, "17", false, []string{"version", "parameters"}},
		"without backups, minor version":     {0, 0, "16.9", false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.Backup.RetentionDays = &tt.days })
			w.createDatabase(&req)
			before := *req.Spec.DeepCopy()
			req.Spec.Backup.RetentionDays = &tt.to
			req.Spec.Version, req.Spec.Parameters, req.Spec.Tags, req.Beside = &tt.version, map[string]v1alpha1.ParameterValue{"work_mem": "8192"}, map[string]v1alpha1.TagValue{"team": "bank"}, tt.beside
			first := func(changes []driver.Change) (names []string) {
				for _, c := range changes {
					if c.BackupFirst {
						names = append(names, c.Field)
					}
				}
				slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) })
				return names
			}
			if got := first(w.database(req).Changes); !slices.Equal(got, tt.want) {
				t.Errorf("a backup comes before the changes of %q, want %q", got, tt.want)
			}
			if tt.beside {
				return
			}
			from, _ := json.Marshal(before)
			to, _ := json.Marshal(req.Spec)
			previewed, err := aws.New(aws.Options{}).Preview("Database", from, to, nil)
			if got := first(previewed); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("previewed are %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// A replica can be made anew, so nothing comes before its upgrade. RDS upgrades one of MySQL alone, and before its primary.
func TestNoBackupBeforeTheUpgradeOfAReplica(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	mysql := func(p *v1alpha1.DatabaseParameters) { p.Engine, p.Version = new(v1alpha1.EngineMySQL), new("8.0") }
	primary := awstest.DatabaseOf("shop-orders", mysql)
	w.createDatabase(&primary)
	req := follower("shop-reports", primary, func(p *v1alpha1.DatabaseParameters) { mysql(p); p.Backup.RetentionDays = new(int32(0)) })
	w.replicate(&req)
	req.Spec.Version = new("8.4")
	changes := w.database(req).Changes
	if days := w.instance(req.Name).BackupRetentionPeriod; days == nil || *days != 0 || !slices.Contains(driver.Names(changes), "version") {
		t.Fatalf("the replica has backups, or is not upgraded: %+v", changes)
	}
	for _, c := range changes {
		if c.BackupFirst {
			t.Errorf("a backup comes before %+v", c)
		}
	}
}
