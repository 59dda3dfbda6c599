package s3

import (
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Errors say what the error codes of S3 mean. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
var Errors = session.Errors{
	"NoSuchBucket":                 {Code: driver.NotFound},
	"NotFound":                     {Code: driver.NotFound}, // HeadBucket, which has no body to carry a code
	"AuthorizationHeaderMalformed": {Code: driver.Conflict}, // the bucket is in another region
	"BucketAlreadyExists":          {Code: driver.Conflict, Message: "a bucket of that name exists in another account, and names are global: choose another with spec.externalName"},
	"BucketAlreadyOwnedByYou":      {Code: driver.Conflict, Message: "a bucket of that name exists in this account already"},
	"InvalidBucketState":           {Code: driver.Invalid},
	"InvalidS3DestinationBucket":   {Code: driver.Invalid, Settling: true},
	"MovedPermanently":             {Code: driver.Conflict},
	"PermanentRedirect":            {Code: driver.Conflict},
	"TemporaryRedirect":            {Code: driver.Conflict},
	"BucketNotEmpty":               {Code: driver.NotEmpty, Message: "the bucket is not empty: empty it, or set spec.forceDestroy: true to delete everything in it"},
	"ConditionalRequestConflict":   {Code: driver.Busy},
	"OperationAborted":             {Code: driver.Busy}, // another change of the same bucket is under way
	"TooManyBuckets":               {Code: driver.Quota},
	"TooManyConfigurations":        {Code: driver.Quota}, // 1,000 of a sort in a bucket
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-ownership-error-responses.html
	"InvalidBucketAclWithObjectOwnership": {Code: driver.Invalid, Message: "the ACL of the bucket grants access to others, so S3 does not switch ACLs off: reset that ACL to private, or set spec.aws.objectOwnership to BucketOwnerPreferred"},
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html
	"CrossLocationLoggingProhibitted": {Code: driver.Invalid, Message: "S3 writes the logs of a bucket only to a bucket in the same region: set spec.logging.bucket to one there"}, // so it is spelled
	"InvalidTargetBucketForLogging":   {Code: driver.Invalid, Settling: true, Message: "S3 can't write logs to the bucket of spec.logging.bucket: choose one that exists, belongs to the same account, and lets logging.s3.amazonaws.com write by its policy"},
}
