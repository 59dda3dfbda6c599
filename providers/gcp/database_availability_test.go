package gcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// engines are those that switch on point-in-time recovery in two ways.
var engines = []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMySQL}

// recovers reports whether an instance keeps backups and what it takes to restore them to any point in time.
func recovers(in *sqladmin.DatabaseInstance) bool {
	b := in.Settings.BackupConfiguration
	return b.Enabled && (b.PointInTimeRecoveryEnabled || b.BinaryLogEnabled)
}

func days(n int32) *v1alpha1.DatabaseBackup { return &v1alpha1.DatabaseBackup{RetentionDays: &n} }

// Cloud SQL refuses two zones without backups and point-in-time recovery, so they come with the second zone, and stay when it goes.
func TestTwoZonesSwitchBackupsOn(t *testing.T) {
	one, two := new(v1alpha1.AvailabilitySingleZone), new(v1alpha1.AvailabilityMultiZone)
	type step struct {
		availability *v1alpha1.Availability
		backup       *v1alpha1.DatabaseBackup
		tier         string
		want         string // the type, whether it can be recovered, and what is kept
	}
	for name, steps := range map[string][]step{
		"created in two zones":                 {{two, nil, enterpriseTier, "REGIONAL recovers ENTERPRISE enabled=true backups=7 logs=7"}},
		"created in two zones, with backups":   {{two, days(3), enterpriseTier, "REGIONAL recovers ENTERPRISE enabled=true backups=3 logs=3"}},
		"created in two zones, in Plus":        {{two, nil, plusTier, "REGIONAL recovers ENTERPRISE_PLUS enabled=true backups=15 logs=14"}},
		"created in one zone":                  {{one, nil, enterpriseTier, "ZONAL ENTERPRISE enabled=false backups=7 logs=7"}},
		"created in one zone, nothing is said": {{nil, nil, enterpriseTier, "ZONAL ENTERPRISE enabled=false backups=7 logs=7"}},
		"a second zone, and back": {
			{nil, nil, enterpriseTier, "ZONAL ENTERPRISE enabled=false backups=7 logs=7"},
			{two, nil, enterpriseTier, "REGIONAL recovers ENTERPRISE enabled=true backups=7 logs=7"},
			{one, nil, enterpriseTier, "ZONAL recovers ENTERPRISE enabled=true backups=7 logs=7"},
			{nil, nil, enterpriseTier, "ZONAL recovers ENTERPRISE enabled=true backups=7 logs=7"},
		},
		"released": {
			{two, nil, enterpriseTier, "REGIONAL recovers ENTERPRISE enabled=true backups=7 logs=7"},
			{nil, nil, enterpriseTier, "REGIONAL recovers ENTERPRISE enabled=true backups=7 logs=7"},
		},
		"together with the first backups": {
			{one, days(0), enterpriseTier, "ZONAL ENTERPRISE enabled=false backups=7 logs=7"},
			{two, days(4), enterpriseTier, "REGIONAL recovers ENTERPRISE enabled=true backups=4 logs=4"},
		},
		"back, and no backups any more, in one edit": {
			{two, days(4), enterpriseTier, "REGIONAL recovers ENTERPRISE enabled=true backups=4 logs=4"},
			{one, days(0), enterpriseTier, "ZONAL ENTERPRISE enabled=false backups=4 logs=4"},
		},
		"together with another edition": {
			{one, days(4), enterpriseTier, "ZONAL ENTERPRISE enabled=true backups=4 logs=4"},
			{two, days(4), plusTier, "REGIONAL recovers ENTERPRISE_PLUS enabled=true backups=4 logs=4"},
		},
	} {
		for _, engine := range engines {
			t.Run(name+" of "+string(engine), func(t *testing.T) {
				c := newCloud(t, localcloud.Durations{})
				req := newDatabase("zones", engine)
				x := drivertest.Databases(c.open(t))
				for i, step := range steps {
					req.Spec.Availability, req.Spec.Backup, req.Spec.GCP.Tier = step.availability, step.backup, &step.tier
					if i == 0 {
						x = c.made(t, &req)
					} else if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
						t.Fatalf("step %d: %v, failed %v", i, err, result.Failed)
					}
					c.settle(t)
					in := c.instance(t, req.Name)
					got := []string{in.Settings.AvailabilityType, logsOf(in)}
					if recovers(in) {
						got = slices.Insert(got, 1, "recovers")
					}
					if all := strings.Join(got, " "); all != step.want {
						t.Errorf("step %d: %s, want %s", i, all, step.want)
					}
					if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
						t.Errorf("step %d: still differs: %v", i, changes)
					}
				}
			})
		}
	}
}

