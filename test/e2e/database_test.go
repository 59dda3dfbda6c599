package e2e

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/test/system"
)

// database returns a Database on a cloud.
func (w *fixture) database(c *system.Cloud, name string, parameters v1alpha1.DatabaseParameters) *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: w.Meta(name)}
	d.Spec.ProviderConfigRef, d.Spec.DatabaseParameters = c.Ref(), parameters
	d.Spec.DeletionPolicy = v1alpha1.DeletionDelete
	return d
}

type databaseChange struct {
	field  string
	only   string // the cloud that has the field; empty for both
	edit   func(*v1alpha1.DatabaseSpec)
	mirror map[string]string
	write  string // of AWS; Cloud SQL patches
	then   string // the call that follows, if one does
	first  string // of Cloud SQL: the call that comes first, if one does
	drift  func(*fixture, *system.Cloud, string)
	// tolerated: the drift is none.
	tolerated bool
	// drifts is the call that makes the drift in each cloud, if it is not the one that edits the field.
	drifts map[string]string
}

func same(s string) map[string]string { return map[string]string{"aws": s, "gcp": s} }

// policyChange is a change of one rule of a password policy.
func policyChange(rule, value string, edit func(*v1alpha1.PasswordValidationPolicy)) databaseChange {
	return databaseChange{
		field: "gcp.passwordValidationPolicy." + rule, only: "gcp", mirror: same(value),
		edit: func(s *v1alpha1.DatabaseSpec) { edit(s.GCP.PasswordValidationPolicy) },
	}
}

// awsRoles are the roles of the account in AWS.
const awsRoles = "arn:aws:iam::" + system.AWSAccount + ":role/"

