package mem

import (
	"maps"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// A Database is a database server in the cloud.
type Database struct {
	Account  driver.AccountID
	Name     string
	ID       string
	Location string
	// Labels are everybody's, the mark among them.
	Labels map[string]string

	Engine             v1alpha1.Engine
	Version            string
	SizeGiB            int32
	DatabaseName       string
	RetentionDays      int32
	DeletionProtection bool
	InstanceClass      string
	Tier               string
	Username, Password string

	// Stopped: somebody stopped it.
	Stopped bool
	// Problem says why the cloud gave up on it; empty if it did not.
	Problem string

	work work
	was  *Database // before the modification that is under way
}

// A phase is what the cloud is doing with a database.
type phase int

const (
	resting phase = iota
	creating
	modifying
	deleting
)

// work is what the cloud is doing with a database, until when, and whether it will fail.
type work struct {
	phase     phase
	until     time.Time
	operation string
	doomed    bool
}

func (d *Database) clone() *Database {
	out := *d
	out.Labels = maps.Clone(d.Labels)
	return &out
}

// live returns the database as it is while a modification is under way.
func (d *Database) live() *Database {
	if d.was != nil {
		return d.was
	}
	return d
}

// What the cloud chooses where nothing is asked for.
const (
	defaultSizeGiB       = 20
	defaultRetentionDays = 1
)

type databaseParameters = v1alpha1.DatabaseParameters

// databaseTable makes patches on the next state of the database itself: this cloud has one call for everything.
var databaseTable = table.Table[databaseParameters, Database, Database]{
	table.Field("location",
		func(s *databaseParameters) *string { return s.Location },
		func(d *Database) *string { return &d.Location },
		func(d *Database, v string) { d.Location = v },
	).Immutable("create another Database with the new location and move the data"),
	table.Field("engine",
		func(s *databaseParameters) *v1alpha1.Engine { return s.Engine },
		func(d *Database) *v1alpha1.Engine { return &d.Engine },
		func(d *Database, v v1alpha1.Engine) { d.Engine = v },
	).Immutable("create another Database with the new engine and move the data"),
	table.Field("version",
		func(s *databaseParameters) *string { return s.Version },
		func(d *Database) *string { return &d.Version },
		func(d *Database, v string) { d.Version = v },
	).Reported(func(d *Database) *string { return &d.live().Version }).
		Equal(driver.VersionServes, "a newer minor version is no drift").
		EffectOf(upgrade,
			driver.PossibleEffect{Effect: driver.Interrupts, When: "it is a newer version"},
			driver.PossibleEffect{Effect: driver.Impossible, When: "it is an older version", Instead: upgradeInstead}),
	table.Field("storage.sizeGiB",
		func(s *databaseParameters) *int32 {
			if s.Storage == nil {
				return nil
			}
			return s.Storage.SizeGiB
		},
		func(d *Database) *int32 { return &d.SizeGiB },
		func(d *Database, v int32) { d.SizeGiB = v },
	).Reported(func(d *Database) *int32 { return &d.live().SizeGiB }).
		Equal(func(want, have int32) bool { return have >= want }, "a larger disk is no drift"),
	table.Field("databaseName",
		func(s *databaseParameters) *string { return s.DatabaseName },
		func(d *Database) *string { return unlessZero(d.DatabaseName) },
		func(d *Database, v string) { d.DatabaseName = v },
	).Immutable("create the database on the server by SQL, or another Database with the new name"),
	table.Field("backup.retentionDays",
		func(s *databaseParameters) *int32 {
			if s.Backup == nil {
				return nil
			}
			return s.Backup.RetentionDays
		},
		func(d *Database) *int32 { return &d.RetentionDays },
		func(d *Database, v int32) { d.RetentionDays = v },
	).Reported(func(d *Database) *int32 { return &d.live().RetentionDays }).
		EffectOf(func(from *int32, to int32, _ *Database) (driver.Effect, string) {
			return driver.RetentionEffect(from, to)
		}, driver.RetentionEffects()...),
	table.Field("deletionProtection",
		func(s *databaseParameters) *bool { return s.DeletionProtection },
		func(d *Database) *bool { return &d.DeletionProtection },
		func(d *Database, v bool) { d.DeletionProtection = v },
	).Reported(func(d *Database) *bool { return &d.live().DeletionProtection }),
	table.Entries("tags",
		func(s *databaseParameters) map[string]string { return plain(s.Tags) },
		func(d *Database) map[string]string { return driver.WithoutMark(d.Labels) },
		func(d *Database, delta table.Delta) { merge(&d.Labels, delta) },
	),
	table.Field("aws.instanceClass",
		func(s *databaseParameters) *string {
			if s.AWS == nil {
				return nil
			}
			return s.AWS.InstanceClass
		},
		func(d *Database) *string { return unlessZero(d.InstanceClass) },
		func(d *Database, v string) { d.InstanceClass = v },
	).Reported(func(d *Database) *string { return unlessZero(d.live().InstanceClass) }).Effect(driver.Restarts),
	table.Field("gcp.tier",
		func(s *databaseParameters) *string {
			if s.GCP == nil {
				return nil
			}
			return s.GCP.Tier
		},
		func(d *Database) *string { return unlessZero(d.Tier) },
		func(d *Database, v string) { d.Tier = v },
	).Reported(func(d *Database) *string { return unlessZero(d.live().Tier) }).Effect(driver.Restarts),
}

const upgradeInstead = "declare the version it has, or create another Database and move the data"

func upgrade(from *string, to string, _ *Database) (driver.Effect, string) {
	if from != nil && driver.CompareVersions(to, *from) < 0 {
		return driver.Impossible, "a server can't go back to an older version: " + upgradeInstead
	}
	return driver.Interrupts, ""
}

// usualUsername is the administrator where none is asked for.
func usualUsername(e v1alpha1.Engine) string {
	if e == v1alpha1.EngineMySQL {
		return "admin"
	}
	return "postgres"
}

func portOf(e v1alpha1.Engine) int32 {
	if e == v1alpha1.EngineMySQL {
		return 3306
	}
	return 5432
}
