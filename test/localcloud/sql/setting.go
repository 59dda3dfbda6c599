package sql

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A setting is a member of an instance. A patch merges all of them in one way: null removes a member, objects merge,
// lists and all else replace. Then each is settled in the order of the rows, and what came of it is checked in the same
// order.
type setting struct {
	name     string // as JSON has it, with dots before members of members
	optional bool   // an object without members, or a list without entries, does not show
	standard any    // the value where a request says nothing, and settle leaves nothing
	values   []string
	fixed    string // the refusal of a change; empty where the setting can change
	restarts bool   // a change takes the server down
	stopped  bool   // a change needs no server that runs
	// settle fills in what Cloud SQL chooses. valid refuses what can't be, of what is settled; old is nil for a new
	// instance.
	settle func(c *change)
	valid  func(now, old *sqladmin.DatabaseInstance) error
	// restart reports whether a change takes the server down that not all changes of the setting do.
	restart func(old, now *sqladmin.DatabaseInstance) bool
}

// settings are all members that Cloud SQL fills in, checks or holds on to here. What a change of a stopped instance can
// be is not documented: Cloud SQL refuses to change databases and users of one, and to start its server together with
// other changes, so all is refused but what concerns no server.
// https://github.com/hashicorp/terraform-provider-google/issues/13810
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances
var settings = []setting{
	{name: "databaseVersion", settle: settleVersion, valid: validVersion, restarts: true},
	{name: "name", fixed: "The name of an instance can't be changed."},
	{name: "region", standard: "us-central1", valid: validRegion, fixed: "The region of an instance can't be changed."},
	{name: "diskEncryptionConfiguration", valid: validDiskKey, fixed: "The disk encryption of an instance can't be changed."},
	{name: "instanceType", fixed: "The type of an instance can't be changed."},
	{name: "masterInstanceName", fixed: "The primary of an instance can't be changed. Promote a read replica to make it an instance of its own."},
	{name: "settings.kind", standard: "sql#settings"},
	{name: "settings.settingsVersion", settle: func(c *change) { delete(c.settings, "settingsVersion") }, stopped: true},
	{name: "settings.edition", settle: settleEdition, restarts: true},
	{name: "settings.tier", valid: validTier, restarts: true},
	{name: "settings.activationPolicy", standard: "ALWAYS", values: []string{"ALWAYS", "NEVER"}, stopped: true},
	{name: "settings.availabilityType", standard: "ZONAL", values: []string{"ZONAL", "REGIONAL"}, restarts: true},
	{name: "settings.pricingPlan", standard: "PER_USE", values: []string{"PER_USE"}},
	{name: "settings.replicationType", standard: "SYNCHRONOUS"},
	{name: "settings.storageAutoResize", standard: true},
	{name: "settings.storageAutoResizeLimit", standard: "0", valid: validResizeLimit},
	{name: "settings.dataDiskSizeGb", settle: settleDiskSize, valid: validDiskSize},
	{name: "settings.dataDiskType", settle: settleDisk, values: sqlDiskTypes, valid: validDisk, fixed: "The disk type of an instance can't be changed."},
	{name: "settings.deletionProtectionEnabled", standard: false, stopped: true},
	// No server here takes part in the enforcement: nothing in the tests connects through a connector.
	{name: "settings.connectorEnforcement", standard: "NOT_REQUIRED", values: []string{"NOT_REQUIRED", "REQUIRED"}},
	{name: "settings.authorizedGaeApplications", standard: []any{}},
	{name: "settings.userLabels", optional: true, valid: validLabels, stopped: true},
	{name: "settings.databaseFlags", optional: true, valid: validFlags, restart: flagsRestart},
	{name: "settings.locationPreference.kind", standard: "sql#locationPreference"},
	{name: "gceZone", settle: settleZone, valid: validZone, restarts: true},
	{name: "secondaryGceZone", restarts: true},
	{name: "settings.insightsConfig", settle: settleInsights, valid: validInsights},
	{name: "settings.insightsConfig.queryStringLength", restarts: true}, // as the reference says
	{name: "settings.denyMaintenancePeriods", settle: settleDeny, valid: validDenies},
	{name: "settings.maintenanceWindow", valid: validWindow},
	{name: "settings.dataCacheConfig", settle: settleDataCache, valid: validDataCache},
	{name: "settings.dataCacheConfig.dataCacheEnabled", restarts: true}, // for a moment
	{name: "settings.connectionPoolConfig", settle: settlePool, valid: validPool},
	// https://cloud.google.com/sql/docs/mysql/managed-connection-pooling
	{name: "settings.connectionPoolConfig.connectionPoolingEnabled", restarts: true},
	{name: "settings.passwordValidationPolicy", valid: validPolicy},
	{name: "settings.ipConfiguration", settle: settleTLS, valid: validNetwork},
	{name: "settings.ipConfiguration.ipv4Enabled", standard: true},
	// https://cloud.google.com/sql/docs/postgres/configure-private-ip#existing-private-instance
	{name: "settings.ipConfiguration.privateNetwork", restarts: true},
	{name: "settings.ipConfiguration.authorizedNetworks", settle: settleNetworks, standard: []any{}},
	{name: "settings.ipConfiguration.pscConfig", settle: settlePSC},
	{name: "settings.ipConfiguration.requireSsl", standard: false},
	{name: "settings.ipConfiguration.sslMode", standard: sqlTLSModes[0], values: sqlTLSModes, valid: validTLS, restart: tlsRestarts},
	{name: "settings.ipConfiguration.serverCaMode", values: sqlCAModes},
	{name: "settings.backupConfiguration", settle: settleBackups, valid: validBackups, restart: recoveryRestarts},
}

