package storage

import (
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleLogging names the logs after the bucket where nobody chose another prefix. No recording shows logs. Nor does Cloud Storage look whether the
// bucket that they go to is there: https://github.com/GoogleCloudPlatform/gsutil/issues/1295
// https://cloud.google.com/storage/docs/access-logs
func settleLogging(c *change) error {
	logs, ok := c.resource["logging"].(google.Object)
	if !ok {
		return nil
	}
	if logs["logBucket"] == nil || logs["logBucket"] == "" {
		delete(c.resource, "logging")
	} else if logs["logObjectPrefix"] == nil {
		logs["logObjectPrefix"] = c.resource["name"]
	}
	return nil
}
