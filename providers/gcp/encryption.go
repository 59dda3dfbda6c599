package gcp

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// bucketLacks are what buckets have in other clouds and not in Cloud Storage.
var bucketLacks = slices.Concat(keyLacks, labelLacks, []driver.Lack{originLack, autoclassLack, redirectLack, hierarchyLack}, lifecycleLacks)

// keyLacks are keys that Google Cloud can't have: ARNs, aliases and ids of AWS KMS.
// https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html#key-id
var keyLacks = []driver.Lack{{
	Field: "encryption.key", Match: "^(arn:|alias/|mrk-|[0-9a-f]{8}-)", Values: "a key of AWS KMS", Why: "Google Cloud encrypts with keys of Cloud KMS",
	Instead: "set spec.encryption.key to projects/P/locations/L/keyRings/R/cryptoKeys/K",
}}
