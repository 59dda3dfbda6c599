package s3

import (
	"encoding/xml"
	"net/http"
	"slices"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

type ownershipRule struct {
	ObjectOwnership string
}

type ownershipControls struct {
	XMLName   xml.Name        `xml:"OwnershipControls"`
	Namespace string          `xml:"xmlns,attr,omitempty"`
	Rule      []ownershipRule `xml:"Rule"`
}

var ownershipDocument = &document[ownershipControls]{
	sub: "ownershipControls", noun: "BucketOwnershipControls",
	get: func(b *s3Bucket) *ownershipControls {
		if b.ownership == "" {
			return nil
		}
		return &ownershipControls{Namespace: namespace, Rule: []ownershipRule{{b.ownership}}}
	},
	absent: absence{"OwnershipControlsNotFoundError", "The bucket ownership controls were not found"},
	check: func(_ *call, b *s3Bucket, asked *ownershipControls) error {
		switch {
		case len(asked.Rule) != 1 || !slices.Contains(objectOwnerships, asked.Rule[0].ObjectOwnership):
			return malformedXML()
		case asked.Rule[0].ObjectOwnership == bucketOwnerEnforced && b.acl != "private":
			return amazon.Err(http.StatusBadRequest, "InvalidBucketAclWithObjectOwnership", "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting")
		}
		return nil
	},
	put:    func(_ *call, b *s3Bucket, asked *ownershipControls) { b.ownership = asked.Rule[0].ObjectOwnership },
	remove: func(_ *call, b *s3Bucket) { b.ownership = "" },
}