// A change is what a request makes of an instance.
type change struct {
	resource   google.Object // what the instance will be
	settings   google.Object // its settings
	addressing google.Object // ipConfiguration of these
	old        google.Object // what the instance was; nil for a new one
}

func (c *change) version() string {
	version, _ := c.resource["databaseVersion"].(string)
	return version
}

// settleInstance turns what was asked for into what will be, or refuses it. old is the instance as it was, nil for a
// new one.
func settleInstance(resource, old google.Object) error {
	c := &change{resource: resource, settings: google.Member(resource, "settings"), old: old}
	c.addressing = google.Member(c.settings, "ipConfiguration")
	for _, s := range settings {
		if s.settle != nil {
			s.settle(c)
		}
		path := strings.Split(s.name, ".")
		last := path[len(path)-1]
		if s.standard != nil {
			google.Defaults(google.Member(resource, path[:len(path)-1]...), google.Object{last: s.standard})
		}
		if s.optional && google.Empty(google.At(resource, s.name)) {
			delete(google.Member(resource, path[:len(path)-1]...), last)
		}
	}
	now := google.Typed[sqladmin.DatabaseInstance](resource)
	var before *sqladmin.DatabaseInstance
	if old != nil {
		before = google.Typed[sqladmin.DatabaseInstance](old)
	}
	for _, s := range settings {
		if err := s.check(c, now, before); err != nil {
			return err
		}
	}
	return nil
}

func (s setting) check(c *change, now, before *sqladmin.DatabaseInstance) error {
	value := google.At(c.resource, s.name)
	text, _ := value.(string)
	switch {
	case s.fixed != "" && s.differs(c.resource, c.old):
		return sqlInvalid(s.fixed)
	case s.values != nil && value != nil && !slices.Contains(s.values, text):
		return sqlInvalid(fmt.Sprintf("Invalid value at '%s': %q", s.name, text))
	case s.valid != nil:
		return s.valid(now, before)
	}
	return nil
}

// differs reports whether a setting of an instance changes. A new instance changes nothing.
func (s setting) differs(next, old google.Object) bool {
	return old != nil && !google.Same(google.At(next, s.name), google.At(old, s.name))
}

// restarts reports whether a change takes the server down.
func restarts(old, next google.Object) bool {
	a, b := google.Typed[sqladmin.DatabaseInstance](old), google.Typed[sqladmin.DatabaseInstance](next)
	return slices.ContainsFunc(settings, func(s setting) bool {
		return s.restarts && s.differs(next, old) || s.restart != nil && s.restart(a, b)
	})
}

// needsServer reports whether a change needs a server that runs.
func needsServer(next, old google.Object) bool {
	bare := func(resource google.Object) google.Object {
		resource = google.Cloned(resource)
		for _, s := range settings {
			if name, ok := strings.CutPrefix(s.name, "settings."); ok && s.stopped {
				delete(google.Member(resource, "settings"), name)
			}
		}
		return resource
	}
	return !google.Same(bare(next), bare(old))
}

func validRegion(in, _ *sqladmin.DatabaseInstance) error {
	if !slices.Contains(google.Regions, in.Region) {
		return sqlInvalid("Invalid value for region: " + in.Region)
	}
	return nil
}

func validDiskKey(in, _ *sqladmin.DatabaseInstance) error {
	if in.DiskEncryptionConfiguration == nil {
		return nil
	}
	name := in.DiskEncryptionConfiguration.KmsKeyName
	if key := google.KMSKeyNames.FindStringSubmatch(name); key == nil || key[1] != in.Region {
		return sqlInvalid("Invalid KMS key name, or its location differs from the instance's: " + name)
	}
	return nil
}

func validLabels(in, _ *sqladmin.DatabaseInstance) error {
	return google.ValidLabels(in.Settings.UserLabels)
}
