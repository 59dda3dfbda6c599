package sql

import (
	"maps"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/table"
)

// conversions put parameters into a part of the settings.
var conversions = map[string]func(*instanceParams, *sqladmin.DatabaseInstance){
	"KmsKeyName": setDiskKey, "DataCacheEnabled": setDataCache,
	"SslMode": setSSLMode, "Zone": setZone, "SecondaryZone": setSecondaryZone, "Ipv4Enabled": setPublicAddress, "PrivateNetwork": setPrivateNetwork,
	"AllocatedIpRange": setRange, "ServerCaMode": setAuthority,
}

// insertion and patch are how parameters come into the two calls: into the instance itself, or into its settings.
var (
	insertion = table.Copier[instanceParams, sqladmin.DatabaseInstance]{
		Call: "instances.insert", Inner: "Settings",
		Lacks:    map[string]string{"Database": "databases.insert makes it once the instance runs", "ActivationPolicy": "a new server runs"},
		Converts: conversions,
		ByHand: map[string]string{
			"Engine":                    "it is a part of databaseVersion",
			"Version":                   "it is a part of databaseVersion",
			"BackupStartTime":           "it is a part of backupConfiguration",
			"PointInTimeRecovery":       "it is a part of backupConfiguration",
			"MaxDiskSizeGb":             "whether the disk grows depends on its size too",
			"MaintenanceDay":            "it is a part of maintenanceWindow",
			"MaintenanceTime":           "it is a part of maintenanceWindow",
			"MaintenanceTrack":          "it is a part of maintenanceWindow",
			"DenyStartDate":             denyByHand,
			"DenyEndDate":               denyByHand,
			"DenyTime":                  denyByHand,
			"RetainedBackups":           "what is kept of logs depends on the edition too",
			"UserLabels":                "a new instance has none to remove",
			"QueryInsightsEnabled":      insightsByHand,
			"QueryStringLength":         insightsByHand,
			"QueryPlansPerMinute":       insightsByHand,
			"RecordApplicationTags":     insightsByHand,
			"RecordClientAddress":       insightsByHand,
			"PasswordChangeInterval":    policyByHand,
			"DisallowUsernameSubstring": policyByHand,
			"ReuseInterval":             policyByHand,
			"Complexity":                policyByHand,
			"MinLength":                 policyByHand,
			"EnablePasswordPolicy":      policyByHand,
			"IAMAuthentication":         "it is one of the flags",
			"DatabaseFlags":             "a new instance has none to keep",
			"AuthorizedNetworks":        "entries that stay are sent as they are",
			"ConnectionPoolingEnabled":  poolByHand,
			"ConnectionPoolFlags":       poolByHand,
			"PscEnabled":                pscByHand,
			"AllowedConsumerProjects":   pscByHand,
			"PscAutoConnections":        pscByHand,
			"NetworkAttachmentUri":      pscByHand,
		},
	}
	patch = table.Copier[instanceParams, sqladmin.DatabaseInstance]{
		Call: "instances.patch", Inner: "Settings",
		Lacks: map[string]string{
			"Region":       "an instance keeps its region",
			"Engine":       "an instance keeps its engine",
			"DataDiskType": "an instance keeps its disk",
			"KmsKeyName":   "an instance keeps its key",
			"ServerCaMode": "an instance keeps its certificate authority",
			"Database":     "databases.insert makes it",
			"PscEnabled":   "an instance keeps whether it has a service attachment",

			"ConnectionPoolingEnabled": "Cloud SQL takes the connection pool in a call of its own",
			"ConnectionPoolFlags":      "Cloud SQL takes the connection pool in a call of its own",
		},
		Converts: conversions,
		ByHand: map[string]string{
			"Version":                   "databaseVersion names the engine too, which the instance has",
			"BackupStartTime":           "it is a part of backupConfiguration",
			"PointInTimeRecovery":       "it is a part of backupConfiguration",
			"MaxDiskSizeGb":             "whether the disk grows depends on its size too",
			"MaintenanceDay":            "it is a part of maintenanceWindow",
			"MaintenanceTime":           "it is a part of maintenanceWindow",
			"MaintenanceTrack":          "it is a part of maintenanceWindow",
			"DenyStartDate":             denyByHand,
			"DenyEndDate":               denyByHand,
			"DenyTime":                  denyByHand,
			"RetainedBackups":           "what is kept of logs depends on the edition and on what is there",
			"UserLabels":                "labels that stay are sent too",
			"QueryInsightsEnabled":      insightsByHand,
			"QueryStringLength":         insightsByHand,
			"QueryPlansPerMinute":       insightsByHand,
			"RecordApplicationTags":     insightsByHand,
			"RecordClientAddress":       insightsByHand,
			"PasswordChangeInterval":    policyByHand,
			"DisallowUsernameSubstring": policyByHand,
			"ReuseInterval":             policyByHand,
			"Complexity":                policyByHand,
			"MinLength":                 policyByHand,
			"EnablePasswordPolicy":      policyByHand,
			"IAMAuthentication":         "it is one of the flags",
			"DatabaseFlags":             "flags that stay are sent too",
			"AuthorizedNetworks":        "entries that stay are sent as they are",
			"AllowedConsumerProjects":   pscByHand,
			"PscAutoConnections":        pscByHand,
			"NetworkAttachmentUri":      pscByHand,
		},
	}
)

