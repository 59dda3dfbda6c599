package s3

import (
	"encoding/xml"
)

type publicAccessBlock struct {
	BlockPublicAcls       bool
	IgnorePublicAcls      bool
	BlockPublicPolicy     bool
	RestrictPublicBuckets bool
}

type publicAccessBlockConfiguration struct {
	XMLName   xml.Name `xml:"PublicAccessBlockConfiguration"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	publicAccessBlock
}

// publicAccessDocument has all four: one that a put leaves out is off.
var publicAccessDocument = &document[publicAccessBlockConfiguration]{
	sub: "publicAccessBlock", noun: "PublicAccessBlock",
	get: func(b *s3Bucket) *publicAccessBlockConfiguration {
		if b.blocks == nil {
			return nil
		}
		return &publicAccessBlockConfiguration{Namespace: namespace, publicAccessBlock: *b.blocks}
	},
	absent: absence{"NoSuchPublicAccessBlockConfiguration", "The public access block configuration was not found"},
	put: func(c *call, b *s3Bucket, asked *publicAccessBlockConfiguration) {
		block(c, b, &asked.publicAccessBlock)
	},
	remove: func(c *call, b *s3Bucket) { block(c, b, nil) },
}

func block(c *call, b *s3Bucket, blocks *publicAccessBlock) {
	if b.blocks != nil && b.blocks.BlockPublicPolicy {
		b.unblocked = c.now.Add(c.lags[b.account])
	}
	b.blocks = blocks
}
