package s3

import (
	"encoding/xml"
	"net/http"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

type versioningConfiguration struct {
	XMLName   xml.Name `xml:"VersioningConfiguration"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	Status    string   `xml:"Status,omitempty"`
	MFADelete string   `xml:"MfaDelete,omitempty"`
}

// versioningDocument can be suspended, but never returns to the state before the bucket first had versions.
var versioningDocument = &document[versioningConfiguration]{
	sub: "versioning", noun: "BucketVersioning",
	get: func(b *s3Bucket) *versioningConfiguration {
		return &versioningConfiguration{Namespace: namespace, Status: b.versioning}
	},
	check: validVersioning,
	put:   func(_ *call, b *s3Bucket, asked *versioningConfiguration) { b.versioning = asked.Status },
}

func validVersioning(_ *call, b *s3Bucket, asked *versioningConfiguration) error {
	switch {
	case asked.MFADelete != "":
		return notImplemented("MfaDelete")
	case asked.Status == "":
		return amazon.Err(http.StatusBadRequest, "IllegalVersioningConfigurationException", "The Versioning element must be specified")
	case asked.Status != "Enabled" && asked.Status != "Suspended":
		return malformedXML()
	case b.objectLock && asked.Status == "Suspended":
		return amazon.Err(http.StatusConflict, "InvalidBucketState",
			"An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.")
	case b.replication != nil && asked.Status == "Suspended":
		return amazon.Err(http.StatusConflict, "InvalidBucketState",
			"A replication configuration is present on this bucket, so you cannot change the versioning state. To change the versioning state, first delete the replication configuration.")
	}
	return nil
}
