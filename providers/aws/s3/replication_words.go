package s3

import (
	"fmt"
	"strconv"
	"strings"
)

// sayableReplication returns a rule as a mirror shows it: one without a priority is of the first version of S3's schema, which no spec can say.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-add-config.html#replication-backward-compat-considerations
func sayableReplication(r replicationRule) replicationRule {
	if r.Priority == nil {
		r.Name = fmt.Sprintf("(rule %q%s", r.Name, firstVersion)
	}
	return r
}

// firstVersion is what a mirror says of a rule without a priority, after its name.
const firstVersion = ": it is of the first version of S3's schema, and has no priority)"

// nameOfRule returns the name that a rule has in the bucket, also of one that a mirror shows in words.
func nameOfRule(r replicationRule) string {
	if quoted, is := strings.CutSuffix(r.Name, firstVersion); is {
		if name, err := strconv.Unquote(strings.TrimPrefix(quoted, "(rule ")); err == nil {
			return name
		}
	}
	return r.Name
}
