package gcp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

func init() {
	trials = append(trials, func(c *cloud) drivertest.Trial { return databaseKind(c) })
}

// databaseFields are the fields as they are tried here: Cloud SQL's list of flags is read before a change is observed.
func databaseFields() []drivertest.Field {
	fields := fieldedit.GCPDatabase(location).Fields
	for i := range fields {
		if fields[i].Name == "iamAuthentication" {
			fields[i].Effect, fields[i].DriftEffect = driver.Online, driver.Interrupts
		}
	}
	return fields
}

func databaseKind(c *cloud) *drivertest.Kind[v1alpha1.DatabaseParameters] {
	return &drivertest.Kind[v1alpha1.DatabaseParameters]{
		Name:         "Database",
		RefusedNames: []string{strings.Repeat("a", 98-len(project)), "1orders", "orders-", "shop_orders", "shop.orders"},
		OddNames:     []string{"o", "shop--orders", strings.Repeat("a", 97-len(project))},
		Full:         fieldedit.GCPDatabase(location).Full,
		Minimal: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EngineMySQL), GCP: &v1alpha1.DatabaseGCP{Tier: new("db-custom-N4-2-7680")}} // with the disk of Full
		},
		Primary: func() v1alpha1.DatabaseParameters {
			full := fieldedit.GCPDatabase(location).Full()
			full.GCP.ConnectorEnforcement = new("NOT_REQUIRED")
			return full
		},
		Login:  driver.Login{Password: "Canary-7f3a"},
		Fields: databaseFields(),
		Reads:  1, MinimalReads: 1,
		HasID: true, Needed: []string{"engine", "gcp.tier"},
		Lists: true, Snapshots: true, Restores: true, PointInTime: true, Copies: true, Replicas: true, Actions: []driver.Action{driver.Restart, driver.Failover},
		Cloud: drivertest.Backdoor{
			Edit:    c.editInstance,
			Support: c.support,
			Labels:  func(t testing.TB, name string) map[string]string { return c.instance(t, name).Settings.UserLabels },
			Relabel: c.relabelInstance,
			Entries: map[string]drivertest.Entries{"parameters": {
				Of:  func(t testing.TB, name string) map[string]string { return flagsOf(c.instance(t, name)) },
				Set: c.setFlags, Other: "max_connections", Theirs: "100", Ours: "200", Spoiled: "300",
				Exact: "parametersMode", ExactMode: "Exact", Same: map[string]string{"max_worker_processes": "08", "work_mem": "4096", "max_connections": "70"},
			}, "gcp.connectionPool.flags": {
				Of:  func(t testing.TB, name string) map[string]string { return poolFlagsOf(c.instance(t, name)) },
				Set: c.setPoolFlags, Other: "query_wait_timeout", Theirs: "100", Ours: "200", Spoiled: "7",
				Same: map[string]string{"max_pool_size": "050", "min_pool_size": "05", "query_wait_timeout": "70"},
			}},
			Remove: func(t testing.TB, name string) {
				op, err := c.sql.Instances.Delete(project, name).Do()
				if err != nil {
					t.Fatal(err)
				}
				c.end(t, op)
			},
			Hide: func(_ testing.TB, _, f string) func() {
				return c.denied(map[string]string{"databaseName": "databases.get"}[f], "")
			},
			Refuse: func(_ testing.TB, _, f string) func() { return c.denied("instances.patch", patched[f]) },
			Stop: func(t testing.TB, name string) {
				c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ActivationPolicy: "NEVER"}})
			},
		},
	}
}

// patched are parameters of instances.patch, by the fields that they are sent for alone.
var patched = map[string]string{
	"storage.sizeGiB": "dataDiskSizeGb", "availability": "availabilityType", "parameters": "databaseFlags",
	"network.allowedCIDRs": "authorizedNetworks", "deletionProtection": "deletionProtectionEnabled", "tags": "userLabels", "gcp.maintenanceTrack": "updateTrack",
	"gcp.connectorEnforcement": "connectorEnforcement", "gcp.sslMode": "sslMode", "gcp.retainBackupsOnDelete": "retainBackupsOnDelete",
	"gcp.insights.queryStringLength": "queryStringLength", "gcp.passwordValidationPolicy.minLength": "minLength", "gcp.denyMaintenancePeriod.endDate": "denyMaintenancePeriods",
}

