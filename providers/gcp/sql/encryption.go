package sql

import (
	"errors"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
)

// haveDiskKey returns the customer's key of an instance; nil if the disk is encrypted with a key of Google's.
func haveDiskKey(i *instance) *string {
	if i.DiskEncryptionConfiguration == nil {
		return nil
	}
	return resource.Present(i.DiskEncryptionConfiguration.KmsKeyName)
}

func setDiskKey(p *instanceParams, into *sqladmin.DatabaseInstance) {
	into.DiskEncryptionConfiguration = &sqladmin.DiskEncryptionConfiguration{KmsKeyName: *p.KmsKeyName}
}

// explainKey says what to do about a key that Cloud SQL can't use: its own words name no field. No recording shows them: that they speak of
// KMS is how other services of Google Cloud put it.
// https://cloud.google.com/sql/docs/postgres/configure-cmek https://github.com/hashicorp/terraform-provider-google/issues/15415
func explainKey(err error, body *sqladmin.DatabaseInstance) error {
	var e *driver.Error
	if body.DiskEncryptionConfiguration == nil || !errors.As(err, &e) || !strings.Contains(strings.ToLower(e.Message), "kms") {
		return err
	}
	explained := *e
	explained.Message = "set spec.encryption.key to an enabled key of the server's location, and give the project's service account of Cloud SQL " +
		"(service-PROJECT_NUMBER@gcp-sa-cloud-sql.iam.gserviceaccount.com) the role roles/cloudkms.cryptoKeyEncrypterDecrypter for it: " + e.Message
	return &explained
}
