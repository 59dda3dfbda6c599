package mem

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// KindDatabase is the kind of databases.
const KindDatabase Kind = "Database"

// A Database is a database server in the cloud.
type Database struct {
	Object
	// Spec are its fields but for the tags, in the words of the spec.
	Spec               v1alpha1.DatabaseParameters
	Username, Password string

	// Secret is where the cloud keeps the password, if it manages that; empty if it does not.
	Secret string
	// SecretProblem says why the cloud can't change that password any more; empty if it can.
	SecretProblem string

	// Follows is the database that it follows, which may be gone; zero for one that follows none.
	Follows driver.ParentRef
	// Lag is how far it lags behind that: not at all, unless somebody sets it.
	Lag time.Duration

	// Users are within it, by their names. They go with it.
	Users map[string]User
	// Stopped: somebody stopped it.
	Stopped bool
	// Problem says why the cloud gave up on it; empty if it did not.
	Problem string

	// Support is what the cloud says of until when it supports the server; zero if it says nothing.
	Support driver.Support

	// Restarts counts those that somebody asked for. Elsewhere: the server is in the zone of its standby, after a failover.
	Restarts  int
	Elsewhere bool

	work   work
	acting driver.Action // what the cloud is doing with it by the work; empty if it is no action
	was    *Database     // before the modification that is under way
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
	out.Labels, out.Spec, out.Users = maps.Clone(d.Labels), *d.Spec.DeepCopy(), maps.Clone(d.Users)
	return &out
}

func (d *Database) object() *Object               { return &d.Object }
func (d *Database) spec() *databaseParameters     { return &d.Spec }
func (d *Database) liveSpec() *databaseParameters { return &d.live().Spec }

// live returns the database as it is while a modification is under way.
func (d *Database) live() *Database {
	if d.was != nil {
		return d.was
	}
	return d
}

// Databases returns the databases of a cloud.
func Databases(c *Cloud) *Objects[Database] {
	return objectsOf(c, storage[Database]{kind: KindDatabase, object: (*Database).object, clone: (*Database).clone, settle: settle})
}

// passwords is what the cloud asks of an administrator's password.
var passwords = []driver.PasswordRule{{MinLength: 1, MaxLength: 128}}

// databaseKind is what the driver has of databases.
var databaseKind = table.Kind[session]{
	Name: string(KindDatabase),
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Memory", Name: driver.NameRule{MaxLength: 63},
			Passwords:    passwords,
			Fields:       append(databaseTable.Docs(), driver.Field{Field: driver.FieldUsername, Effects: []driver.PossibleEffect{{Effect: driver.Impossible, Instead: usernameInstead}}}),
			Capabilities: driver.Capabilities{Login: true, ManagedPassword: true, Snapshots: true, Restores: true, Replicas: true, Stop: true, List: true, Actions: driver.Actions}, Ownership: driver.OwnedByTags,
			Consequences: databaseConsequences(), Exempt: databaseExempt, Lacks: []driver.Lack{driver.BesideLack("this cloud upgrades servers in place only")},
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, func(from, to databaseParameters, applied driver.Applied) []driver.Change {
			have := &Database{Stopped: value(from.PowerState) == v1alpha1.PowerStateStopped}
			return whileStopped(have, databaseTable.Preview(&from, &to, applied, have))
		})
	},
	Handler: func(s session) table.Handler { return table.Handle(newDatabases(s)) },
}

// databaseConsequences says what people should know before they create or delete a database.
func databaseConsequences() driver.Consequences {
	return driver.Consequences{
		Noun: "database server", SnapshotKept: "until somebody deletes it",
		WithSnapshot: "its automatic backups stay until they expire", WithoutSnapshot: "its automatic backups are deleted with it",
		Unset: []driver.UnsetField{
			{Field: "version", Required: true, Means: "nothing is created without a version: set spec.version"},
			{Field: "backup.retentionDays", Means: "automatic backups are kept as long as the cloud likes: set spec.backup.retentionDays"},
		},
	}
}

const usernameInstead = "create the user on the server by SQL, or another Database with this administrator"

// What the cloud chooses where nothing is asked for.
const (
	defaultSizeGiB       = 20
	defaultRetentionDays = 1
)

// choose fills in what the cloud chooses.
func choose(p *databaseParameters) {
	if p.Storage == nil || p.Storage.SizeGiB == nil {
		fieldpath.Set(p, "storage.sizeGiB", int32(defaultSizeGiB))
	}
	if p.Backup == nil || p.Backup.RetentionDays == nil {
		fieldpath.Set(p, "backup.retentionDays", int32(defaultRetentionDays))
	}
	if p.DeletionProtection == nil {
		p.DeletionProtection = new(false)
	}
}

type databaseParameters = v1alpha1.DatabaseParameters

var databaseFields = fields[databaseParameters, Database]{asked: (*Database).spec, live: (*Database).liveSpec}

var databaseExempt = map[string]string{
	"parametersMode":           portable.ParametersModeExempt,
	"gcp.connectionPool.flags": "of maps of settings, this cloud has parameters alone",
}

