package aws

import "github.com/mooring-dev/mooring/providers/driver"

// bucketCodes say what the error codes of S3 mean. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
var bucketCodes = map[string]driver.Code{
	"NoSuchBucket":                 driver.NotFound,
	"NotFound":                     driver.NotFound, // HeadBucket, which has no body to carry a code
	"AuthorizationHeaderMalformed": driver.Conflict, // the bucket is in another region
	"BucketAlreadyExists":          driver.Conflict,
	"BucketAlreadyOwnedByYou":      driver.Conflict,
	"InvalidBucketState":           driver.Invalid,
	"MovedPermanently":             driver.Conflict,
	"PermanentRedirect":            driver.Conflict,
	"TemporaryRedirect":            driver.Conflict,
	"BucketNotEmpty":               driver.NotEmpty,
	"ConditionalRequestConflict":   driver.Busy,
	"OperationAborted":             driver.Busy, // another change of the same bucket is under way
	"TooManyBuckets":               driver.Quota,
	"TooManyConfigurations":        driver.Quota, // 1,000 of a sort in a bucket
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-ownership-error-responses.html
	"InvalidBucketAclWithObjectOwnership": driver.Invalid,
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html
	"CrossLocationLoggingProhibitted": driver.Invalid, // so it is spelled
	"InvalidTargetBucketForLogging":   driver.Invalid,
}

// bucketMessages are for codes whose own text does not help a person.
var bucketMessages = map[string]string{
	"BucketAlreadyExists":                 "a bucket of that name exists in another account, and names are global: choose another with spec.externalName",
	"BucketAlreadyOwnedByYou":             "a bucket of that name exists in this account already",
	"InvalidBucketAclWithObjectOwnership": "the ACL of the bucket grants access to others, so S3 does not switch ACLs off: reset that ACL to private, or set spec.aws.objectOwnership to BucketOwnerPreferred",
	"CrossLocationLoggingProhibitted":     "S3 writes the logs of a bucket only to a bucket in the same region: set spec.logging.bucket to one there",
	"InvalidTargetBucketForLogging":       "S3 can't write logs to the bucket of spec.logging.bucket: choose one that exists, belongs to the same account, and lets logging.s3.amazonaws.com write by its policy",
	"BucketNotEmpty":                      "the bucket is not empty: empty it, or set spec.forceDestroy: true to delete everything in it",
}

func init() { addErrors(bucketCodes, bucketMessages) }
