package s3

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// S3 takes a bucket with a key of another region, and nothing can be stored in it.
func TestCheckOfBuckets(t *testing.T) {
	for key, refused := range map[string]bool{"arn:aws:kms:us-east-1:111111111111:key/k": true, "arn:aws-cn:kms:us-east-1:111111111111:alias/k": true, "arn:aws:kms:eu-central-1:111111111111:key/k": false, "alias/k": false} {
		got, err := table.Kinds[*session.Session]{Buckets}.Check("AWS", "Bucket", driver.Draft{Spec: []byte(`{"encryption": {"key": "` + key + `"}}`), Location: "eu-central-1"})
		if err != nil || (len(got) == 1) != refused {
			t.Errorf("%s: %+v, %v", key, got, err)
		}
	}
}
