package s3

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// An s3Operation is an operation by its name in the API. Without do it is known and not implemented.
type s3Operation struct {
	name    string
	do      func(*s3Call) (cloud.Reply, error)
	params  []string // the query parameters it takes, beside the one that selects it
	headers []string // of those that begin with X-Amz-
}

// s3Headers are the headers, among those that change what an operation does, that every operation takes.
var s3Headers = []string{
	"X-Amz-Content-Sha256", "X-Amz-Date", "X-Amz-Decoded-Content-Length", "X-Amz-Expected-Bucket-Owner", "X-Amz-Sdk-Checksum-Algorithm",
	"X-Amz-Security-Token", "X-Amz-Trailer", "X-Amz-User-Agent",
}

// unknown returns what the caller asks for beyond what the operation knows; to ignore it would be kinder than S3.
func (o s3Operation) unknown(query url.Values, header http.Header) string {
	for name := range query {
		// x-id is how SDKs name the operation to readers of logs.
		if name != "x-id" && !slices.Contains(o.params, name) {
			return "the query parameter " + name
		}
	}
	for name := range header {
		switch {
		case name == "Range" || name == "If-Match" || name == "If-None-Match" || name == "If-Modified-Since" || name == "If-Unmodified-Since":
			return "the header " + name
		case !strings.HasPrefix(name, "X-Amz-"), slices.Contains(s3Headers, name), slices.Contains(o.headers, name):
		case strings.HasPrefix(name, "X-Amz-Checksum-") && name != "X-Amz-Checksum-Mode" && name != "X-Amz-Checksum-Algorithm":
		case o.name == "PutObject" && strings.HasPrefix(name, "X-Amz-Meta-"):
		default:
			return "the header " + name
		}
	}
	return ""
}

// s3Routes finds operations by scope (service, bucket or object), method and sub-resource.
var s3Routes = map[string]s3Operation{
	"service GET": {name: "ListBuckets", do: (*s3Call).listBuckets, params: []string{"max-buckets", "continuation-token", "prefix", "bucket-region"}},

	"bucket PUT": {
		name: "CreateBucket", do: (*s3Call).createBucket,
		headers: []string{"X-Amz-Acl", "X-Amz-Object-Ownership", "X-Amz-Bucket-Object-Lock-Enabled", "X-Amz-Bucket-Namespace"},
	},
	"bucket HEAD":   {name: "HeadBucket", do: (*s3Call).headBucket},
	"bucket DELETE": {name: "DeleteBucket", do: (*s3Call).deleteBucket},

	"bucket GET location": {name: "GetBucketLocation", do: (*s3Call).getLocation},

	"bucket GET abac": {name: "GetBucketAbac", do: (*s3Call).getAbac},
	"bucket PUT abac": {name: "PutBucketAbac", do: (*s3Call).putAbac},

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

	"bucket GET website":    {name: "GetBucketWebsite", do: (*s3Call).getWebsite},
	"bucket PUT website":    {name: "PutBucketWebsite", do: (*s3Call).putWebsite},
	"bucket DELETE website": {name: "DeleteBucketWebsite", do: (*s3Call).deleteWebsite},

	"bucket GET cors":    {name: "GetBucketCors", do: (*s3Call).getCORS},
	"bucket PUT cors":    {name: "PutBucketCors", do: (*s3Call).putCORS},
	"bucket DELETE cors": {name: "DeleteBucketCors", do: (*s3Call).deleteCORS},

	"bucket GET lifecycle":    {name: "GetBucketLifecycleConfiguration", do: (*s3Call).getLifecycle},
	"bucket PUT lifecycle":    {name: "PutBucketLifecycleConfiguration", do: (*s3Call).putLifecycle, headers: []string{smallestHeader}},
	"bucket DELETE lifecycle": {name: "DeleteBucketLifecycle", do: (*s3Call).deleteLifecycle},

	"bucket GET requestPayment": {name: "GetBucketRequestPayment", do: (*s3Call).getPayment},
	"bucket PUT requestPayment": {name: "PutBucketRequestPayment", do: (*s3Call).putPayment},

	"bucket GET logging": {name: "GetBucketLogging", do: (*s3Call).getLogging},
	"bucket PUT logging": {name: "PutBucketLogging", do: (*s3Call).putLogging},

	"bucket GET accelerate": {name: "GetBucketAccelerateConfiguration", do: (*s3Call).getAcceleration},
	"bucket PUT accelerate": {name: "PutBucketAccelerateConfiguration", do: (*s3Call).putAcceleration},

	"bucket GET notification": {name: "GetBucketNotificationConfiguration", do: (*s3Call).getNotifications},
	"bucket PUT notification": {name: "PutBucketNotificationConfiguration", do: (*s3Call).putNotifications, headers: []string{"X-Amz-Skip-Destination-Validation"}},

	"bucket GET replication":    {name: "GetBucketReplication", do: (*s3Call).getReplication},
	"bucket PUT replication":    {name: "PutBucketReplication", do: (*s3Call).putReplication},
	"bucket DELETE replication": {name: "DeleteBucketReplication", do: (*s3Call).deleteReplication},

	"bucket GET policy":       {name: "GetBucketPolicy", do: (*s3Call).getPolicy},
	"bucket PUT policy":       {name: "PutBucketPolicy", do: (*s3Call).putPolicy, headers: []string{"X-Amz-Confirm-Remove-Self-Bucket-Access"}},
	"bucket DELETE policy":    {name: "DeleteBucketPolicy", do: (*s3Call).deletePolicy},
	"bucket GET policyStatus": {name: "GetBucketPolicyStatus", do: (*s3Call).getPolicyStatus},

	"bucket GET acl": {name: "GetBucketAcl", do: (*s3Call).getACL},
	"bucket PUT acl": {name: "PutBucketAcl", do: (*s3Call).putACL, headers: []string{"X-Amz-Acl"}},

	"bucket GET object-lock": {name: "GetObjectLockConfiguration", do: (*s3Call).getObjectLock},
	"bucket PUT object-lock": {name: "PutObjectLockConfiguration", do: (*s3Call).putObjectLock},
	"object GET retention":   {name: "GetObjectRetention", do: (*s3Call).getRetention, params: []string{"versionId"}},
	"object PUT retention":   {name: "PutObjectRetention", do: (*s3Call).putRetention, params: []string{"versionId"}},
	"object PUT legal-hold":  {name: "PutObjectLegalHold", do: (*s3Call).putHold, params: []string{"versionId"}},

	"bucket GET list-type": {
		name: "ListObjectsV2", do: (*s3Call).listObjects,
		params: []string{"prefix", "delimiter", "max-keys", "start-after", "continuation-token", "encoding-type", "fetch-owner"},
	},
	"bucket GET versions": {
		name: "ListObjectVersions", do: (*s3Call).listVersions,
		params: []string{"prefix", "delimiter", "max-keys", "key-marker", "version-id-marker", "encoding-type"},
	},
	"bucket GET uploads": {
		name: "ListMultipartUploads", do: (*s3Call).listUploads,
		params: []string{"prefix", "max-uploads", "key-marker", "upload-id-marker"},
	},
	"bucket POST delete": {name: "DeleteObjects", do: (*s3Call).deleteObjects},

	"object PUT":             {name: "PutObject", do: (*s3Call).putObject, headers: append([]string{"X-Amz-Storage-Class"}, wormHeaders...)},
	"object GET":             {name: "GetObject", do: (*s3Call).getObject, params: []string{"versionId"}, headers: []string{"X-Amz-Checksum-Mode"}},
	"object HEAD":            {name: "HeadObject", do: (*s3Call).getObject, params: []string{"versionId"}, headers: []string{"X-Amz-Checksum-Mode"}},
	"object DELETE":          {name: "DeleteObject", do: (*s3Call).deleteObject, params: []string{"versionId"}},
	"object POST uploads":    {name: "CreateMultipartUpload", do: (*s3Call).createUpload, headers: append([]string{"X-Amz-Checksum-Algorithm"}, wormHeaders...)},
	"object DELETE uploadId": {name: "AbortMultipartUpload", do: (*s3Call).abortUpload},

	"bucket GET":           {name: "ListObjects"},
	"object PUT uploadId":  {name: "UploadPart"},
	"object POST uploadId": {name: "CompleteMultipartUpload"},
	"object GET uploadId":  {name: "ListParts"},
}