var databaseChanges = []databaseChange{
	{
		field:  "backup.retentionDays",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Backup.RetentionDays = new(int32(3)) },
		mirror: same("3"), write: "ModifyDBInstance",
		drift: func(w *fixture, c *system.Cloud, name string) { c.Databases().SetRetention(w.T, name, 1) },
	},
	{
		field:  "backup.startTime",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Backup.StartTime = new("01:30") },
		mirror: same(`"01:30"`), write: "ModifyDBInstance",
		drift: func(w *fixture, c *system.Cloud, name string) { c.Databases().SetBackupStart(w.T, name, "22:00") },
	},
	{
		field:  "maintenance.window.day",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Maintenance.Window.Day = new(v1alpha1.Tuesday) },
		mirror: same(`"Tuesday"`), write: "ModifyDBInstance",
	},
	{
		field:  "maintenance.window.startTime",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Maintenance.Window.StartTime = new("00:00") },
		mirror: same(`"00:00"`), write: "ModifyDBInstance",
		drift: func(w *fixture, c *system.Cloud, name string) { c.Databases().SetMaintenance(w.T, name, 5, 7) },
	},
	{ // RDS has it as long as it keeps backups
		field: "backup.pointInTimeRecovery", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Backup.PointInTimeRecovery = new(true) },
		mirror: same("true"),
	},
	{
		field: "maintenance.minorUpgrades", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Maintenance.MinorUpgrades = new(v1alpha1.MinorUpgradesManual) },
		mirror: same(`"Manual"`), write: "ModifyDBInstance",
	},
	{
		field:  "tags",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Tags = map[string]v1alpha1.TagValue{"team": "b", "cost": "1"} },
		mirror: same(`{"cost":"1","team":"b"}`), write: "AddTagsToResource",
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Databases().Tag(w.T, name, map[string]string{"team": "z"})
		},
	},
	{ // labels of Google Cloud can't hold that
		field: "tags", only: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.Tags = map[string]v1alpha1.TagValue{"team": "b", "cost": "1", "CostCenter": "Team Shop"}
		},
		mirror: same(`{"CostCenter":"Team Shop","cost":"1","team":"b"}`), write: "AddTagsToResource",
	},
	{
		field:  "storage.sizeGiB",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Storage.SizeGiB = new(int32(30)) },
		mirror: same("30"), write: "ModifyDBInstance",
		drift:     func(w *fixture, c *system.Cloud, name string) { c.Databases().SetStorage(w.T, name, 50) },
		tolerated: true,
	},
	{
		field:  "storage.maxSizeGiB",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Storage.MaxSizeGiB = new(int32(2000)) },
		mirror: same("2000"), write: "ModifyDBInstance",
	},
	{
		field: "network.publicAccess",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.Network = &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessAllowed)}
		},
		mirror: same(`"Allowed"`), write: "ModifyDBInstance",
		drift: func(w *fixture, c *system.Cloud, name string) { c.Databases().SetPublicAccess(w.T, name, false) },
	},
	{
		field: "network.allowedCIDRs", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Network.AllowedCIDRs = []string{"203.0.113.9/24"} },
		mirror: same(`["203.0.113.0/24"]`),
	},
	{
		field: "gcp.privateNetwork", only: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.GCP.PrivateNetwork = new("projects/network-host/global/networks/pay")
		},
		mirror: same(`"projects/network-host/global/networks/pay"`),
	},
	{
		field: "aws.vpcSecurityGroupIDs", only: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.AWS.VPCSecurityGroupIDs = []string{"sg-0b1b2c3d4e5f60720", "sg-0b1b2c3d4e5f60719"}
		},
		mirror: same(`["sg-0b1b2c3d4e5f60719","sg-0b1b2c3d4e5f60720"]`), write: "ModifyDBInstance",
	},
	{ // to another VPC, and to security groups there; a server in two zones does not move
		field: "aws.dbSubnetGroupName", only: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.AWS.DBSubnetGroupName, s.AWS.VPCSecurityGroupIDs = new("pay"), []string{"sg-0c1b2c3d4e5f60719"}
		},
		mirror: same(`"pay"`), write: "ModifyDBInstance",
	},
	{
		field: "aws.port", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.Port = new(int32(6543)) },
		mirror: same("6543"), write: "ModifyDBInstance",
	},
	{
		field: "aws.networkType", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.NetworkType = new("DUAL") },
		mirror: same(`"DUAL"`), write: "ModifyDBInstance",
	},
	{
		field:  "availability",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Availability = new(v1alpha1.AvailabilityMultiZone) },
		mirror: same(`"MultiZone"`), write: "ModifyDBInstance",
		drift:     func(w *fixture, c *system.Cloud, name string) { c.Databases().FailOver(w.T, name) },
		tolerated: true, drifts: map[string]string{"aws": "RebootDBInstance", "gcp": "instances.failover"},
	},
	{ // it is attached, and the server restarts for it
		field: "aws.dbParameterGroupName", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.DBParameterGroupName = new("older") },
		mirror: same(`"older"`), write: "ModifyDBInstance", then: "RebootDBInstance",
	},
	{ // in AWS together with the parameter group, which is of a version
		field: "version",
		edit: func(s *v1alpha1.DatabaseSpec) {
			if s.Version = new("16"); s.AWS != nil {
				s.AWS.DBParameterGroupName = new("default.postgres16")
			}
		},
		mirror: map[string]string{"aws": `"16.10"`, "gcp": `"16.4"`}, write: "ModifyDBInstance", first: "instances.preCheckMajorVersionUpgrade",
	},
	{
		field: "aws.instanceClass", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.InstanceClass = new("db.t4g.small") },
		mirror: same(`"db.t4g.small"`), write: "ModifyDBInstance",
	},
	{
		field: "aws.copyTagsToSnapshot", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.CopyTagsToSnapshot = new(false) },
		mirror: same("false"), write: "ModifyDBInstance",
	},
	{
		field: "aws.caCertificateIdentifier", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.CACertificateIdentifier = new("rds-ca-rsa4096-g1") },
		mirror: same(`"rds-ca-rsa4096-g1"`), write: "ModifyDBInstance",
	},
	{
		field: "aws.cloudwatchLogsExports", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.CloudwatchLogsExports = []string{"upgrade", "postgresql"} },
		mirror: same(`["postgresql","upgrade"]`), write: "ModifyDBInstance",
	},
	{
		field: "aws.associatedRoles", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.AssociatedRoles = roles("s3Import", "shop-imports") },
		mirror: same(`[{"featureName":"s3Import","roleARN":"` + awsRoles + `shop-imports"}]`), write: "AddRoleToDBInstance",
	},
	{
		field: "aws.engineLifecycleSupport", only: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.AWS.EngineLifecycleSupport = new("open-source-rds-extended-support-disabled")
		},
		mirror: same(`"open-source-rds-extended-support-disabled"`), write: "ModifyDBInstance",
	},
	{
		field: "aws.iops", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Storage.SizeGiB, s.AWS.IOPS = new(int32(400)), new(int32(13000)) },
		mirror: same("13000"), write: "ModifyDBInstance",
	},
	{
		field: "aws.throughputMiBps", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.ThroughputMiBps = new(int32(600)) },
		mirror: same("600"), write: "ModifyDBInstance",
	},
	{
		field: "aws.storageType", only: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.AWS.StorageType, s.AWS.IOPS, s.AWS.ThroughputMiBps = new("gp2"), nil, nil
		},
		mirror: same(`"gp2"`), write: "ModifyDBInstance",
	},
	{
		field: "gcp.tier", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.Tier = new("db-g1-small") },
		mirror: same(`"db-g1-small"`), write: "ModifyDBInstance",
	},
	{
		field: "gcp.edition", only: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.GCP.Edition, s.GCP.Tier = new("ENTERPRISE_PLUS"), new("db-perf-optimized-N-2")
		},
		mirror: same(`"ENTERPRISE_PLUS"`),
	},
	{
		field: "gcp.dataCache", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.DataCache = new(false) },
		mirror: same("false"),
	},
	{
		field: "gcp.maintenanceTrack", only: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.GCP.MaintenanceTrack = new("week5")
			s.Maintenance = &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Saturday), StartTime: new("04:00")}}
		},
		mirror: same(`"week5"`),
	},
	{
		field: "gcp.denyMaintenancePeriod.startDate", only: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.GCP.DenyMaintenancePeriod = &v1alpha1.DenyMaintenancePeriod{StartDate: new("11-20"), EndDate: new("01-05")}
		},
		mirror: same(`"11-20"`),
	},
	{
		field: "gcp.denyMaintenancePeriod.endDate", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.DenyMaintenancePeriod.EndDate = new("01-09") },
		mirror: same(`"01-09"`),
	},
	{
		field: "gcp.denyMaintenancePeriod.time", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.DenyMaintenancePeriod.Time = new("06:30") },
		mirror: same(`"06:30"`),
	},
	{
		field: "gcp.passwordValidationPolicy.enabled", only: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.GCP.PasswordValidationPolicy = &v1alpha1.PasswordValidationPolicy{Enabled: new(true), MinLength: new(int32(12)), Complexity: new("COMPLEXITY_DEFAULT"),
				ReuseInterval: new(int32(2)), DisallowUsernameSubstring: new(true), PasswordChangeIntervalSeconds: new(int32(0))}
		},
		mirror: same("true"),
	},
	policyChange("minLength", "16", func(p *v1alpha1.PasswordValidationPolicy) { p.MinLength = new(int32(16)) }),
	policyChange("complexity", `"COMPLEXITY_UNSPECIFIED"`, func(p *v1alpha1.PasswordValidationPolicy) { p.Complexity = new("COMPLEXITY_UNSPECIFIED") }),
	policyChange("reuseInterval", "3", func(p *v1alpha1.PasswordValidationPolicy) { p.ReuseInterval = new(int32(3)) }),
	policyChange("disallowUsernameSubstring", "false", func(p *v1alpha1.PasswordValidationPolicy) { p.DisallowUsernameSubstring = new(false) }),
	policyChange("passwordChangeIntervalSeconds", "1", func(p *v1alpha1.PasswordValidationPolicy) { p.PasswordChangeIntervalSeconds = new(int32(1)) }),
	{
		field: "parameters", only: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.Parameters = map[string]v1alpha1.ParameterValue{"log_connections": "on", "work_mem": "8192"}
		},
		mirror: same(`{"log_connections":"on","work_mem":"8192"}`),
	},
	{
		field: "gcp.connectorEnforcement", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.ConnectorEnforcement = new("REQUIRED") },
		mirror: same(`"REQUIRED"`),
	},
	{
		field: "gcp.retainBackupsOnDelete", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.RetainBackupsOnDelete = new(true) },
		mirror: same("true"),
	},
	{
		field: "gcp.zone", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.Zone = new(*s.Location + "-c") },
		mirror: same(`"` + system.GCPRegion + `-c"`),
	},
	{
		field: "gcp.secondaryZone", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.SecondaryZone = new(*s.Location + "-b") },
		mirror: same(`"` + system.GCPRegion + `-b"`),
	},
	{
		field: "tls", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.TLS = new(v1alpha1.TLSOptional) },
		mirror: same(`"Optional"`),
	},
	{
		field: "gcp.sslMode", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.TLS, s.GCP.SSLMode = nil, new("TRUSTED_CLIENT_CERTIFICATE_REQUIRED") },
		mirror: same(`"TRUSTED_CLIENT_CERTIFICATE_REQUIRED"`),
	},
	{
		field:  "insights",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.Insights = new(true) },
		mirror: same("true"), write: "ModifyDBInstance",
	},
	{
		field: "aws.performanceInsights.retentionDays", only: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.AWS.PerformanceInsights = &v1alpha1.PerformanceInsights{RetentionDays: new(int32(465))}
		},
		mirror: same("465"), write: "ModifyDBInstance",
	},
	{
		field: "aws.databaseInsightsMode", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.DatabaseInsightsMode = new("advanced") },
		mirror: same(`"advanced"`), write: "ModifyDBInstance",
	},
	{
		field: "aws.monitoring.intervalSeconds", only: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.AWS.Monitoring = &v1alpha1.EnhancedMonitoring{IntervalSeconds: new(int32(60)), RoleARN: new(awsRoles + "rds-monitoring-role")}
		},
		mirror: same("60"), write: "ModifyDBInstance",
	},
	{
		field: "aws.monitoring.roleARN", only: "aws",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.AWS.Monitoring.RoleARN = new(awsRoles + "shop-monitoring") },
		mirror: same(`"` + awsRoles + `shop-monitoring"`), write: "ModifyDBInstance",
	},
	{
		field: "gcp.insights.queryStringLength", only: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.GCP.Insights = &v1alpha1.QueryInsights{QueryStringLength: new(int32(2048))}
		},
		mirror: same("2048"),
	},
	{
		field: "gcp.insights.queryPlansPerMinute", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.Insights.QueryPlansPerMinute = new(int32(10)) },
		mirror: same("10"),
	},
	{
		field: "gcp.insights.recordApplicationTags", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.Insights.RecordApplicationTags = new(true) },
		mirror: same("true"),
	},
	{
		field: "gcp.insights.recordClientAddress", only: "gcp",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.GCP.Insights.RecordClientAddress = new(true) },
		mirror: same("true"),
	},
	{
		field:  "iamAuthentication",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.IAMAuthentication = new(true) },
		mirror: same("true"), write: "ModifyDBInstance",
	},
	{
		field:  "deletionProtection",
		edit:   func(s *v1alpha1.DatabaseSpec) { s.DeletionProtection = new(false) },
		mirror: same("false"), write: "ModifyDBInstance",
		drift: func(w *fixture, c *system.Cloud, name string) { c.Databases().SetProtection(w.T, name, true) },
	},
}