func (c *cloud) editInstance(t testing.TB, name, field string, value any) {
	t.Helper()
	settings := &sqladmin.Settings{}
	switch field {
	case "network.publicAccess":
		settings.IpConfiguration = &sqladmin.IpConfiguration{Ipv4Enabled: value == "Allowed", ForceSendFields: []string{"Ipv4Enabled"}}
	case "network.allowedCIDRs":
		settings.IpConfiguration = &sqladmin.IpConfiguration{AuthorizedNetworks: []*sqladmin.AclEntry{}}
		for _, network := range value.([]string) {
			settings.IpConfiguration.AuthorizedNetworks = append(settings.IpConfiguration.AuthorizedNetworks, &sqladmin.AclEntry{Value: network})
		}
	case "gcp.privateNetwork":
		settings.IpConfiguration = &sqladmin.IpConfiguration{PrivateNetwork: value.(string)}
	case "insights":
		settings.InsightsConfig = &sqladmin.InsightsConfig{QueryInsightsEnabled: value.(bool), ForceSendFields: []string{"QueryInsightsEnabled"}}
	case "gcp.insights.queryStringLength":
		settings.InsightsConfig = &sqladmin.InsightsConfig{QueryStringLength: int64(value.(int))}
	case "gcp.insights.queryPlansPerMinute":
		settings.InsightsConfig = &sqladmin.InsightsConfig{QueryPlansPerMinute: int64(value.(int)), ForceSendFields: []string{"QueryPlansPerMinute"}}
	case "gcp.insights.recordApplicationTags":
		settings.InsightsConfig = &sqladmin.InsightsConfig{RecordApplicationTags: value.(bool), ForceSendFields: []string{"RecordApplicationTags"}}
	case "gcp.insights.recordClientAddress":
		settings.InsightsConfig = &sqladmin.InsightsConfig{RecordClientAddress: value.(bool), ForceSendFields: []string{"RecordClientAddress"}}
	case "iamAuthentication":
		flags := flagsOf(c.instance(t, name))
		engine, _, _ := strings.Cut(c.instance(t, name).DatabaseVersion, "_")
		flags[iamFlags[v1alpha1.Engine(strings.ToLower(engine))]] = map[any]string{true: "on", false: "off"}[value]
		c.setFlags(t, name, flags)
		return
	case "availability":
		settings.AvailabilityType = map[any]string{"SingleZone": "ZONAL", "MultiZone": "REGIONAL"}[value]
		mysql := strings.HasPrefix(c.instance(t, name).DatabaseVersion, "MYSQL")
		settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, BinaryLogEnabled: mysql, PointInTimeRecoveryEnabled: !mysql}
	case "storage.sizeGiB":
		settings.DataDiskSizeGb = int64(value.(int))
	case "backup.retentionDays":
		settings.BackupConfiguration = &sqladmin.BackupConfiguration{
			Enabled: true, BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: int64(value.(int))},
		}
	case "backup.pointInTimeRecovery":
		settings.BackupConfiguration = &sqladmin.BackupConfiguration{PointInTimeRecoveryEnabled: value.(bool), ForceSendFields: []string{"PointInTimeRecoveryEnabled"}}
	case "storage.maxSizeGiB":
		settings.StorageAutoResize, settings.StorageAutoResizeLimit = new(true), int64(value.(int))
	case "backup.startTime":
		settings.BackupConfiguration = &sqladmin.BackupConfiguration{StartTime: value.(string)}
	case "maintenance.window.day":
		settings.MaintenanceWindow = &sqladmin.MaintenanceWindow{Day: map[any]int64{"Monday": 1, "Sunday": 7}[value]}
	case "maintenance.window.startTime":
		hour, err := time.Parse("15:04", value.(string))
		if err != nil {
			t.Fatal(err)
		}
		settings.MaintenanceWindow = &sqladmin.MaintenanceWindow{Hour: int64(hour.Hour()), ForceSendFields: []string{"Hour"}}
	case "powerState":
		settings.ActivationPolicy = map[any]string{"Running": "ALWAYS", "Stopped": "NEVER"}[value]
	case "deletionProtection":
		settings.DeletionProtectionEnabled = value.(bool)
		settings.ForceSendFields = []string{"DeletionProtectionEnabled"}
	case "gcp.tier":
		settings.Tier = value.(string)
	case "gcp.iops":
		settings.DataDiskProvisionedIops = int64(value.(int))
	case "gcp.throughputMiBps":
		settings.DataDiskProvisionedThroughput = int64(value.(int))
	case "gcp.dataCache":
		settings.DataCacheConfig = &sqladmin.DataCacheConfig{DataCacheEnabled: value.(bool), ForceSendFields: []string{"DataCacheEnabled"}}
	case "gcp.pscConfig.allowedConsumerProjects", "gcp.pscConfig.autoConnectionNetworks", "gcp.pscConfig.networkAttachmentURI":
		settings.IpConfiguration = &sqladmin.IpConfiguration{PscConfig: connected(c.instance(t, name), strings.TrimPrefix(field, "gcp.pscConfig."), value)}
	case "gcp.connectionPool.enabled":
		settings.ConnectionPoolConfig = &sqladmin.ConnectionPoolConfig{ConnectionPoolingEnabled: value.(bool), ForceSendFields: []string{"ConnectionPoolingEnabled"}}
	case "gcp.maintenanceTrack":
		settings.MaintenanceWindow = &sqladmin.MaintenanceWindow{UpdateTrack: value.(string)}
	case "gcp.denyMaintenancePeriod.startDate", "gcp.denyMaintenancePeriod.endDate", "gcp.denyMaintenancePeriod.time":
		settings.DenyMaintenancePeriods = []*sqladmin.DenyMaintenancePeriod{denied(c.instance(t, name), strings.TrimPrefix(field, "gcp.denyMaintenancePeriod."), value.(string))}
	case "gcp.passwordValidationPolicy.enabled":
		settings.PasswordValidationPolicy = &sqladmin.PasswordValidationPolicy{EnablePasswordPolicy: value.(bool), ForceSendFields: []string{"EnablePasswordPolicy"}}
	case "gcp.passwordValidationPolicy.minLength":
		settings.PasswordValidationPolicy = &sqladmin.PasswordValidationPolicy{MinLength: int64(value.(int)), ForceSendFields: []string{"MinLength"}}
	case "gcp.passwordValidationPolicy.complexity":
		settings.PasswordValidationPolicy = &sqladmin.PasswordValidationPolicy{Complexity: value.(string)}
	case "gcp.passwordValidationPolicy.reuseInterval":
		settings.PasswordValidationPolicy = &sqladmin.PasswordValidationPolicy{ReuseInterval: int64(value.(int)), ForceSendFields: []string{"ReuseInterval"}}
	case "gcp.passwordValidationPolicy.disallowUsernameSubstring":
		settings.PasswordValidationPolicy = &sqladmin.PasswordValidationPolicy{DisallowUsernameSubstring: value.(bool), ForceSendFields: []string{"DisallowUsernameSubstring"}}
	case "gcp.passwordValidationPolicy.passwordChangeIntervalSeconds":
		if strings.HasPrefix(c.instance(t, name).DatabaseVersion, "MYSQL") {
			value = 0 // there is none
		}
		settings.PasswordValidationPolicy = &sqladmin.PasswordValidationPolicy{PasswordChangeInterval: fmt.Sprintf("%ds", value)}
	case "gcp.zone":
		settings.LocationPreference = &sqladmin.LocationPreference{Zone: value.(string)}
		if now := c.instance(t, name).Settings.LocationPreference; value == now.SecondaryZone {
			settings.LocationPreference.SecondaryZone = now.Zone // as after a failover
		}
	case "gcp.secondaryZone":
		settings.LocationPreference = &sqladmin.LocationPreference{SecondaryZone: value.(string)}
		if now := c.instance(t, name).Settings.LocationPreference; value == now.Zone {
			settings.LocationPreference.Zone = now.SecondaryZone
		}
	case "gcp.retainBackupsOnDelete":
		settings.RetainBackupsOnDelete = value.(bool)
		settings.ForceSendFields = []string{"RetainBackupsOnDelete"}
	case "tls", "gcp.sslMode":
		mode := value.(string)
		if as, ok := map[any]string{"Required": tlsAndCertificate, "Optional": "ALLOW_UNENCRYPTED_AND_ENCRYPTED"}[value]; ok {
			mode = as
		}
		settings.IpConfiguration = &sqladmin.IpConfiguration{SslMode: mode, RequireSsl: mode == tlsAndCertificate, ForceSendFields: []string{"RequireSsl"}}
	case "gcp.connectorEnforcement":
		settings.ConnectorEnforcement = value.(string)
	default:
		t.Fatalf("no way to edit %s", field)
	}
	c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: settings})
}

