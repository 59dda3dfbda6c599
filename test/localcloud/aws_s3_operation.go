package localcloud

import (
	"net/url"
	"slices"
	"strings"
)

// An s3Operation is an operation by its name in the API. Without do it is known and not implemented.
type s3Operation struct {
	name   string
	do     func(*s3Call) (reply, error)
	params []string // the query parameters it takes, beside the one that selects it
}

// takes reports whether the operation knows a query parameter. x-id is how SDKs name the operation to readers of logs.
func (o s3Operation) takes(name string) bool {
	return name == "x-id" || slices.Contains(o.params, name)
}

// s3Routes finds operations by scope (service, bucket or object), method and sub-resource.
var s3Routes = map[string]s3Operation{
	"service GET": {name: "ListBuckets", do: (*s3Call).listBuckets, params: []string{"max-buckets", "continuation-token", "prefix", "bucket-region"}},

	"bucket PUT":    {name: "CreateBucket", do: (*s3Call).createBucket},
	"bucket HEAD":   {name: "HeadBucket", do: (*s3Call).headBucket},
	"bucket DELETE": {name: "DeleteBucket", do: (*s3Call).deleteBucket},

	"bucket GET location": {name: "GetBucketLocation", do: (*s3Call).getLocation},

	"bucket GET versioning": {name: "GetBucketVersioning", do: (*s3Call).getVersioning},
	"bucket PUT versioning": {name: "PutBucketVersioning", do: (*s3Call).putVersioning},

	"bucket GET tagging":    {name: "GetBucketTagging", do: (*s3Call).getTagging},
	"bucket PUT tagging":    {name: "PutBucketTagging", do: (*s3Call).putTagging},
	"bucket DELETE tagging": {name: "DeleteBucketTagging", do: (*s3Call).deleteTagging},

	"bucket GET encryption":    {name: "GetBucketEncryption", do: (*s3Call).getEncryption},
	"bucket PUT encryption":    {name: "PutBucketEncryption", do: (*s3Call).putEncryption},
	"bucket DELETE encryption": {name: "DeleteBucketEncryption", do: (*s3Call).deleteEncryption},

	"bucket GET publicAccessBlock":    {name: "GetPublicAccessBlock", do: (*s3Call).getPublicAccessBlock},
	"bucket PUT publicAccessBlock":    {name: "PutPublicAccessBlock", do: (*s3Call).putPublicAccessBlock},
	"bucket DELETE publicAccessBlock": {name: "DeletePublicAccessBlock", do: (*s3Call).deletePublicAccessBlock},

	"bucket GET ownershipControls":    {name: "GetBucketOwnershipControls", do: (*s3Call).getOwnership},
	"bucket PUT ownershipControls":    {name: "PutBucketOwnershipControls", do: (*s3Call).putOwnership},
	"bucket DELETE ownershipControls": {name: "DeleteBucketOwnershipControls", do: (*s3Call).deleteOwnership},
}

// s3Unimplemented names what a sub-resource configures, for operations that are known and missing.
var s3Unimplemented = map[string]string{
	"accelerate": "BucketAccelerateConfiguration", "acl": "Acl", "analytics": "BucketAnalyticsConfiguration",
	"attributes": "ObjectAttributes", "cors": "BucketCors", "intelligent-tiering": "BucketIntelligentTieringConfiguration",
	"inventory": "BucketInventoryConfiguration", "legal-hold": "ObjectLegalHold", "lifecycle": "BucketLifecycleConfiguration",
	"location": "BucketLocation", "logging": "BucketLogging", "metadataTable": "BucketMetadataTableConfiguration",
	"metrics": "BucketMetricsConfiguration", "notification": "BucketNotificationConfiguration",
	"object-lock": "ObjectLockConfiguration", "policy": "BucketPolicy", "policyStatus": "BucketPolicyStatus",
	"publicAccessBlock": "PublicAccessBlock", "replication": "BucketReplication",
	"requestPayment": "BucketRequestPayment", "restore": "RestoreObject", "retention": "ObjectRetention",
	"select": "SelectObjectContent", "session": "Session", "tagging": "Tagging", "torrent": "ObjectTorrent",
	"encryption": "BucketEncryption", "ownershipControls": "BucketOwnershipControls", "versioning": "BucketVersioning",
	"versions": "ObjectVersions", "uploads": "MultipartUpload", "uploadId": "MultipartUpload", "delete": "Objects",
	"list-type": "ObjectsV2",
}

// findS3Operation returns the operation that a call names; what is not known gets a name that says so.
func findS3Operation(method string, query url.Values, bucket, key string) s3Operation {
	scope := "object"
	switch {
	case bucket == "":
		scope = "service"
	case key == "":
		scope = "bucket"
	}
	sub := ""
	for name := range query {
		if _, ok := s3Unimplemented[name]; ok {
			sub = name
		}
	}
	op, ok := s3Routes[strings.TrimSpace(scope+" "+method+" "+sub)]
	if !ok {
		verb := method[:1] + strings.ToLower(method[1:])
		if sub == "" {
			return s3Operation{name: verb + scope[:1] + scope[1:]}
		}
		return s3Operation{name: verb + s3Unimplemented[sub]}
	}
	if sub != "" {
		op.params = append(slices.Clone(op.params), sub)
	}
	return op
}
