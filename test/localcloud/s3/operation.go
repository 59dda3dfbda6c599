package s3

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// An operation is an operation by its name in the API. Without do it is known and not implemented.
type operation struct {
	name    string
	do      func(*call) (cloud.Reply, error)
	params  []string // the query parameters it takes, beside the one that selects it
	headers []string // of those that begin with X-Amz-
}

// everyHeader are the headers, among those that change what an operation does, that every operation takes.
var everyHeader = []string{
	"X-Amz-Content-Sha256", "X-Amz-Date", "X-Amz-Decoded-Content-Length", "X-Amz-Expected-Bucket-Owner", "X-Amz-Sdk-Checksum-Algorithm",
	"X-Amz-Security-Token", "X-Amz-Trailer", "X-Amz-User-Agent",
}

// unknown returns what the caller asks for beyond what the operation knows; to ignore it would be kinder than S3.
func (o operation) unknown(query url.Values, header http.Header) string {
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
		case !strings.HasPrefix(name, "X-Amz-"), slices.Contains(everyHeader, name), slices.Contains(o.headers, name):
		case strings.HasPrefix(name, "X-Amz-Checksum-") && name != "X-Amz-Checksum-Mode" && name != "X-Amz-Checksum-Algorithm":
		case o.name == "PutObject" && strings.HasPrefix(name, "X-Amz-Meta-"):
		default:
			return "the header " + name
		}
	}
	return ""
}

// routes finds operations by scope (service, bucket or object), method and sub-resource. Those of documents are in document.go and named.go.
var routes = map[string]operation{
	"service GET": {name: "ListBuckets", do: (*call).listBuckets, params: []string{"max-buckets", "continuation-token", "prefix", "bucket-region"}},

	"bucket PUT": {
		name: "CreateBucket", do: (*call).createBucket,
		headers: []string{"X-Amz-Acl", "X-Amz-Object-Ownership", "X-Amz-Bucket-Object-Lock-Enabled", "X-Amz-Bucket-Namespace"},
	},
	"bucket HEAD":   {name: "HeadBucket", do: (*call).headBucket},
	"bucket DELETE": {name: "DeleteBucket", do: (*call).deleteBucket},

	"bucket GET location": {name: "GetBucketLocation", do: (*call).getLocation},

	"bucket GET policyStatus": {name: "GetBucketPolicyStatus", do: (*call).getPolicyStatus},

	"bucket GET acl": {name: "GetBucketAcl", do: (*call).getACL},
	"bucket PUT acl": {name: "PutBucketAcl", do: (*call).putACL, headers: []string{"X-Amz-Acl"}},

	"object GET retention":  {name: "GetObjectRetention", do: (*call).getRetention, params: []string{"versionId"}},
	"object PUT retention":  {name: "PutObjectRetention", do: (*call).putRetention, params: []string{"versionId"}},
	"object PUT legal-hold": {name: "PutObjectLegalHold", do: (*call).putHold, params: []string{"versionId"}},

	"bucket GET list-type": {
		name: "ListObjectsV2", do: (*call).listObjects,
		params: []string{"prefix", "delimiter", "max-keys", "start-after", "continuation-token", "encoding-type", "fetch-owner"},
	},
	"bucket GET versions": {
		name: "ListObjectVersions", do: (*call).listVersions,
		params: []string{"prefix", "delimiter", "max-keys", "key-marker", "version-id-marker", "encoding-type"},
	},
	"bucket GET uploads": {
		name: "ListMultipartUploads", do: (*call).listUploads,
		params: []string{"prefix", "max-uploads", "key-marker", "upload-id-marker"},
	},
	"bucket POST delete": {name: "DeleteObjects", do: (*call).deleteObjects},

	"object PUT":             {name: "PutObject", do: (*call).putObject, headers: append([]string{"X-Amz-Storage-Class"}, wormHeaders...)},
	"object GET":             {name: "GetObject", do: (*call).getObject, params: []string{"versionId"}, headers: []string{"X-Amz-Checksum-Mode"}},
	"object HEAD":            {name: "HeadObject", do: (*call).getObject, params: []string{"versionId"}, headers: []string{"X-Amz-Checksum-Mode"}},
	"object DELETE":          {name: "DeleteObject", do: (*call).deleteObject, params: []string{"versionId"}},
	"object POST uploads":    {name: "CreateMultipartUpload", do: (*call).createUpload, headers: append([]string{"X-Amz-Checksum-Algorithm"}, wormHeaders...)},
	"object DELETE uploadId": {name: "AbortMultipartUpload", do: (*call).abortUpload},

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

// findOperation returns the operation that a call names; what is not known gets a name that says so.
func findOperation(method string, query url.Values, bucket, key string) operation {
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
	if _, one := routes[route+" id"]; one && query.Has("id") {
		route += " id"
	}
	op, ok := routes[route]
	if !ok {
		verb := method[:1] + strings.ToLower(method[1:])
		if sub == "" {
			return operation{name: verb + scope[:1] + scope[1:]}
		}
		return operation{name: verb + s3Unimplemented[sub]}
	}
	if sub != "" {
		op.params = append(slices.Clone(op.params), sub)
	}
	return op
}