func TestEveryFieldOfADatabaseIsTested(t *testing.T) {
	fixed := []string{"location", "engine", "databaseName", "encryption.key", "gcp.dataDiskType", "gcp.serverCAMode", "aws.availabilityZone", "aws.performanceInsights.key", "parametersMode"} // the mode is no field of a server: see drivertest
	// Another disk comes first, which changes once in six hours: see TestDedicatedLogVolume of the driver.
	fixed = append(fixed, "aws.dedicatedLogVolume")
	fixed = append(fixed, "gcp.allocatedIPRange")                                   // it changes with the network only: TestRangeGoesWithTheNetwork of the driver
	fixed = append(fixed, "gcp.iops", "gcp.throughputMiBps")                        // of another disk than the server of all edits has: TestHyperdisk
	fixed = append(fixed, driver.FieldPowerState)                                   // TestPowerState
	fixed = append(fixed, "gcp.connectionPool.enabled", "gcp.connectionPool.flags") // of Enterprise Plus: TestConnectionPool
	fixed = append(fixed, "aws.optionGroupName")                                    // of other engines than the server of all edits has: TestOptionGroup
	// TestPrivateServiceConnect
	fixed = append(fixed, "gcp.pscConfig.enabled", "gcp.pscConfig.allowedConsumerProjects", "gcp.pscConfig.autoConnectionNetworks", "gcp.pscConfig.networkAttachmentURI")
	for _, leaf := range fieldpath.Leaves(reflect.TypeFor[v1alpha1.DatabaseParameters]()) {
		tested := slices.ContainsFunc(databaseChanges, func(c databaseChange) bool { return c.field == leaf })
		if !tested && !slices.Contains(fixed, leaf) {
			t.Errorf("no change of %s is tested", leaf)
		}
	}
}

