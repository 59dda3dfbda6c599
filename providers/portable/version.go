package portable

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Engine versions are what the API says of them, in every cloud: "16" is any 16.x, a newer minor version than
// declared is no drift, and a change of the major version is an upgrade.

// MajorVersion returns the part of an engine's version whose change is a major upgrade: "16" of
// PostgreSQL's 16.3, "8.0" of MySQL's 8.0.36, "10.11" of MariaDB's 10.11.8. PostgreSQL's have had one number since 10, those of
// MySQL and MariaDB have two. An engine that is not known has versions as PostgreSQL and MySQL have them.
func MajorVersion(engine v1alpha1.Engine, version string) string {
	parts := strings.SplitN(version, ".", 3)
	first, err := strconv.Atoi(parts[0])
	if one := err == nil && first >= 10 && engine != v1alpha1.EngineMariaDB; one || len(parts) == 1 {
		return parts[0]
	}
	return parts[0] + "." + parts[1]
}

// VersionServes reports whether a server of version have is what want asks for: the version itself,
// one that it is short for, or a newer minor one.
func VersionServes(engine v1alpha1.Engine, want, have string) bool {
	if want == have || strings.HasPrefix(have, want+".") {
		return true
	}
	return MajorVersion(engine, want) == MajorVersion(engine, have) && CompareVersions(want, have) <= 0
}

// CompareVersions returns -1, 0 or 1 as a is older than, the same as or newer than b. A part that is missing
// counts as 0, and of one that begins with a number, that number counts: RDS names releases of Extended Support 8.0.46-rds.20260908, which is newer than 8.0.46.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support-versions.html
func CompareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if c := cmp.Compare(part(as, i), part(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	digits := len(parts[i]) - len(strings.TrimLeft(parts[i], "0123456789"))
	n, _ := strconv.Atoi(parts[i][:digits])
	return n
}
