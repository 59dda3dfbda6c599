package sql

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// sqlVersions are the database versions on offer, in the order in which one can be upgraded to another.
var sqlVersions = map[string][]string{
	"POSTGRES": {"POSTGRES_9_6", "POSTGRES_10", "POSTGRES_11", "POSTGRES_12", "POSTGRES_13", "POSTGRES_14", "POSTGRES_15", "POSTGRES_16", "POSTGRES_17", "POSTGRES_18"},
	"MYSQL":    {"MYSQL_5_7", "MYSQL_8_0", "MYSQL_8_4"},
}

// sqlPlusByDefault are the versions that get ENTERPRISE_PLUS unless an edition is asked for.
var sqlPlusByDefault = []string{"POSTGRES_16", "POSTGRES_17", "POSTGRES_18", "MYSQL_8_4"}

// sqlUpdateTracks are when an update of maintenance comes.
var sqlUpdateTracks = []string{"", "canary", "stable", "week5"}

// sqlNeverPlus are the versions that are too old for ENTERPRISE_PLUS.
var sqlNeverPlus = []string{"POSTGRES_9_6", "POSTGRES_10", "POSTGRES_11", "MYSQL_5_7"}

var (
	sqlCustomTiers = regexp.MustCompile(`^db-custom-(?:N4-)?([0-9]+)-([0-9]+)$`)
	sqlPlusTiers   = regexp.MustCompile(`^db-(perf-optimized-N-(2|4|8|16|32|48|64|80|96|128)|c4a-highmem-(1|4|8|16|32|48|64|72))$`)
	sqlLegacyTiers = regexp.MustCompile(`^db-n1-(standard|highmem)-[0-9]+$`)
	sqlSharedTiers = []string{"db-f1-micro", "db-g1-small"}
	sqlStartTimes  = regexp.MustCompile(`^([01]?[0-9]|2[0-3]):([0-5][0-9])$`)
)

func sqlFamily(version string) string {
	family, _, _ := strings.Cut(version, "_")
	return family
}

// settleInstance turns what was asked for into what will be: it fills in defaults, and refuses what
// can't be. old is the instance as it was, nil for a new one.
func settleInstance(resource, old google.Object) error {
	version, _ := resource["databaseVersion"].(string)
	if version == "" {
		version = "MYSQL_8_0"
		resource["databaseVersion"] = version
	}
	if !slices.Contains(sqlVersions[sqlFamily(version)], version) {
		return sqlInvalid("Invalid value for database version: " + version)
	}
	if resource["region"] == nil {
		resource["region"] = "us-central1"
	}
	settleSettings(resource, version, old == nil && resource["masterInstanceName"] == nil)
	if err := settleZone(resource, old); err != nil {
		return err
	}
	now := google.Typed[sqladmin.DatabaseInstance](resource)
	if !slices.Contains(google.Regions, now.Region) {
		return sqlInvalid("Invalid value for region: " + now.Region)
	}
	if now.DiskEncryptionConfiguration != nil {
		key := google.KMSKeyNames.FindStringSubmatch(now.DiskEncryptionConfiguration.KmsKeyName)
		if key == nil || key[1] != now.Region {
			return sqlInvalid("Invalid KMS key name, or its location differs from the instance's: " + now.DiskEncryptionConfiguration.KmsKeyName)
		}
	}
	var before *sqladmin.DatabaseInstance
	if old != nil {
		before = google.Typed[sqladmin.DatabaseInstance](old)
		if err := validChange(before, now); err != nil {
			return err
		}
	}
	if err := validNetwork(now, before); err != nil {
		return err
	}
	if err := validDenies(now, before); err != nil {
		return err
	}
	return validSettings(now)
}