// versionOfNew is the version of a new instance, in Cloud SQL's words.
func (p *instanceParams) versionOfNew() (string, error) {
	version := defaultVersions[p.Engine]
	if p.Version != nil {
		version = *p.Version
	}
	return versionName(p.Engine, version)
}

// forCreate makes the parameters of a creation.
func (p *instanceParams) forCreate(name, password string) (*sqladmin.DatabaseInstance, error) {
	databaseVersion, err := p.versionOfNew()
	if err != nil {
		return nil, err
	}
	p.addIAM(p.Engine)
	body := &sqladmin.DatabaseInstance{Name: name, DatabaseVersion: databaseVersion, RootPassword: password, Settings: &sqladmin.Settings{
		// With no network said, Cloud SQL gives a public address and takes logins without TLS. Here a server with a private network or a
		// service attachment has that alone, and logins need TLS, unless the spec says otherwise. This is asked for at creation only: what exists is left as it is.
		// https://cloud.google.com/sql/docs/postgres/configure-ssl-instance#enforcing-ssl
		IpConfiguration: &sqladmin.IpConfiguration{
			Ipv4Enabled: p.PrivateNetwork == nil && (p.PscEnabled == nil || !*p.PscEnabled), SslMode: encryptedOnly, ForceSendFields: []string{"Ipv4Enabled"},
		},
		UserLabels:    p.UserLabels.Set,
		DatabaseFlags: flagsOf(p.DatabaseFlags.Set),
	}}
	insertion.Copy(p, body)
	none := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{}}
	body.Settings.InsightsConfig, body.Settings.PasswordValidationPolicy = p.insightsConfig(none), p.policyConfig(none)
	body.Settings.ConnectionPoolConfig = p.poolConfig(none)
	body.Settings.IpConfiguration.PscConfig = p.pscConfig(none)
	p.allow(body, &sqladmin.DatabaseInstance{})
	p.limitGrowth(body.Settings, leastDisk)
	body.Settings.Edition = p.editionAfter(&instance{DatabaseInstance: body})
	body.Settings.BackupConfiguration = backupsOfNew(p.RetainedBackups, body.Settings.Edition)
	body.Settings.BackupConfiguration = p.recovery(body.Settings, body.Settings.BackupConfiguration, p.Engine)
	body.Settings.BackupConfiguration = withStartTime(body.Settings.BackupConfiguration, p.BackupStartTime)
	if err := p.deny(body.Settings, none); err != nil {
		return nil, err
	}
	body.Settings.MaintenanceWindow, err = p.maintenanceWindow(none)
	return body, err
}

// forPatch makes the parameters of a patch of what is there. Its settingsVersion makes the patch fail if somebody else changed the
// settings since.
func (p *instanceParams) forPatch(have *instance) (*sqladmin.DatabaseInstance, error) {
	body := &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{SettingsVersion: have.settings().SettingsVersion}}
	p.fitEdition(have)
	patch.Copy(p, body)
	p.allow(body, have.DatabaseInstance)
	if p.Version != nil {
		version, err := versionName(have.engine(), *p.Version)
		if err != nil {
			return nil, err
		}
		body.DatabaseVersion = version
	}
	p.leaveRange(body, have)
	if c := p.pscConfig(have); c != nil {
		ipConfigurationOf(body).PscConfig = c
	}
	s, edition := body.Settings, p.editionAfter(have)
	keepApart(s, have)
	s.InsightsConfig, s.PasswordValidationPolicy = p.insightsConfig(have), p.policyConfig(have)
	p.limitGrowth(s, have.settings().DataDiskSizeGb)
	if p.Tier != nil && edition != have.settings().Edition {
		s.Edition = edition
	}
	s.BackupConfiguration = backupsOfChanged(have, p.RetainedBackups, edition)
	s.BackupConfiguration = p.recovery(s, s.BackupConfiguration, have.engine())
	fewerLogs(s.BackupConfiguration, have)
	s.BackupConfiguration = withStartTime(s.BackupConfiguration, p.BackupStartTime)
	if following(have) != nil {
		s.BackupConfiguration = nil // two zones are no reason for backups of a replica
	}
	if err := p.deny(s, have); err != nil {
		return nil, err
	}
	window, err := p.maintenanceWindow(have)
	if err != nil {
		return nil, err
	}
	s.MaintenanceWindow = window
	p.addIAM(have.engine())
	p.changeFlags(s, have)
	if len(p.UserLabels.Set) == 0 && len(p.UserLabels.Remove) == 0 {
		return body, nil
	}
	// Every label is sent, and null for each that is to go: right whether the patch merges labels or
	// replaces them, of which the reference says nothing.
	s.UserLabels = map[string]string{}
	maps.Copy(s.UserLabels, have.labels())
	maps.Copy(s.UserLabels, p.UserLabels.Set)
	for _, k := range p.UserLabels.Remove {
		if _, has := have.labels()[k]; has {
			delete(s.UserLabels, k)
			s.NullFields = append(s.NullFields, "UserLabels."+k)
		}
	}
	return body, nil
}
