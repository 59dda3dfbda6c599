package portable

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// WantedBucketKey returns the key that a bucket is to be encrypted with: nil if the spec does not speak of encryption, and empty,
// which is the cloud's own key, if it does and names none.
func WantedBucketKey(p *v1alpha1.BucketParameters) *string {
	switch {
	case p.Encryption == nil:
		return nil
	case p.Encryption.Key == nil:
		return new("")
	}
	return p.Encryption.Key
}

// WantedDiskKey returns the key that a database server's disk is to be encrypted with: nil if the spec names none.
func WantedDiskKey(p *v1alpha1.DatabaseParameters) *string {
	if p.Encryption == nil {
		return nil
	}
	return p.Encryption.Key
}