func (c databaseChange) writes(cloud *system.Cloud) string {
	if cloud.Name == "gcp" {
		return "instances.patch"
	}
	return c.write
}

// calls returns the calls of the edit, in their order.
func (c databaseChange) calls(cloud *system.Cloud) []string {
	first := ""
	if cloud.Name == "gcp" {
		first = c.first
	}
	return slices.DeleteFunc([]string{first, c.writes(cloud), c.then}, func(call string) bool { return call == "" })
}

func TestDatabaseLife(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		full := system.FullDatabase(c)
		if c.Name == "aws" { // alone it asks for nothing
			full.AWS.Monitoring = &v1alpha1.EnhancedMonitoring{RoleARN: new(awsRoles + "rds-monitoring-role")}
		}
		if c.Name == "aws" { // the class opens what the spec names
			full.AWS.AssociatedRoles = roles("s3Import", "shop-imports")
		}
		d := throughOpenClass(w, c, w.database(c, "orders", full))
		if c.Name == "aws" {
			d.Spec.AWS.AssociatedRoles = nil
		}
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.run("create", func(w *fixture) {
			want := map[string][]string{"aws": {"CreateDBInstance"}, "gcp": {"instances.insert", "databases.insert"}}[c.Name]
			w.equal("writes", c.Writes(name), want)
			w.equal("transitions", w.Transitions("Database", d.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})
		})
		for _, change := range databaseChanges {
			if change.only != "" && change.only != c.Name || !w.changes(change.field) {
				continue
			}
			w.run("edit "+change.field, func(w *fixture) {
				mark := len(c.Writes(name))
				since := edit(w, d, func(d *v1alpha1.Database) { change.edit(&d.Spec) })
				w.mirrors(d, change.field, change.mirror[c.Name])
				if change.then != "" {
					w.ready(d)
				}
				w.expectWrites(c, name, mark, change.calls(c)...)
				w.expectEditTransitions(d, since)
			})
			if change.drift == nil {
				continue
			}
			w.run("drift of "+change.field, func(w *fixture) { testDrift(w, change, c, d, name) })
		}
		w.run("drift of what nobody declared", func(w *fixture) {
			edit(w, d, func(d *v1alpha1.Database) {
				d.Spec.Backup, d.Spec.Tags, d.Spec.DeletionProtection = nil, nil, nil
				if d.Spec.AWS != nil { // the default group changes with the version
					d.Spec.AWS.DBParameterGroupName = nil
				}
			})
			w.ready(d)
			w.Disturb()
			c.Databases().SetRetention(w.T, name, 6)
			c.Databases().Tag(w.T, name, map[string]string{"theirs": "1"})
			mark := len(c.Writes(name))
			w.observedAgain(c, name, 1)
			w.expectWrites(c, name, mark)
			w.equal("tags of others", c.Databases().Tags(w.T, name)["theirs"], "1")
			w.ready(d)
		})
		w.run("edit of what can't change", func(w *fixture) { testDatabaseImmutable(w, d) })
		w.run("drift of what can't be taken back", func(w *fixture) {
			w.Disturb()
			c.Databases().SetVersion(w.T, name, "17")
			mark := len(c.Writes(name))
			w.stalled(d, v1alpha1.ReasonImmutable, "version can't change from", `to "16"`)
			w.expectWrites(c, name, mark)
			edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = new("17") })
			w.ready(d)
			w.expectWrites(c, name, mark)
		})
		w.run("delete", func(w *fixture) {
			w.delete(d)
			w.awaitDeleted(d)
			if c.Databases().Tags(w.T, name) != nil {
				w.Error("the instance is still there")
			}
		})
	})
}

