package gcp

import "google.golang.org/api/sqladmin/v1"

// haveDiskKey returns the customer's key of an instance; nil if the disk is encrypted with a key of Google's.
func haveDiskKey(i *instance) *string {
	if i.DiskEncryptionConfiguration == nil {
		return nil
	}
	return present(i.DiskEncryptionConfiguration.KmsKeyName)
}

func setDiskKey(p *instanceParams, into *sqladmin.DatabaseInstance) {
	into.DiskEncryptionConfiguration = &sqladmin.DiskEncryptionConfiguration{KmsKeyName: *p.KmsKeyName}
}
