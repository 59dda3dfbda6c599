package gcp

import (
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// The availability types of Cloud SQL: with a standby in a second zone, and without. The zones themselves are gceZone and secondaryGceZone,
// which change places in a failover. https://cloud.google.com/sql/docs/postgres/high-availability
const (
	regional = "REGIONAL"
	zonal    = "ZONAL"
)

func availabilityType(a v1alpha1.Availability) *string {
	if a == v1alpha1.AvailabilityMultiZone {
		return new(regional)
	}
	return new(zonal)
}

// haveAvailability returns the availability; nil if it is none that a spec can ask for.
func haveAvailability(i *instance) *v1alpha1.Availability {
	switch i.settings().AvailabilityType {
	case regional:
		return new(v1alpha1.AvailabilityMultiZone)
	case zonal:
		return new(v1alpha1.AvailabilitySingleZone)
	}
	return nil
}

// withRecovery adds to what a call says about backups, nil for nothing, that automatic backups and point-in-time recovery are on. Cloud SQL
// requires both of a regional instance; for MySQL, the binary log is what recovery needs.
// https://cloud.google.com/sql/docs/postgres/configure-ha
// https://cloud.google.com/sql/docs/mysql/configure-ha
func withRecovery(b *sqladmin.BackupConfiguration, engine v1alpha1.Engine) *sqladmin.BackupConfiguration {
	if b == nil {
		b = &sqladmin.BackupConfiguration{}
	}
	b.Enabled = true
	if engine == v1alpha1.EngineMySQL {
		b.BinaryLogEnabled = true
	} else {
		b.PointInTimeRecoveryEnabled = true
	}
	return b
}

// checkAvailability refuses two zones without backups, before Cloud SQL does without the names of the fields.
func checkAvailability(spec *databaseParameters) error {
	days := wantRetention(spec)
	if spec.Availability == nil || *spec.Availability != v1alpha1.AvailabilityMultiZone || days == nil || *days > 0 {
		return nil
	}
	return invalid("spec.availability MultiZone needs automatic backups in Google Cloud, and spec.backup.retentionDays 0 switches them off: " +
		"set spec.backup.retentionDays to 1 or more, or spec.availability to SingleZone")
}
