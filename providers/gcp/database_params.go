package gcp

import (
	"maps"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// encryptedOnly is the mode in which an instance refuses connections without TLS, and asks for no certificate of the client.
const encryptedOnly = "ENCRYPTED_ONLY"

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
	return s
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
	settings.BackupConfiguration = backupsOfNew(p.retention, settings.Edition)
	// With no network said, Cloud SQL gives a public address and takes logins without TLS. The address stays; logins need TLS. This is
	// asked for at creation only: what exists is left as it is.
	// https://cloud.google.com/sql/docs/postgres/configure-ssl-instance#enforcing-ssl
	settings.IpConfiguration = &sqladmin.IpConfiguration{Ipv4Enabled: true, SslMode: encryptedOnly}
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
	edition := have.edition()
	if s.Tier != "" {
		if edition = editionOf(s.Tier); edition != have.settings().Edition {
			s.Edition = edition
		}
	}
	s.BackupConfiguration = backupsOfChanged(have, p.retention, edition)
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
