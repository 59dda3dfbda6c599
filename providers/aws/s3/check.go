package s3

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// checkDraft refuses documents of a web site that redirects, suspended versioning beside a retention, notifications that contradict each other,
// and a key of another region than the bucket's, which S3 takes, only to refuse every upload.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html
func checkDraft(draft driver.Draft) ([]driver.Refusal, error) {
	return table.CheckOf(draft, func(spec, observed *v1alpha1.BucketParameters, location string) []driver.Refusal {
		return table.Refused(slices.Concat(checkNotifications(spec, location), checkInventories(spec, location), checkNamed(spec), []error{session.CheckKey("encryption.key", portable.WantedBucketKey(spec), location), checkSite(spec.Website), checkRetention(spec), checkReplication(spec), checkLifecycle(spec),
			checkLockout(spec), checkPublicPolicy(spec, observed)})...)
	})
}
