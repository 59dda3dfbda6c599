package aws

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A version is an engine's, as numbers: 16.4 is {16, 4}.
type version []int

// parseVersion reads a version. What is not a number ends it: RDS appends words to some (8.0.mysql_aurora).
func parseVersion(text string) version {
	var v version
	for part := range strings.SplitSeq(text, ".") {
		digits := part
		if end := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = part[:end]
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		v = append(v, n)
	}
	return v
}

// majorLength is how many numbers make a major version: 16, but 8.0 and 8.4.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.MySQL.html
func majorLength(engine string) int {
	if engine == string(v1alpha1.EngineMySQL) {
		return 2
	}
	return 1
}

func (v version) prefix(n int) version { return v[:min(n, len(v))] }

func (v version) equal(other version) bool { return slices.Equal(v, other) }

// less compares as far as both go: 16 is not less than 16.4.
func (v version) less(other version) bool {
	n := min(len(v), len(other))
	return slices.Compare(v[:n], other[:n]) < 0
}

// satisfies reports whether v is wanted or only the last of wanted's numbers is greater in v. With one number
// ("16") or a major version of two ("8.4") that number has to be the same: 17 does not satisfy 16.
func (v version) satisfies(wanted version) bool {
	if len(v) < len(wanted) || len(wanted) == 0 {
		return v.equal(wanted)
	}
	last := len(wanted) - 1
	if !v[:last].equal(wanted[:last]) {
		return false
	}
	return v[last] == wanted[last] || (v[last] > wanted[last] && wanted.hasMinor())
}

// hasMinor reports whether the last number is of a minor version: 16.4 and 8.0.40, not 16 or 8.0.
// Every engine with a major version below 10 has major versions of two numbers.
func (v version) hasMinor() bool {
	if v[0] < 10 {
		return len(v) > 2
	}
	return len(v) > 1
}