// settleSettings fills in what Cloud SQL chooses where nothing was asked for.
func settleSettings(resource google.Object, version string, created bool) {
	settings := google.Member(resource, "settings")
	edition := "ENTERPRISE"
	if slices.Contains(sqlPlusByDefault, version) {
		edition = "ENTERPRISE_PLUS"
	}
	google.Defaults(settings, google.Object{
		"kind": "sql#settings", "edition": edition, "activationPolicy": "ALWAYS", "availabilityType": "ZONAL",
		"pricingPlan": "PER_USE", "replicationType": "SYNCHRONOUS", "dataDiskSizeGb": "10",
		"storageAutoResize": true, "storageAutoResizeLimit": "0", "deletionProtectionEnabled": false,
		"connectorEnforcement": "NOT_REQUIRED", "authorizedGaeApplications": []any{},
	})
	delete(settings, "settingsVersion")
	if settings["dataDiskSizeGb"] == "0" {
		settings["dataDiskSizeGb"] = "10"
	}
	settleDisk(settings)
	google.Defaults(google.Member(settings, "locationPreference"), google.Object{"kind": "sql#locationPreference"})
	settleInsights(settings)
	settleDeny(settings)
	settleDataCache(settings)
	settlePool(settings)
	settleTLS(google.Member(settings, "ipConfiguration"))
	settleNetworks(google.Member(settings, "ipConfiguration"))
	settlePSC(google.Member(settings, "ipConfiguration"))
	google.Defaults(google.Member(settings, "ipConfiguration"), google.Object{
		"ipv4Enabled": true, "requireSsl": false, "sslMode": "ALLOW_UNENCRYPTED_AND_ENCRYPTED",
		"authorizedNetworks": []any{},
	})
	backup := google.Member(settings, "backupConfiguration")
	settleBackups(backup, settings["edition"], version, created)
	if start, ok := backup["startTime"].(string); ok && len(start) == 4 {
		backup["startTime"] = "0" + start
	}
	for _, k := range []string{"userLabels", "databaseFlags"} {
		if google.Empty(settings[k]) {
			delete(settings, k)
		}
	}
}

// validChange refuses what can't be changed in place.
func validChange(old, now *sqladmin.DatabaseInstance) error {
	versions := sqlVersions[sqlFamily(old.DatabaseVersion)]
	switch {
	case old.Name != now.Name:
		return sqlInvalid("The name of an instance can't be changed.")
	case old.Region != now.Region:
		return sqlInvalid("The region of an instance can't be changed.")
	case !reflect.DeepEqual(old.DiskEncryptionConfiguration, now.DiskEncryptionConfiguration):
		return sqlInvalid("The disk encryption of an instance can't be changed.")
	case old.InstanceType != now.InstanceType:
		return sqlInvalid("The type of an instance can't be changed.")
	case old.MasterInstanceName != now.MasterInstanceName:
		return sqlInvalid("The primary of an instance can't be changed. Promote a read replica to make it an instance of its own.")
	case old.Settings.DataDiskType != now.Settings.DataDiskType:
		return sqlInvalid("The disk type of an instance can't be changed.")
	case now.Settings.DataDiskSizeGb < old.Settings.DataDiskSizeGb:
		return sqlInvalid(fmt.Sprintf("Disk size can't be reduced. Current size: %d GB, requested: %d GB.", old.Settings.DataDiskSizeGb, now.Settings.DataDiskSizeGb))
	case slices.Index(versions, now.DatabaseVersion) < slices.Index(versions, old.DatabaseVersion):
		return sqlInvalid("Can't upgrade from " + old.DatabaseVersion + " to " + now.DatabaseVersion + ".")
	}
	return nil
}

