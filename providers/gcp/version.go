package gcp

import (
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/field"
)

// Cloud SQL names versions as POSTGRES_16, MYSQL_8_0 and MYSQL_8_0_36; what is installed may say more than
// what was asked for: POSTGRES_16_4.
// https://cloud.google.com/sql/docs/postgres/db-versions
// https://cloud.google.com/sql/docs/mysql/db-versions

// prefixes of the names of versions.
var prefixes = map[v1alpha1.Engine]string{v1alpha1.EnginePostgres: "POSTGRES_", v1alpha1.EngineMySQL: "MYSQL_"}

// defaultVersions are what is created when the spec names none.
var defaultVersions = map[v1alpha1.Engine]string{v1alpha1.EnginePostgres: "17", v1alpha1.EngineMySQL: "8.4"}

// splitVersion returns engine and version of a name of Cloud SQL; an empty engine if it is not one of ours.
func splitVersion(name string) (v1alpha1.Engine, string) {
	for engine, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok && numbers(strings.ReplaceAll(rest, "_", ".")) != nil {
			return engine, strings.ReplaceAll(rest, "_", ".")
		}
	}
	return "", ""
}

// versionName returns Cloud SQL's name. Minor versions of PostgreSQL are Cloud SQL's own choice.
func versionName(engine v1alpha1.Engine, version string) (string, error) {
	parts := numbers(version)
	major := majorParts(engine, parts)
	if prefixes[engine] == "" || len(parts) < major {
		return "", invalid("version", "%s has no version %q: write it as 16 (postgres), 8.0 or 8.4 (mysql)", engine, version)
	}
	if engine == v1alpha1.EnginePostgres {
		parts = parts[:major]
	}
	text := make([]string, len(parts))
	for i, n := range parts {
		text[i] = strconv.Itoa(n)
	}
	return prefixes[engine] + strings.Join(text, "_"), nil
}

// majorParts returns how many numbers name a major version: 16, but 9.6; 8.0.
func majorParts(engine v1alpha1.Engine, parts []int) int {
	if engine == v1alpha1.EngineMySQL || (len(parts) > 0 && parts[0] < 10) {
		return 2
	}
	return 1
}

// numbers returns the numbers of a dotted version, nil if it is none.
func numbers(version string) []int {
	var out []int
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || part[0] == '+' {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// compare orders two versions by the numbers they both have, and then takes them for equal.
func compare(a, b []int) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] - b[i]
		}
	}
	return 0
}

// satisfies reports whether have is the wanted version: of the same major version, and no older.
func satisfies(want, have string) bool {
	w, h := numbers(want), numbers(have)
	if w == nil || h == nil {
		return want == have
	}
	// Numbers are compared as deep as both go: the engine, which says how many are major, can't be told
	// from a version, but only MySQL and old PostgreSQL have majors below 10.
	major := 1
	if w[0] < 10 {
		major = 2
	}
	return compare(w[:min(major, len(w))], h[:min(major, len(h))]) == 0 && compare(w, h) <= 0
}

// upgradeEffect says what a change of version does.
// https://cloud.google.com/sql/docs/postgres/upgrade-major-db-version-inplace
func upgradeEffect(from *string, to string, have *instance) (field.Effect, string) {
	engine := have.engine()
	w := numbers(to)
	if from == nil || w == nil {
		return field.Impossible, "Cloud SQL has no such version"
	}
	h := numbers(*from)
	major := majorParts(engine, w)
	switch order := compare(w[:min(major, len(w))], h[:min(major, len(h))]); {
	case order < 0 || (order == 0 && compare(w, h) < 0):
		return field.Impossible, "Cloud SQL can't go back to an older version: make another Database and move the data there"
	case order > 0:
		return field.Interrupts, ""
	case engine == v1alpha1.EnginePostgres:
		return field.Impossible, "Cloud SQL itself chooses the minor version of PostgreSQL: name the major version only"
	}
	return field.Restarts, ""
}
