package sql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// Cloud SQL names versions as POSTGRES_16, MYSQL_8_0 and MYSQL_8_0_36; what is installed may say more than
// what was asked for: POSTGRES_16_4.
// https://cloud.google.com/sql/docs/postgres/db-versions
// https://cloud.google.com/sql/docs/mysql/db-versions

// engineLack is the answer to an engine that Cloud SQL does not have.
// https://cloud.google.com/sql/docs/db-versions
var engineLack = driver.Lack{
	Field: "engine", Match: "^mariadb$", Values: "mariadb",
	Why: "Cloud SQL has no MariaDB", Instead: "set spec.engine to mysql, or set spec.className or spec.providerConfigRef to one that leads to a cloud with MariaDB",
}

// prefixes of the names of versions.
var prefixes = map[v1alpha1.Engine]string{v1alpha1.EnginePostgres: "POSTGRES_", v1alpha1.EngineMySQL: "MYSQL_"}

// defaultVersions are what is created when the spec names none.
var defaultVersions = map[v1alpha1.Engine]string{v1alpha1.EnginePostgres: "17", v1alpha1.EngineMySQL: "8.4"}

// majorVersions are those that the API names, by their engines. It also names some that Cloud SQL had once, or is
// about to have.
func majorVersions() map[string][]string {
	all := map[string][]string{}
	for _, name := range databaseVersions {
		engine, version := splitVersion(name)
		if engine == "" {
			continue
		}
		if major := portable.MajorVersion(engine, version); !slices.Contains(all[string(engine)], major) {
			all[string(engine)] = append(all[string(engine)], major)
		}
	}
	return all
}

// splitVersion returns engine and version of a name of Cloud SQL; an empty engine if it is not one of ours.
func splitVersion(name string) (v1alpha1.Engine, string) {
	for engine, prefix := range prefixes {
		rest, ok := strings.CutPrefix(name, prefix)
		if version := strings.ReplaceAll(rest, "_", "."); ok && dotted(version) {
			return engine, version
		}
	}
	return "", ""
}

// versionName returns Cloud SQL's name. Minor versions of PostgreSQL are Cloud SQL's own choice.
func versionName(engine v1alpha1.Engine, version string) (string, error) {
	if prefixes[engine] == "" || !dotted(version) || (engine == v1alpha1.EngineMySQL && !strings.Contains(version, ".")) {
		return "", table.Fields{"version", "engine"}.Refuse("spec.version: %s has no version %q: write it as 16 (postgres), 8.0 or 8.4 (mysql)", engine, version)
	}
	if engine == v1alpha1.EnginePostgres {
		version = portable.MajorVersion(engine, version)
	}
	return prefixes[engine] + strings.ReplaceAll(version, ".", "_"), nil
}

// dotted reports whether version is made of numbers.
func dotted(version string) bool {
	for part := range strings.SplitSeq(version, ".") {
		if _, err := strconv.ParseUint(part, 10, 16); err != nil {
			return false
		}
	}
	return true
}

const upgradeInstead = "name the major version only, and none that is older than the one that runs, or create another Database and move the data there"

// upgradeEffect says what a change of version does. There is no way back from a newer major version but a backup from before, in another server.
// https://cloud.google.com/sql/docs/postgres/upgrade-major-db-version-inplace
func upgradeEffect(from *string, to string, have *instance) (driver.Effect, string) {
	if from == nil {
		return driver.Impossible, "Cloud SQL does not say which version it runs: " + upgradeInstead
	}
	switch major := portable.CompareVersions(portable.MajorVersion(have.engine(), to), portable.MajorVersion(have.engine(), *from)); {
	case major > 0:
		return driver.Irreversible, have.op.warnings()
	case major < 0 || portable.CompareVersions(to, *from) < 0:
		return driver.Impossible, "Cloud SQL can't go back to an older version: " + upgradeInstead
	case have.engine() == v1alpha1.EnginePostgres:
		return driver.Impossible, "Cloud SQL itself chooses the minor version of PostgreSQL: " + upgradeInstead
	}
	return driver.Restarts, ""
}
