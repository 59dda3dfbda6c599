package aws

import "github.com/mooring-dev/mooring/providers/driver"

// keyLacks are keys that AWS can't have: those of Cloud KMS.
// https://cloud.google.com/kms/docs/getting-resource-ids
var keyLacks = []driver.Lack{{
	Field: "encryption.key", Match: "^projects/", Values: "a key of Cloud KMS", Why: "AWS encrypts with keys of AWS KMS",
	Instead: "set spec.encryption.key to the ARN of a key or alias of AWS KMS",
}}
