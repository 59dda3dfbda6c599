package gcp

import (
	"maps"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Cloud SQL's client leaves out false and zero unless told to send them: ForceSendFields throughout.

// settings copies what creation and patch have in common.
func (p instanceParams) settings() *sqladmin.Settings {
	s := &sqladmin.Settings{}
	if p.sizeGiB != nil {
		s.DataDiskSizeGb = *p.sizeGiB
	}
	if p.protection != nil {
		s.DeletionProtectionEnabled = *p.protection
		s.ForceSendFields = append(s.ForceSendFields, "DeletionProtectionEnabled")
	}
	if p.tier != nil {
		s.Tier = *p.tier
	}
	if p.retention != nil {
		s.BackupConfiguration = backups(*p.retention)
	}
	return s
}

// backups keeps so many daily backups. Without backups there is nothing that logs could be replayed
// onto: point-in-time recovery and binary logs have to go with them, or Cloud SQL refuses.
func backups(keep int64) *sqladmin.BackupConfiguration {
	if keep == 0 {
		return &sqladmin.BackupConfiguration{ForceSendFields: []string{"Enabled", "BinaryLogEnabled", "PointInTimeRecoveryEnabled"}}
	}
	return &sqladmin.BackupConfiguration{
		Enabled:                 true,
		BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetentionUnit: "COUNT", RetainedBackups: keep},
	}
}

// forCreate copies the parameters into those of a creation.
func (p instanceParams) forCreate(name string, mark driver.Mark, password string) (*sqladmin.DatabaseInstance, error) {
	version := defaultVersions[p.engine]
	if p.version != nil {
		version = *p.version
	}
	databaseVersion, err := versionName(p.engine, version)
	if err != nil {
		return nil, err
	}
	settings := p.settings()
	settings.Edition = editionOf(settings.Tier)
	settings.UserLabels = withMark(p.labels, mark).Set
	return &sqladmin.DatabaseInstance{
		Name:            name,
		Region:          p.region,
		DatabaseVersion: databaseVersion,
		RootPassword:    password,
		Settings:        settings,
	}, nil
}

// forPatch copies the parameters into those of a patch of what is there. Its settingsVersion makes the
// patch fail if somebody else changed the settings since.
func (p instanceParams) forPatch(have *instance, mark *driver.Mark) (*sqladmin.DatabaseInstance, error) {
	patch := &sqladmin.DatabaseInstance{Settings: p.settings()}
	if p.version != nil {
		version, err := versionName(have.engine(), *p.version)
		if err != nil {
			return nil, err
		}
		patch.DatabaseVersion = version
	}
	s := patch.Settings
	s.SettingsVersion = have.settings().SettingsVersion
	if edition := editionOf(s.Tier); s.Tier != "" && edition != have.settings().Edition {
		s.Edition = edition
	}
	delta := p.labels
	if mark != nil {
		delta = withMark(delta, *mark)
	}
	if len(delta.Set) == 0 && len(delta.Remove) == 0 {
		return patch, nil
	}
	// Every label is sent, and null for each that is to go: right whether the patch merges labels or
	// replaces them, of which the reference says nothing.
	s.UserLabels = map[string]string{}
	maps.Copy(s.UserLabels, have.labels())
	maps.Copy(s.UserLabels, delta.Set)
	for _, k := range delta.Remove {
		if _, has := have.labels()[k]; has {
			delete(s.UserLabels, k)
			s.NullFields = append(s.NullFields, "UserLabels."+k)
		}
	}
	return patch, nil
}
