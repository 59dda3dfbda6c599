package storage

import (
	"fmt"
	"net"
	"regexp"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

var (
	bucketNames = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]*[a-z0-9]$`)
	googleNames = regexp.MustCompile(`^goog|g[o0][o0]g[l1]e`)
)

// validBucketName holds a name to the rules at https://cloud.google.com/storage/docs/buckets#naming.
func validBucketName(name string) error {
	longest := 63
	if strings.Contains(name, ".") {
		longest = 222
	}
	bad := len(name) < 3 || len(name) > longest || !bucketNames.MatchString(name) || net.ParseIP(name) != nil ||
		googleNames.MatchString(name) || strings.Contains(name, "..")
	for part := range strings.SplitSeq(name, ".") {
		bad = bad || len(part) > 63
	}
	if bad {
		return google.Invalid(fmt.Sprintf("Invalid bucket name: '%s'", name))
	}
	return nil
}
