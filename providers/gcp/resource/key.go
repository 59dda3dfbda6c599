package resource

import (
	"regexp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// KeyLacks are keys that Google Cloud can't have: ARNs, aliases and ids of AWS KMS.
// https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html#key-id
var KeyLacks = []driver.Lack{{
	Field: "encryption.key", Match: "^(arn:|alias/|mrk-|[0-9a-f]{8}-)", Values: "a key of AWS KMS", Why: "Google Cloud encrypts with keys of Cloud KMS",
	Instead: "set spec.encryption.key to projects/P/locations/L/keyRings/R/cryptoKeys/K",
}}

// KeyLocation returns the location of a key, which its name says; empty if it says none.
// https://cloud.google.com/kms/docs/getting-resource-ids
func KeyLocation(key string) string {
	if found := keyName.FindStringSubmatch(key); found != nil {
		return found[1]
	}
	return ""
}

var keyName = regexp.MustCompile(`^projects/[^/]+/locations/([^/]+)/`)

// CheckKey refuses a key of another location than the object's. https://cloud.google.com/sql/docs/postgres/configure-cmek
func CheckKey(key *string, location string) error {
	if key == nil || location == "" {
		return nil
	}
	found := KeyLocation(*key)
	if found == "" || found == location {
		return nil
	}
	return table.Fields{"encryption.key", "location"}.Refuse("spec.encryption.key is a key in %s, and the object is in %s, where Google Cloud uses no key of another location: name a key in %[2]s",
		found, location)
}
