package session

import (
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// KeyLacks are keys that AWS can't have: those of Cloud KMS.
// https://cloud.google.com/kms/docs/getting-resource-ids
var KeyLacks = []driver.Lack{{
	Field: "encryption.key", Match: "^projects/", Values: "a key of Cloud KMS", Why: "AWS encrypts with keys of AWS KMS",
	Instead: "set spec.encryption.key to the ARN of a key or alias of AWS KMS",
}}

// keyRegion finds the region of a key in an ARN. An id and a short alias are of whatever region the call goes to.
// https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html#key-id-key-ARN
var keyRegion = regexp.MustCompile(`^arn:aws[a-z-]*:kms:([a-z0-9-]+):`)

// CheckKey refuses a key of another region than the object's. A multi-Region key has an ARN in each region that it is in.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.Keys.html
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
func CheckKey(field string, key *string, location string) error {
	found := keyRegion.FindStringSubmatch(aws.ToString(key))
	if found == nil || location == "" || found[1] == location {
		return nil
	}
	return table.Fields{field, "location"}.Refuse("spec.%s is a key in %s, and the object is in %s, where AWS uses no key of another region: name a key in %[3]s", field, found[1], location)
}
