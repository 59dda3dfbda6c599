package rds

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

const diskKeyInstead = "create another Database with the key and move the data there"

// An instance keeps the key that it was created with, and one without encryption stays so.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.html#Overview.Encryption.Limitations
var diskKeyRow = table.Field("encryption.key", portable.WantedDiskKey,
	func(i *instance) *string { return session.NonEmpty(i.KmsKeyId) },
	func(p *instanceParams, v string) { p.KmsKeyId = &v },
).Equal(createdWith, "the ARN of a key that the spec names by its id; and any key where the spec names an alias").
	Immutable(diskKeyInstead).
	Refers(driver.ReferenceKey).
	Indirect(alias.String())

// createdWith reports whether a server with a key may have been created with what the spec names. Which key an alias points to, only AWS KMS knows, and it may point
// to another one by now: an alias says which key a new server gets, and nothing of one that exists.
func createdWith(want, have string) bool {
	return isAlias(want) || sameDiskKey(want, have)
}

// sameDiskKey reports whether a spec names the key whose ARN RDS reports. An alias names none for certain.
func sameDiskKey(want, have string) bool {
	return want == have || strings.HasSuffix(have, ":key/"+want)
}

// withUnknownKey adds to changes that a key can't change to the one of an alias, where an instance was not made for the object of a request: nobody knows whether that has the key to which the alias points, so it is
// not taken over as if it had. What an earlier object of the same namespace and name had made was made with the alias.
func withUnknownKey(req *request, have *instance, mark driver.Mark, changes []driver.Change) []driver.Change {
	want, key := portable.WantedDiskKey(&req.Spec), aws.ToString(have.KmsKeyId)
	if want == nil || !isAlias(*want) || key == "" || mark.SameOwner(req.Mark) {
		return changes
	}
	return append(slices.Clone(changes), driver.Change{Field: "encryption.key", From: key, To: *want, Effect: driver.Impossible,
		Why: "only AWS KMS knows to which key the alias points: set spec.encryption.key to the key itself"})
}

// otherKey says why a server that RDS makes with the key of something, such as a snapshot, does not get the one that a spec names, and what to do; empty if that is
// the same, or if the spec names none. An alias may point to any key, and the server keeps its own for good, so an alias is not taken for that key. instead is what else
// there is to do about another key; empty for nothing.
func otherKey(want *string, of, key, instead string) string {
	switch {
	case want == nil || sameDiskKey(*want, key):
		return ""
	case isAlias(*want):
		return fmt.Sprintf("RDS makes it with the key of %s, which is %s, and only AWS KMS knows to which key %s in spec.encryption.key points: set spec.encryption.key to %s, or remove spec.encryption",
			of, key, *want, key)
	}
	return fmt.Sprintf("RDS makes it with the key of %s, which is %s, and not with the key in spec.encryption.key: remove spec.encryption%s", of, key, instead)
}

// alias finds the name or the ARN of an alias.
var alias = regexp.MustCompile(`(^|:)alias/`)

func isAlias(key string) bool { return alias.MatchString(key) }

// explainKey says what to do about a key that RDS can't use. RDS says no more than that the key is missing, disabled, or not for this identity.
// next is newKeys or storedKey, empty if the call carries no key.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.Keys.html (Authorizing use of a customer managed key)
func explainKey(err error, next string) error {
	var e *driver.Error
	if next == "" || session.ErrorCode(err) != "KMSKeyNotAccessible" || !errors.As(err, &e) {
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
	case session.NonEmpty(have.PerformanceInsightsKMSKeyId) == nil:
		return "name an enabled key of the server's region in " + insightsKey
	}
	return "enable the key of Performance Insights (" + insightsKey + "), which the server keeps for good"
}
