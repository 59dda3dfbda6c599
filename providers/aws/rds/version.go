package rds

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// majorVersions are those that RDS documents, with those of Extended Support. No SDK has a list; this one is of November
// 2026.
// https://docs.aws.amazon.com/AmazonRDS/latest/PostgreSQLReleaseNotes/postgresql-release-calendar.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/MySQL.Concepts.VersionMgmt.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/MariaDB.Concepts.VersionMgmt.html
var majorVersions = map[string][]string{
	string(v1alpha1.EnginePostgres): {"11", "12", "13", "14", "15", "16", "17", "18"},
	string(v1alpha1.EngineMySQL):    {"5.7", "8.0", "8.4"},
	string(v1alpha1.EngineMariaDB):  {"10.5", "10.6", "10.11", "11.4", "11.8"},
}

// A serverVersion is a version of an engine. Which part of it is the major one depends on the engine: that of MariaDB's 10.11.8 is 10.11.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.MariaDB.VersionID.html
type serverVersion struct {
	number string
	engine v1alpha1.Engine // empty if a spec does not say
}

// String is how a change shows it.
func (v serverVersion) String() string { return v.number }

// MarshalJSON is how the mirror shows it: as the spec would.
func (v serverVersion) MarshalJSON() ([]byte, error) { return json.Marshal(v.number) }

func (i *instance) engine() v1alpha1.Engine { return v1alpha1.Engine(aws.ToString(i.Engine)) }

// version returns a version of the instance's engine; nil if RDS does not say it.
func (i *instance) version(number *string) *serverVersion {
	if number == nil {
		return nil
	}
	return &serverVersion{*number, i.engine()}
}

// isMajor reports whether an instance that gets a version gets another major one.
func (i *instance) isMajor(number string) bool {
	return portable.MajorVersion(i.engine(), number) != portable.MajorVersion(i.engine(), aws.ToString(i.EngineVersion))
}

var versionRow = table.Field("version",
	func(s *databaseSpec) *serverVersion {
		if s.Version == nil {
			return nil
		}
		return &serverVersion{*s.Version, orEngine(s)}
	},
	func(i *instance) *serverVersion { return i.version(pending(i).EngineVersion) },
	func(p *instanceParams, v serverVersion) { p.EngineVersion = &v.number },
).Reported(func(i *instance) *serverVersion { return i.version(i.EngineVersion) }).
	Equal(func(want, have serverVersion) bool {
		return portable.VersionServes(have.engine, want.number, have.number)
	},
		"a newer minor version of the same major version is the same").
	EffectOf(versionEffect,
		driver.PossibleEffect{Effect: driver.Online, When: "it takes back an upgrade that has not begun"},
		driver.PossibleEffect{Effect: driver.Restarts, When: "it is a newer minor version", Cost: upgradeCost},
		driver.PossibleEffect{Effect: driver.Irreversible, When: "it is a newer major version", Cost: upgradeCost},
		driver.PossibleEffect{Effect: driver.Impossible, When: "it is older than the version that runs", Instead: downgradeInstead})

const downgradeInstead = "restore a snapshot into another Database"

// versionEffect judges by the version that runs: what only waits can still be taken back.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.Upgrading.html
func versionEffect(_ *serverVersion, to serverVersion, have *instance) (driver.Effect, string) {
	now := aws.ToString(have.EngineVersion)
	switch {
	case portable.VersionServes(have.engine(), to.number, now):
		return driver.Online, ""
	case portable.CompareVersions(to.number, now) < 0:
		return driver.Impossible, fmt.Sprintf("RDS can't take version %s back to %s: %s", now, to, downgradeInstead)
	case !have.isMajor(to.number):
		return driver.Restarts, replicasFirst(have, to.number)
	}
	return driver.Irreversible, replicasFirst(have, to.number)
}

// replicasFirst says which read replicas RDS wants upgraded before their source; empty if it wants none. Those of PostgreSQL get another major version with their source.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.html (read replica upgrades)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.MySQL.html (upgrades of read replicas)
func replicasFirst(have *instance, to string) string {
	all := followers(have)
	if len(all) == 0 || have.engine() == v1alpha1.EnginePostgres && have.isMajor(to) {
		return ""
	}
	return "RDS upgrades the read replicas first, and the server waits for them: " + strings.Join(all, ", ")
}

// explainUpgrade says for which replicas an upgrade waits.
func explainUpgrade(err error, have *instance) error {
	if session.ErrorCode(err) != "DBUpgradeDependencyFailure" {
		return err
	}
	e := *session.AsError(err)
	e.Message = fmt.Sprintf("the upgrade waits for the read replicas, which RDS upgrades first (%s): set spec.version of their Databases, too. Amazon RDS says: %s",
		strings.Join(followers(have), ", "), e.Message)
	return &e
}

// completeVersion allows an upgrade to another major version, and takes back one that waits by the version that runs, to the letter.
func completeVersion(in *rds.ModifyDBInstanceInput, have *instance) {
	if in.EngineVersion == nil {
		return
	}
	if have.isMajor(*in.EngineVersion) {
		in.AllowMajorVersionUpgrade = aws.Bool(true)
	}
	// A change that waits is taken back by the version that runs, to the letter.
	if now := aws.ToString(have.EngineVersion); portable.VersionServes(have.engine(), *in.EngineVersion, now) {
		in.EngineVersion, in.AllowMajorVersionUpgrade = &now, nil
	}
}

// engineLacks are what MariaDB, or versions of it, lack.
var engineLacks = []driver.Lack{
	{
		Field: "version", Match: `^[0-9]+$`, Values: "a single number for MariaDB", With: map[string]string{"engine": "^mariadb$"}, Invalid: true,
		Why: "its major versions have two numbers", Instead: "set spec.version to a version such as 10.11, 11.4 or 11.8",
	},
	// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (EngineLifecycleSupport)
	{
		Field: "aws.engineLifecycleSupport", Match: ".", Values: "a value for MariaDB", With: map[string]string{"engine": "^mariadb$"},
		Why: "RDS has Extended Support for MySQL and PostgreSQL only", Instead: "remove spec.aws.engineLifecycleSupport",
	},
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/mariadb-ssl-connections.require-ssl.html
	{
		Field: "tls", Match: "^Required$", Values: "Required for MariaDB 10.4 and older", With: map[string]string{"engine": "^mariadb$", "version": `^10\.[0-4](\.|$)`},
		Why: "RDS can require TLS of MariaDB from version 10.5 on", Instead: "set spec.version to 10.6 or later, or remove spec.tls",
	},
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.RDS_Fea_Regions_DB-eng.Feature.IamDatabaseAuthentication.html
	{
		Field: "iamAuthentication", Match: "^true$", Values: "true for MariaDB 10.6 and older", With: map[string]string{"engine": "^mariadb$", "version": `^10\.[0-9](\.|$)`},
		Why: "RDS has IAM database authentication for MariaDB from version 10.11 on", Instead: "set spec.version to 10.11 or later, or remove spec.iamAuthentication",
	},
}