// denied returns the period without maintenance updates of an instance, or any one if it has none, with another value of a part.
func denied(in *sqladmin.DatabaseInstance, part, value string) *sqladmin.DenyMaintenancePeriod {
	period := sqladmin.DenyMaintenancePeriod{StartDate: "11-20", EndDate: "01-05", Time: "00:00:00"}
	if all := in.Settings.DenyMaintenancePeriods; len(all) > 0 {
		period = *all[0]
	}
	switch part {
	case "startDate":
		period.StartDate = value
	case "endDate":
		period.EndDate = value
	default:
		period.Time = value + ":00"
	}
	return &period
}

// connected returns Private Service Connect of an instance with another value of a part.
func connected(in *sqladmin.DatabaseInstance, part string, value any) *sqladmin.PscConfig {
	psc := sqladmin.PscConfig{}
	if there := in.Settings.IpConfiguration.PscConfig; there != nil {
		psc = *there
	}
	switch part {
	case "allowedConsumerProjects":
		psc.AllowedConsumerProjects = value.([]string)
	case "autoConnectionNetworks":
		psc.PscAutoConnections = nil
		for _, network := range value.([]string) {
			psc.PscAutoConnections = append(psc.PscAutoConnections, &sqladmin.PscAutoConnectionConfig{ConsumerNetwork: network})
		}
	default:
		psc.NetworkAttachmentUri = value.(string)
	}
	return &psc
}