// expectEditTransitions checks what an edit looks like from outside, whether or not the cloud was seen at work on it.
func (w *fixture) expectEditTransitions(d *v1alpha1.Database, since int) {
	w.Helper()
	got := slices.DeleteFunc(w.Transitions("Database", d.Name, since), func(s string) bool { return s == "InProgress CloudBusy" })
	// A change of several calls, such as one that ends in a restart, is several updates with a busy cloud between.
	w.equal("transitions", slices.Compact(got), []string{"InProgress Ready", "InProgress Updating", "Current Ready"})
}

func testDrift(w *fixture, change databaseChange, c *system.Cloud, d *v1alpha1.Database, name string) {
	mark, since := len(c.Writes(name)), len(w.States("Database", d.Name, 0))
	w.Disturb()
	change.drift(w, c, name)
	if change.tolerated {
		w.observedAgain(c, name, 1)
		w.expectWrites(c, name, mark, cmp.Or(change.drifts[c.Name], change.writes(c)))
		w.ready(d)
		return
	}
	w.Eventually("the drift is put right", func() bool { return len(c.Writes(name)) > mark+1 })
	w.observedAgain(c, name, 2)
	w.mirrors(d, change.field, change.mirror[c.Name])
	w.expectWrites(c, name, mark, change.writes(c), change.writes(c))
	for _, s := range w.States("Database", d.Name, since) {
		if !s.Is(v1alpha1.ConditionReady, yes) || !s.Is(v1alpha1.ConditionAvailable, yes) {
			w.Errorf("drift took Ready or Available away:\n    %v", s)
		}
	}
}

func testDatabaseImmutable(w *fixture, d *v1alpha1.Database) {
	for why, change := range map[string]func(*v1alpha1.Database){
		"spec.location can't change":             func(d *v1alpha1.Database) { d.Spec.Location = new("eu-west-1") },
		"spec.externalName can't change":         func(d *v1alpha1.Database) { d.Spec.ExternalName = "another" },
		"spec.engine can't change":               func(d *v1alpha1.Database) { d.Spec.Engine = new(v1alpha1.EngineMySQL) },
		"spec.databaseName can't change":         func(d *v1alpha1.Database) { d.Spec.DatabaseName = new("another") },
		"spec.credentials.username can't change": func(d *v1alpha1.Database) { d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: new("me")} },
	} {
		refused(w, d, why, change)
	}
}
