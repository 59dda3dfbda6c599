package storage

import (
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleKey takes a key without a name for none.
func settleKey(c *change) error {
	if encryption, ok := c.resource["encryption"].(google.Object); ok && encryption["defaultKmsKeyName"] == "" {
		delete(encryption, "defaultKmsKeyName")
		if google.Empty(encryption) {
			delete(c.resource, "encryption")
		}
	}
	return nil
}

// validKey demands a key where the bucket is, and refuses another one that Cloud Storage may not use yet.
func validKey(c *change) error {
	name := keyOf(c.now)
	if name == "" {
		return nil
	}
	key := google.KMSKeyNames.FindStringSubmatch(name)
	if key == nil {
		return google.Invalid("Malformed Cloud KMS crypto key: " + name)
	}
	want := strings.ToLower(c.now.Location)
	if multi := gcsMultiRegions[c.now.Location]; multi != "" {
		want = multi
	}
	if key[1] != want {
		return google.Invalid(fmt.Sprintf("Cloud KMS key location '%s' does not match bucket location '%s'.", key[1], c.now.Location))
	}
	if name != keyOf(c.old) && c.Cloud.Fresh.Has(name, c.Now) {
		return google.Err(http.StatusForbidden, "forbidden", "Permission denied on Cloud KMS key. Please ensure that your Cloud Storage service account has been authorized to use this key.")
	}
	return nil
}

func keyOf(b *storage.Bucket) string {
	if b == nil || b.Encryption == nil {
		return ""
	}
	return b.Encryption.DefaultKmsKeyName
}