// s3Unimplemented names what a sub-resource configures, for operations that are known and missing.
var s3Unimplemented = map[string]string{
	"accelerate": "BucketAccelerateConfiguration", "acl": "Acl", "analytics": "BucketAnalyticsConfiguration",
	"abac": "BucketAbac", "attributes": "ObjectAttributes", "cors": "BucketCors", "intelligent-tiering": "BucketIntelligentTieringConfiguration",
	"inventory": "BucketInventoryConfiguration", "legal-hold": "ObjectLegalHold", "lifecycle": "BucketLifecycleConfiguration",
	"location": "BucketLocation", "logging": "BucketLogging", "metadataTable": "BucketMetadataTableConfiguration",
	"metrics": "BucketMetricsConfiguration", "notification": "BucketNotificationConfiguration",
	"object-lock": "ObjectLockConfiguration", "policy": "BucketPolicy", "policyStatus": "BucketPolicyStatus",
	"publicAccessBlock": "PublicAccessBlock", "replication": "BucketReplication",
	"requestPayment": "BucketRequestPayment", "restore": "RestoreObject", "retention": "ObjectRetention",
	"select": "SelectObjectContent", "session": "Session", "tagging": "Tagging", "torrent": "ObjectTorrent",
	"encryption": "BucketEncryption", "ownershipControls": "BucketOwnershipControls", "versioning": "BucketVersioning",
	"versions": "ObjectVersions", "uploads": "MultipartUpload", "uploadId": "MultipartUpload", "delete": "Objects",
	"list-type": "ObjectsV2", "website": "BucketWebsite",
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
	route := strings.TrimSpace(scope + " " + method + " " + sub)
	if _, one := s3Routes[route+" id"]; one && query.Has("id") {
		route += " id"
	}
	op, ok := s3Routes[route]
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
