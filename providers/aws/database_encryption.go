package aws

import (
	"errors"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

const diskKeyInstead = "create another Database with the key and move the data there"

// An instance keeps the key that it was created with, and one without encryption stays so.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.html#Overview.Encryption.Limitations
var diskKeyRow = table.Field("encryption.key", driver.WantedDiskKey,
	func(i *instance) *string { return unlessOwn(i.KmsKeyId) },
	func(p *instanceParams, v string) { p.KmsKeyId = &v },
).Equal(sameDiskKey, "the ARN of a key that the spec names by its id; and any key where the spec names an alias").
	Immutable(diskKeyInstead).
	Refers(driver.ReferenceKey).
	Indirect(alias.String())

// sameDiskKey compares the key of a spec with the ARN that RDS reports. Which key an alias points to, only AWS KMS knows, and it may point
// to another one by now: an alias says which key a new server gets, and nothing of one that exists.
func sameDiskKey(want, have string) bool {
	return want == have || isAlias(want) || strings.HasSuffix(have, ":key/"+want)
}

// alias finds the name or the ARN of an alias.
var alias = regexp.MustCompile(`(^|:)alias/`)

func isAlias(key string) bool { return alias.MatchString(key) }

// explainKey says what to do about a key that RDS can't use. RDS says no more than that the key is missing, disabled, or not for this identity.
// next is newKeys or storedKey, empty if the call carries no key.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.Keys.html (Authorizing use of a customer managed key)
func explainKey(err error, next string) error {
	var e *driver.Error
	if next == "" || apiCode(err) != "KMSKeyNotAccessible" || !errors.As(err, &e) {
		return err
	}
	explained := *e
	explained.Message = next + ", and allow kms:CreateGrant and kms:DescribeKey on it to this identity: " + e.Message
	return &explained
}

// newKeys names the fields of the keys that a creation carries, and that of the disk if it carries none: each disk has one.
func newKeys(in *rds.CreateDBInstanceInput) string {
	fields := "spec.encryption.key"
	switch {
	case in.PerformanceInsightsKMSKeyId != nil && in.KmsKeyId != nil:
		fields += " and in " + insightsKey
	case in.PerformanceInsightsKMSKeyId != nil:
		fields = insightsKey
	}
	return "name an enabled key of the server's region in " + fields
}

// storedKey is newKeys for a change: a server keeps the key of its disk, and that of Performance Insights once it has one.
func storedKey(in *rds.ModifyDBInstanceInput, have *instance) string {
	switch {
	case in.PerformanceInsightsKMSKeyId == nil:
		return ""
	case unlessOwn(have.PerformanceInsightsKMSKeyId) == nil:
		return "name an enabled key of the server's region in " + insightsKey
	}
	return "enable the key of Performance Insights (" + insightsKey + "), which the server keeps for good"
}