// Two zones without backups are refused with the names of both fields, before Cloud SQL is asked. What else changes is changed.
func TestTwoZonesWithoutBackups(t *testing.T) {
	refusal := func(err error) bool {
		return driver.CodeOf(err) == driver.Invalid && strings.Contains(err.Error(), "spec.availability") && strings.Contains(err.Error(), "spec.backup.retentionDays")
	}
	c := newCloud(t, localcloud.Durations{})
	wanted := newDatabase("new", v1alpha1.EnginePostgres)
	wanted.Spec.Availability, wanted.Spec.Backup = new(v1alpha1.AvailabilityMultiZone), days(0)
	if _, err := drivertest.Databases(c.open(t)).Create(t.Context(), wanted); !refusal(err) {
		t.Errorf("create: %v", err)
	}
	if writes := c.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes}); len(writes) > 0 {
		t.Errorf("the refused creation made the calls %v", writes)
	}
	for name, before := range map[string]func(*v1alpha1.DatabaseParameters){
		"a second zone": func(p *v1alpha1.DatabaseParameters) { p.Backup = days(0) },
		"no backups":    func(p *v1alpha1.DatabaseParameters) { p.Availability = new(v1alpha1.AvailabilityMultiZone) },
		"both":          func(*v1alpha1.DatabaseParameters) {},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			req := newDatabase("zones", v1alpha1.EnginePostgres)
			before(&req.Spec)
			x := c.made(t, &req)
			req.Spec.Availability, req.Spec.Backup, req.Spec.DeletionProtection = new(v1alpha1.AvailabilityMultiZone), days(0), new(true)
			changes := c.look(t, x, &req).Changes
			result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes})
			if err != nil || len(result.Failed) == 0 || len(result.Failed) != len(changes)-1 {
				t.Fatalf("%v, failed %v, of the changes %v", err, result.Failed, driver.Names(changes))
			}
			for _, failed := range result.Failed {
				if failed.Field == "deletionProtection" || !refusal(failed.Err) {
					t.Errorf("%s failed: %v", failed.Field, failed.Err)
				}
			}
			c.settle(t)
			if !c.instance(t, req.Name).Settings.DeletionProtectionEnabled {
				t.Error("deletion protection is off: the refusal of other fields kept it away")
			}
		})
	}
}

// After a failover the server and its standby are in each other's zone, which is no drift of any zone that the spec names, and no change that
// is announced.
func TestFailoverIsNoDrift(t *testing.T) {
	for name, zones := range map[string]v1alpha1.DatabaseGCP{
		"no zone": {}, "the zone of the server": {Zone: new(location + "-b")}, "the zone of the standby": {SecondaryZone: new(location + "-c")},
		"both": {Zone: new(location + "-b"), SecondaryZone: new(location + "-c")},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			req := newDatabase("zones", v1alpha1.EnginePostgres)
			req.Spec.Availability, req.Spec.GCP.Zone, req.Spec.GCP.SecondaryZone = new(v1alpha1.AvailabilityMultiZone), zones.Zone, zones.SecondaryZone
			x := c.made(t, &req)
			before := c.instance(t, req.Name)
			op, err := c.sql.Instances.Failover(project, req.Name, &sqladmin.InstancesFailoverRequest{
				FailoverContext: &sqladmin.FailoverContext{SettingsVersion: before.Settings.SettingsVersion},
			}).Do()
			if err != nil {
				t.Fatal(err)
			}
			c.end(t, op)
			if after := c.instance(t, req.Name); after.GceZone != before.SecondaryGceZone || after.SecondaryGceZone != before.GceZone || after.GceZone == before.GceZone {
				t.Fatalf("the server went from %s to %s, its standby from %s to %s", before.GceZone, after.GceZone, before.SecondaryGceZone, after.SecondaryGceZone)
			}
			seen := c.look(t, x, &req)
			if seen.State != driver.Ready || len(seen.Changes) > 0 {
				t.Errorf("after a failover: %v, changes %v", seen.State, seen.Changes)
			}
			spec, err := json.Marshal(req.Spec)
			if err != nil {
				t.Fatal(err)
			}
			if changes, err := gcp.New(gcp.Options{}).Preview("Database", seen.Mirror, spec, seen.Applied); err != nil || len(changes) > 0 {
				t.Errorf("after a failover is announced: %v, %v", changes, err)
			}
		})
	}
}

// The zones of server and standby change in one write, wherever a failover has left the two.
func TestBothZonesChangeTogether(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("zones", v1alpha1.EnginePostgres)
	req.Spec.Availability, req.Spec.GCP.Zone, req.Spec.GCP.SecondaryZone = new(v1alpha1.AvailabilityMultiZone), new(location+"-b"), new(location+"-c")
	x := c.made(t, &req)
	c.editInstance(t, req.Name, "gcp.zone", location+"-c") // they change places
	for _, zones := range [][2]string{{"-b", "-d"}, {"-d", "-b"}, {"-f", "-b"}, {"-b", "-a"}} {
		req.Spec.GCP.Zone, req.Spec.GCP.SecondaryZone = new(location+zones[0]), new(location+zones[1])
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			if result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil || len(result.Failed) > 0 {
				t.Fatalf("to %v: %v, failed %v", zones, err, result.Failed)
			}
			c.settle(t)
		}
		if seen := c.look(t, x, &req); seen.State != driver.Ready || len(seen.Changes) > 0 {
			t.Errorf("in %v: %v, changes %v", zones, seen.State, seen.Changes)
		}
	}
}

