package mem_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/portable"
)

func init() {
	trials = append(trials, func(cloud *mem.Cloud) drivertest.Trial { return databaseKind(cloud) })
}

func databaseKind(cloud *mem.Cloud) *drivertest.Kind[v1alpha1.DatabaseParameters] {
	edit := func(t testing.TB, name string, change func(*mem.Database)) {
		t.Helper()
		if !mem.Databases(cloud).Edit(account, name, change) {
			t.Fatalf("no database %q", name)
		}
	}
	fault := func(kind mem.FaultKind) func(testing.TB, string, string) func() {
		return func(_ testing.TB, name, field string) func() {
			return cloud.Fail(mem.Fault{Filter: mem.Filter{Name: name}, Kind: kind, Field: field, Code: driver.Denied})
		}
	}
	kind := &drivertest.Kind[v1alpha1.DatabaseParameters]{
		Name: "Database",
		Full: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{
				Location: new(region), Engine: new(v1alpha1.EnginePostgres), Version: new("16.3"),
				Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}, DatabaseName: new("orders"),
				Encryption: &v1alpha1.Encryption{Key: new("first")},
				Backup:     &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))},
				Network:    &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessAllowed), AllowedCIDRs: []string{"203.0.113.0/24", "198.51.100.7/32"}},
				Tags:       map[string]v1alpha1.TagValue{"team": "shop", "env": "test"},
				Parameters: map[string]v1alpha1.ParameterValue{"log_connections": "on", "work_mem": "4096"},
				AWS:        &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro"), AssociatedRoles: []v1alpha1.AssociatedRole{{FeatureName: "s3Import", RoleARN: "role-1"}}}, GCP: &v1alpha1.DatabaseGCP{Tier: new("db-f1-micro")}, PowerState: new(v1alpha1.PowerStateRunning),
			}
		},
		Minimal: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres), Version: new("16")}
		},
		RefusedPasswords: []string{strings.Repeat("x", 129)},
		Login:            driver.Login{Username: "boss", Password: canaryPassword},
		ManagedPassword:  true,
		Actions:          driver.Actions,
		Fields: []drivertest.Field{
			{Name: "location", To: "eu-west-1", Effect: driver.Impossible},
			{Name: "engine", To: "mysql", Effect: driver.Impossible},
			{Name: "version", To: "17.1", Effect: driver.Interrupts, Drift: "16.1", Same: []any{"16.4"}},
			{Name: "storage.sizeGiB", To: 100, Drift: 20, Same: []any{80}},
			{Name: "encryption.key", To: "other", Effect: driver.Impossible},
			{Name: "databaseName", To: "bills", Effect: driver.Impossible},
			{Name: "backup.retentionDays", To: 14, DriftEffect: driver.LosesBackups},
			{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}},
			{Name: "parameters", To: map[string]string{"work_mem": "8192", "jit": "off"}},
			{Name: "network.publicAccess", To: "Blocked", Safe: "Blocked"},
			{Name: "network.allowedCIDRs", To: []string{"198.51.100.0/24"}, Safe: []string{}},
			{Name: "aws.instanceClass", To: "db.m7g.large", Effect: driver.Restarts},
			{Name: "aws.associatedRoles", To: []v1alpha1.AssociatedRole{{FeatureName: "s3Import", RoleARN: "role-2"}}},
			{Name: "gcp.tier", To: "db-custom-2-7680", Effect: driver.Restarts},
			{Name: "powerState", To: "Stopped", Effect: driver.Interrupts, DriftEffect: driver.Online, Later: true, Alone: true},
		},
		Needed: []string{"engine", "version"},
		Reads:  1, MinimalReads: 1,
		HasID: true, Lists: true, Snapshots: true, Restores: true, Replicas: true,
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				edit(t, name, func(d *mem.Database) {
					if field == "powerState" {
						d.Stopped = value == "Stopped"
						return
					}
					drivertest.SetField(t, &d.Spec, field, value)
				})
			},
			Labels: func(t testing.TB, name string) (labels map[string]string) {
				edit(t, name, func(d *mem.Database) { labels = maps.Clone(d.Labels) })
				return labels
			},
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				edit(t, name, func(d *mem.Database) { d.Labels = maps.Clone(labels) })
			},
			Entries: map[string]drivertest.Entries{"parameters": {
				Of: func(t testing.TB, name string) (parameters map[string]string) {
					edit(t, name, func(d *mem.Database) { parameters = portable.WantedParameters(&d.Spec) })
					return parameters
				},
				Set: func(t testing.TB, name string, parameters map[string]string) {
					edit(t, name, func(d *mem.Database) {
						d.Spec.Parameters = map[string]v1alpha1.ParameterValue{}
						for name, value := range parameters {
							d.Spec.Parameters[name] = v1alpha1.ParameterValue(value)
						}
					})
				},
				Other: "deadlock_timeout", Theirs: "100", Ours: "200", Spoiled: "spoiled",
				Exact: "parametersMode", ExactMode: "Exact",
				Same: map[string]string{"log_connections": "1", "work_mem": "4096.0", "deadlock_timeout": "7"},
			}},
			Remove: func(_ testing.TB, name string) { mem.Databases(cloud).Remove(account, name) },
			Stop:   func(t testing.TB, name string) { edit(t, name, func(d *mem.Database) { d.Stopped = true }) },
			Password: func(t testing.TB, name string) (p string) {
				edit(t, name, func(d *mem.Database) { p = d.Password })
				return p
			},
			Support: func(t testing.TB, name string) (s driver.Support) {
				s = driver.Support{
					Version: "16", StandardUntil: time.Date(2029, 2, 28, 23, 59, 59, 0, time.UTC), ExtendedUntil: time.Date(2032, 2, 29, 23, 59, 59, 0, time.UTC),
					CertificateExpires: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC),
				}
				edit(t, name, func(d *mem.Database) { d.Support = s })
				return s
			},
			Hide:   fault(mem.Unreadable),
			Refuse: fault(mem.FieldRefused),
		},
	}
	return kind.PlainFields("parametersMode")
}