func flagsOf(in *sqladmin.DatabaseInstance) map[string]string {
	flags := map[string]string{}
	for _, f := range in.Settings.DatabaseFlags {
		flags[f.Name] = f.Value
	}
	return flags
}

func (c *cloud) setFlags(t testing.TB, name string, flags map[string]string) {
	t.Helper()
	settings := &sqladmin.Settings{DatabaseFlags: []*sqladmin.DatabaseFlags{}, ForceSendFields: []string{"DatabaseFlags"}}
	for name, value := range flags {
		settings.DatabaseFlags = append(settings.DatabaseFlags, &sqladmin.DatabaseFlags{Name: name, Value: value})
	}
	c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: settings})
}

func poolFlagsOf(in *sqladmin.DatabaseInstance) map[string]string {
	flags := map[string]string{}
	if pool := in.Settings.ConnectionPoolConfig; pool != nil {
		for _, f := range pool.Flags {
			flags[f.Name] = f.Value
		}
	}
	return flags
}

// setPoolFlags replaces the flags of connection pools. Nobody can where the pools are off.
func (c *cloud) setPoolFlags(t testing.TB, name string, flags map[string]string) {
	t.Helper()
	if pool := c.instance(t, name).Settings.ConnectionPoolConfig; pool == nil || !pool.ConnectionPoolingEnabled {
		return
	}
	pool := &sqladmin.ConnectionPoolConfig{ConnectionPoolingEnabled: true, Flags: []*sqladmin.ConnectionPoolFlags{}, ForceSendFields: []string{"Flags"}}
	for name, value := range flags {
		pool.Flags = append(pool.Flags, &sqladmin.ConnectionPoolFlags{Name: name, Value: value})
	}
	c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ConnectionPoolConfig: pool}})
}

// support returns what Cloud SQL says of the support of an instance: the end of its authority, and nothing of its version.
func (c *cloud) support(t testing.TB, name string) driver.Support {
	t.Helper()
	end, err := time.Parse(time.RFC3339Nano, c.instance(t, name).ServerCaCert.ExpirationTime)
	if err != nil {
		t.Fatal(err)
	}
	return driver.Support{CertificateExpires: end}
}

func (c *cloud) relabelInstance(t testing.TB, name string, labels map[string]string) {
	t.Helper()
	settings := &sqladmin.Settings{UserLabels: labels}
	for k := range c.instance(t, name).Settings.UserLabels {
		if _, stays := labels[k]; !stays {
			settings.NullFields = append(settings.NullFields, "UserLabels."+k)
		}
	}
	c.patchInstance(t, name, &sqladmin.DatabaseInstance{Settings: settings})
}