// A zone for a standby is refused where there is to be none, with the names of both fields.
func TestZoneOfNoStandby(t *testing.T) {
	refusal := func(err error) bool {
		return driver.CodeOf(err) == driver.Invalid && strings.Contains(err.Error(), "spec.availability") && strings.Contains(err.Error(), "spec.gcp.secondaryZone")
	}
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("zones", v1alpha1.EnginePostgres)
	req.Spec.GCP.SecondaryZone = new(location + "-c")
	if _, err := drivertest.Databases(c.open(t)).Create(t.Context(), req); !refusal(err) {
		t.Errorf("create: %v", err)
	}
	req.Spec.Availability = new(v1alpha1.AvailabilityMultiZone)
	x := c.made(t, &req)
	req.Spec.Availability = new(v1alpha1.AvailabilitySingleZone)
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	if err != nil || len(result.Failed) != 1 || !refusal(result.Failed[0].Err) {
		t.Errorf("one zone: %v, failed %v", err, result.Failed)
	}
	req.Spec.Availability = nil // unmanaged, and there are two zones
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("unset: changes %v", changes)
	}
}

// What others chose to keep is kept when a second zone switches recovery on.
func TestSecondZoneKeepsRetentionOfOthers(t *testing.T) {
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			req := newDatabase("zones", engine)
			x := c.made(t, &req)
			c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{
				Enabled: true, TransactionLogRetentionDays: 2, BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: 5},
			}}})
			req.Spec.Availability = new(v1alpha1.AvailabilityMultiZone)
			if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
				t.Fatalf("%v, failed %v", err, result.Failed)
			}
			c.settle(t)
			if in := c.instance(t, req.Name); !recovers(in) || logsOf(in) != "ENTERPRISE enabled=true backups=5 logs=2" {
				t.Errorf("recovers %t, %s, want the 5 backups and 2 days of logs that were chosen", recovers(in), logsOf(in))
			}
		})
	}
}

// Without its standby the server goes where the spec wants it, which the zone of the standby was before, in the one change that was announced.
func TestServerGoesWhereItIsWantedWithTheChangeThatTakesItsStandby(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("zones", v1alpha1.EnginePostgres)
	req.Spec.Availability, req.Spec.GCP.Zone = new(v1alpha1.AvailabilityMultiZone), new(location+"-b")
	x := c.made(t, &req)
	op, err := c.sql.Instances.Patch(project, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{
		LocationPreference: &sqladmin.LocationPreference{SecondaryZone: location + "-c"},
	}}).Do()
	if err != nil {
		t.Fatal(err)
	}
	c.end(t, op)
	req.Spec.GCP.Zone = new(location + "-c")
	if seen := c.look(t, x, &req); len(seen.Changes) > 0 {
		t.Fatalf("in the zone of the standby: changes %v", seen.Changes)
	}
	req.Spec.Availability = new(v1alpha1.AvailabilitySingleZone)
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
		t.Fatalf("%v, failed %v", err, result.Failed)
	}
	c.settle(t)
	if in := c.instance(t, req.Name); in.GceZone != location+"-c" || in.Settings.LocationPreference.SecondaryZone != "" {
		t.Errorf("the server is in %s and prefers %+v", in.GceZone, in.Settings.LocationPreference)
	}
	if seen := c.look(t, x, &req); len(seen.Changes) > 0 {
		t.Errorf("still differs, and would restart again: %v", seen.Changes)
	}
}

// The zone of a standby that the cloud may not make is named beside that: it counted as made with each update.
func TestZoneOfARefusedStandbyIsNamed(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("alone", v1alpha1.EnginePostgres)
	req.Spec.Availability = new(v1alpha1.AvailabilitySingleZone)
	x := c.made(t, &req)
	req.Spec.Availability, req.Spec.GCP.SecondaryZone = new(v1alpha1.AvailabilityMultiZone), new(location+"-c")
	req.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}
	said := c.refusals(t, x, &req)
	for field, says := range map[string]string{
		"availability":      "set spec.backup.retentionDays to 1 or more",
		"gcp.secondaryZone": "waits for spec.availability",
	} {
		if !strings.Contains(said[field], says) {
			t.Errorf("of %s it says %q, want %q", field, said[field], says)
		}
	}
}

// refusals makes all changes, and returns what is said of those that fail.
func (c *cloud) refusals(t *testing.T, x table.External[v1alpha1.DatabaseParameters], req *databaseRequest) map[string]string {
	t.Helper()
	result, err := x.Update(t.Context(), *req, driver.Edit{Changes: c.look(t, x, req).Changes})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, f := range result.Failed {
		said[f.Field] = f.Err.Error()
	}
	return said
}