// validSettings holds settings to their rules.
func validSettings(in *sqladmin.DatabaseInstance) error {
	s := in.Settings
	if err := validTier(in); err != nil {
		return err
	}
	if err := google.ValidLabels(s.UserLabels); err != nil {
		return err
	}
	largest := int64(65536)
	if slices.Contains(sqlSharedTiers, s.Tier) {
		largest = 3054
	}
	for _, choice := range []struct {
		name, value string
		values      []string
	}{
		{"activationPolicy", s.ActivationPolicy, []string{"ALWAYS", "NEVER"}},
		{"availabilityType", s.AvailabilityType, []string{"ZONAL", "REGIONAL"}},
		{"dataDiskType", s.DataDiskType, sqlDiskTypes},
		{"pricingPlan", s.PricingPlan, []string{"PER_USE"}},
		// No server here takes part in the enforcement: nothing in the tests connects through a connector.
		{"connectorEnforcement", s.ConnectorEnforcement, []string{"NOT_REQUIRED", "REQUIRED"}},
		{"ipConfiguration.sslMode", s.IpConfiguration.SslMode, sqlTLSModes},
		{"ipConfiguration.serverCaMode", serverAuthority(in), []string{"GOOGLE_MANAGED_INTERNAL_CA", "GOOGLE_MANAGED_CAS_CA"}}, // a pool of one's own is not served here
	} {
		if !slices.Contains(choice.values, choice.value) {
			return sqlInvalid(fmt.Sprintf("Invalid value at 'settings.%s': %q", choice.name, choice.value))
		}
	}
	if s.DataDiskSizeGb < 10 || s.DataDiskSizeGb > largest {
		return sqlInvalid(fmt.Sprintf("Invalid data disk size: %d GB. It must be between 10 and %d.", s.DataDiskSizeGb, largest))
	}
	// No recording shows that a window is refused. The ranges are those of the reference:
	// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#MaintenanceWindow
	if w := s.MaintenanceWindow; w != nil && (w.Day < 1 || w.Day > 7 || w.Hour < 0 || w.Hour > 23 || !slices.Contains(sqlUpdateTracks, w.UpdateTrack)) {
		return sqlInvalid(fmt.Sprintf("Invalid maintenance window: day %d (1 to 7), hour %d (0 to 23), update track %q.", w.Day, w.Hour, w.UpdateTrack))
	}
	if s.StorageAutoResizeLimit != 0 && s.StorageAutoResizeLimit < s.DataDiskSizeGb {
		return sqlInvalid("storageAutoResizeLimit must be 0 or at least the size of the disk.")
	}
	if err := validFlags(in); err != nil {
		return err
	}
	if err := validTLS(in); err != nil {
		return err
	}
	if err := validInsights(in); err != nil {
		return err
	}
	if err := validDataCache(in); err != nil {
		return err
	}
	if err := validPolicy(in); err != nil {
		return err
	}
	for _, period := range in.Settings.DenyMaintenancePeriods {
		if err := validDeny(period); err != nil {
			return err
		}
	}
	if err := validDisk(in); err != nil {
		return err
	}
	if err := validPool(in); err != nil {
		return err
	}
	return validBackups(in)
}

// validTier holds tier and edition together. Custom tiers: https://cloud.google.com/sql/docs/postgres/create-instance#machine-types.
func validTier(in *sqladmin.DatabaseInstance) error {
	tier, edition := in.Settings.Tier, in.Settings.Edition
	wrong := func(hint string) error {
		return sqlInvalid(fmt.Sprintf("Invalid Tier (%s) for (%s) Edition. %s", tier, edition, hint))
	}
	switch edition {
	case "ENTERPRISE_PLUS":
		if !sqlPlusTiers.MatchString(tier) {
			return wrong("Use a predefined Tier like db-perf-optimized-N-* instead.")
		}
		// No recording shows that an older version is refused. The versions are those of
		// https://cloud.google.com/sql/docs/postgres/upgrade-cloud-sql-instance-to-enterprise-plus-in-place
		if slices.Contains(sqlNeverPlus, in.DatabaseVersion) {
			return sqlInvalid(fmt.Sprintf("Database version %s is not supported in the ENTERPRISE_PLUS edition.", in.DatabaseVersion))
		}
		return nil
	case "ENTERPRISE":
	default:
		return sqlInvalid("Invalid value at 'settings.edition': " + edition)
	}
	if slices.Contains(sqlSharedTiers, tier) || sqlLegacyTiers.MatchString(tier) {
		return nil
	}
	size := sqlCustomTiers.FindStringSubmatch(tier)
	if size == nil {
		return wrong("Use a Tier like db-custom-1-3840 or a shared-core one instead.")
	}
	cpus, errCPU := strconv.Atoi(size[1])
	mib, errMem := strconv.Atoi(size[2])
	switch {
	case errCPU != nil || errMem != nil || cpus < 1 || cpus > 96 || cpus > 1 && cpus%2 != 0:
		return wrong("The number of vCPUs must be 1 or an even number up to 96.")
	case mib%256 != 0 || mib < 3840:
		return wrong("Memory must be a multiple of 256 MB and at least 3840 MB.")
	case 10*mib < 9*1024*cpus || 10*mib > 65*1024*cpus:
		return wrong("Memory must be between 0.9 and 6.5 GB for a vCPU.")
	}
	return nil
}