// databaseTable has the fields of a database. Those that are not here are plain.
var databaseTable = databaseFields.table(databaseExempt,
	plain[string](databaseFields, "location").Immutable("create another Database with the new location and move the data"),
	plain[v1alpha1.Engine](databaseFields, "engine").Immutable("create another Database with the new engine and move the data"),
	plain[string](databaseFields, "version").
		Equal(func(want, have string) bool { return portable.VersionServes("", want, have) }, "a newer minor version is no drift").
		EffectOf(upgrade,
			driver.PossibleEffect{Effect: driver.Interrupts, When: "it is a newer version", Cost: upgradeCost},
			driver.PossibleEffect{Effect: driver.Impossible, When: "it is an older version", Instead: upgradeInstead}),
	plain[int32](databaseFields, "storage.sizeGiB").
		Equal(func(want, have int32) bool { return have >= want }, "a larger disk is no drift"),
	plain[string](databaseFields, "encryption.key").Immutable("create another Database with the new key and move the data").Refers(driver.ReferenceKey),
	plain[string](databaseFields, "databaseName").Immutable("create the database on the server by SQL, or another Database with the new name"),
	plain[int32](databaseFields, "backup.retentionDays").
		EffectOf(func(from *int32, to int32, _ *Database) (driver.Effect, string) {
			return portable.BackupRetentionEffect(from, to)
		}, portable.BackupRetentionEffects()...),
	tags(func(s *databaseParameters) map[string]v1alpha1.TagValue { return s.Tags }, (*Database).object),
	table.Entries("parameters", portable.WantedParameters,
		func(d *Database) map[string]string { return portable.WantedParameters(&d.Spec) },
		func(p *databaseParams, d table.Delta) {
			p.Spec.Parameters = make(map[string]v1alpha1.ParameterValue, len(d.Set))
			for name, value := range d.Set {
				p.Spec.Parameters[name] = v1alpha1.ParameterValue(value)
			}
		}).Exact(portable.ExactParameters).Equal(portable.SameParameter, portable.SameParameterDoc),
	plain[v1alpha1.PublicAccess](databaseFields, "network.publicAccess").Safe(v1alpha1.PublicAccessBlocked),
	plainSet(databaseFields, "network.allowedCIDRs").Safe([]string{}),
	plain[string](databaseFields, "aws.instanceClass").Restarts(restartCost),
	plain[string](databaseFields, "aws.dbSubnetGroupName").Refers(driver.ReferenceSubnetGroup),
	plain[string](databaseFields, "aws.performanceInsights.key").Refers(driver.ReferenceKey),
	plain[string](databaseFields, "aws.monitoring.roleARN").Refers(driver.ReferenceRole),
	table.RefersIn(plainRules[v1alpha1.AssociatedRole](databaseFields, "aws.associatedRoles"), "roleARN", driver.ReferenceRole),
	plain[string](databaseFields, "aws.dbParameterGroupName").Refers(driver.ReferenceParameterGroup),
	plain[string](databaseFields, "aws.optionGroupName").Refers(driver.ReferenceOptionGroup),
	plainSet(databaseFields, "aws.vpcSecurityGroupIDs").Refers(driver.ReferenceSecurityGroup),
	plain[string](databaseFields, "gcp.tier").Restarts(restartCost),
	plain[string](databaseFields, "gcp.privateNetwork").Refers(driver.ReferenceNetwork),
	plain[string](databaseFields, "gcp.allocatedIPRange").Refers(driver.ReferenceAddressRange),
	plainSet(databaseFields, "gcp.pscConfig.allowedConsumerProjects").Refers(driver.ReferenceProject),
	plainSet(databaseFields, "gcp.pscConfig.autoConnectionNetworks").Refers(driver.ReferenceNetwork),
	plain[string](databaseFields, "gcp.pscConfig.networkAttachmentURI").Refers(driver.ReferenceNetworkAttachment),
	powerRow,
)

// What changes cost the users of a database. This cloud has no documentation that could say more.
var (
	restartCost = driver.Cost{Text: "the server is away while it restarts", MultiZone: "the server is away for a failover"}
	upgradeCost = driver.Cost{Text: "connections break for a moment"}
	stopCost    = driver.Cost{Text: "nobody can connect before it runs again"}
)

// InTwoZones implements table.Zoned.
func (d *Database) InTwoZones() bool {
	return d.Spec.Availability != nil && *d.Spec.Availability == v1alpha1.AvailabilityMultiZone
}

const upgradeInstead = "declare the version it has, or create another Database and move the data"

func upgrade(from *string, to string, _ *Database) (driver.Effect, string) {
	if from != nil && portable.CompareVersions(to, *from) < 0 {
		return driver.Impossible, "a server can't go back to an older version: " + upgradeInstead
	}
	return driver.Interrupts, ""
}

// usualUsername is the administrator where none is asked for.
func usualUsername(e v1alpha1.Engine) string {
	if isMySQL(e) {
		return "admin"
	}
	return "postgres"
}

// isMySQL reports whether an engine is MySQL, or MariaDB, which is like it.
func isMySQL(e v1alpha1.Engine) bool {
	return e == v1alpha1.EngineMySQL || e == v1alpha1.EngineMariaDB
}

func portOf(e v1alpha1.Engine) int32 {
	if isMySQL(e) {
		return 3306
	}
	return 5432
}
