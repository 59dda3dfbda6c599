package recordings

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// An s3Answer is one recorded answer of S3. What was asked is in s3Cases.
type s3Answer struct {
	Step     string
	Response any // some are text
}

// status returns the status of the answer; where none was recorded it is the usual one of an error.
func (a *s3Answer) status() int {
	for _, status := range []any{at(a.Response, "ResponseMetadata", "HTTPStatusCode"), at(a.Response, "StatusCode")} {
		if number, ok := status.(float64); ok {
			return int(number)
		}
	}
	if stringAt(a.Response, "Error", "Code") == "AccessForbidden" {
		return http.StatusForbidden
	}
	return http.StatusBadRequest
}

// s3Placeholders are what stands in the recordings in place of what differs each time.
var s3Placeholders = strings.NewReplacer("datetime", "2026-02-21T01:04:28.000Z", "<partition>", "aws", "<region>", "us-east-1", "<us_east_1_region>", "us-east-1",
	"<bucket-region:1>", "eu-west-1")

// s3Bodies names the elements of answers: the root, and the elements of lists, which S3 writes without an element around them.
var s3Bodies = map[string]string{
	"GetBucketTagging": "Tagging", "GetBucketVersioning": "VersioningConfiguration", "GetBucketEncryption": "", "GetBucketReplication": "", "GetPublicAccessBlock": "", "GetBucketOwnershipControls": "",
	"GetBucketAccelerateConfiguration": "AccelerateConfiguration",

	"GetBucketWebsite": "WebsiteConfiguration", "GetBucketCors": "CORSConfiguration",
	"GetBucketLifecycleConfiguration": "LifecycleConfiguration", "ListBucketMetricsConfigurations": "ListMetricsConfigurationsResult",
	"ListBucketAnalyticsConfigurations": "ListBucketAnalyticsConfigurationResult", "ListBucketInventoryConfigurations": "ListInventoryConfigurationsResult",
	"ListObjectVersions": "ListVersionsResult", "ListBuckets": "ListAllMyBucketsResult",
}

var s3Flattened = map[string]string{"Rules": "Rule", "Versions": "Version", "DeleteMarkers": "DeleteMarker", "ChecksumAlgorithm": "ChecksumAlgorithm",
	"MetricsConfigurationList": "MetricsConfiguration", "AnalyticsConfigurationList": "AnalyticsConfiguration", "InventoryConfigurationList": "InventoryConfiguration",
	"Tag": "Tag", "CORSRules": "CORSRule", "AllowedMethods": "AllowedMethod", "AllowedOrigins": "AllowedOrigin", "AllowedHeaders": "AllowedHeader"}

// wire returns the answer to a call as S3 sends it.
func (a *s3Answer) wire(call string) awsAnswer {
	answer := awsAnswer{status: a.status(), header: http.Header{}}
	out := bytes.NewBufferString(xml.Header)
	response, _ := a.Response.(map[string]any)
	root, hasBody := s3Bodies[call]
	switch failure, failed := response["Error"]; {
	case call == "HeadBucket": // whose answers have no body
		answer.header.Set("X-Amz-Bucket-Region", s3Placeholders.Replace(stringAt(response, "BucketRegion")))
		return answer
	case failed:
		s3XML(out, "Error", failure)
	case call == "GetBucketPolicy": // the only answer that is JSON
		answer.body, _ = json.Marshal(at(response, "Policy"))
		return answer
	case !hasBody:
		answer.header.Set("Location", stringAt(response, "Location"))
		return answer
	case root == "":
		for name, value := range response {
			if name != "ResponseMetadata" {
				s3XML(out, name, value)
			}
		}
	default:
		fields := map[string]any{}
		for name, value := range response {
			if name != "ResponseMetadata" {
				fields[name] = value
			}
		}
		s3XML(out, root, fields)
	}
	answer.body = out.Bytes()
	return answer
}

// s3XML writes a recorded value as the element of a name.
func s3XML(out *bytes.Buffer, name string, value any) {
	entries, list := value.([]any)
	switch element := s3Flattened[name]; {
	case list && element != "":
		for _, entry := range entries {
			s3XML(out, element, entry)
		}
		return
	case list: // tags, buckets and columns are the lists with an element around them
		element = "Tag"
		if other := map[string]string{"Buckets": "Bucket", "OptionalFields": "Field"}[name]; other != "" {
			element = other
		}
		fmt.Fprintf(out, "<%s>", name)
		for _, entry := range entries {
			s3XML(out, element, entry)
		}
		fmt.Fprintf(out, "</%s>", name)
		return
	}
	if inner, ok := value.(map[string]any); ok {
		fmt.Fprintf(out, "<%s>", name)
		for k, v := range inner {
			s3XML(out, k, v)
		}
		fmt.Fprintf(out, "</%s>", name)
		return
	}
	if text, ok := value.(string); ok {
		value = s3Placeholders.Replace(text)
	}
	queryXML(out, name, value, nil)
}

// callName returns the name of the call that an input of the SDK is for.
func callName(in any) string {
	return strings.TrimSuffix(reflect.TypeOf(in).Elem().Name(), "Input")
}

// TestBucketsOfS3Replayed serves the recordings of S3 to the driver.
func TestBucketsOfS3Replayed(t *testing.T) {
	whole := each(t, "s3.json", replayed, func(t *testing.T, title string, answers []s3Answer) {
		r, judged := &s3Replay{T: t, awsReplay: newAWSReplay(t)}, 0
		for _, a := range answers {
			r.classified(a)
			i := slices.IndexFunc(s3Cases[title], func(c s3Call) bool { return c.step == a.Step })
			switch {
			case i < 0 && setAside(unknownToS3, title+"/"+a.Step):
			case i < 0:
				t.Errorf("%s: no test for this answer: the call belongs in s3Cases, or in unknownToS3 with the reason", a.Step)
			default:
				if call := callName(s3Cases[title][i].in); !setAside(uncalledByBuckets, call) {
					r.step(call, a)
					judged++
				}
			}
		}
		for _, c := range s3Cases[title] {
			if c.step != "" && !slices.ContainsFunc(answers, func(a s3Answer) bool { return a.Step == c.step }) {
				t.Errorf("%s: there is no such recording", c.step)
			}
		}
		if judged == 0 {
			t.Skip("the driver makes none of these calls: see unknownToS3 and uncalledByBuckets")
		}
	})
	if whole {
		wantNoStaleCalls(t, unknownToS3)
		wantNoStaleCalls(t, uncalledByBuckets)
	}
}

// An s3Replay is one case on its way to the driver.
type s3Replay struct {
	*testing.T
	*awsReplay
}

// s3Errors says what the recorded errors mean. Those of a document that is not there (NoSuch…) come here in answers to another call:
// the driver must not take them for news of the bucket.
var s3Errors = map[string]driver.Code{
	"AccessDenied": driver.Denied, "AccessForbidden": driver.Denied, "AuthorizationHeaderMalformed": driver.Conflict, "BadRequest": driver.Invalid,
	"BucketAlreadyOwnedByYou": driver.Conflict, "BucketNotEmpty": driver.NotEmpty, "CrossLocationLoggingProhibitted": driver.Invalid, "IdMismatch": driver.Invalid,
	"IllegalLocationConstraintException": driver.Invalid, "IllegalVersioningConfigurationException": driver.Invalid, "InternalError": driver.Unavailable,
	"InvalidArgument": driver.Invalid, "InvalidBucketOwnerAWSAccountID": driver.Invalid, "InvalidBucketState": driver.Invalid,
	"InvalidLocationConstraint": driver.Invalid, "InvalidRequest": driver.Invalid, "InvalidS3DestinationBucket": driver.Invalid, "InvalidTag": driver.Invalid,
	"MalformedACLError": driver.Invalid, "MalformedXML": driver.Invalid, "MethodNotAllowed": driver.Invalid, "MissingSecurityHeader": driver.Invalid,
	"NoSuchBucketPolicy": driver.Invalid, "NoSuchCORSConfiguration": driver.Invalid, "NoSuchConfiguration": driver.Invalid,
	"NoSuchLifecycleConfiguration": driver.Invalid, "NoSuchPublicAccessBlockConfiguration": driver.Invalid,
	"ReplicationConfigurationNotFoundError": driver.Invalid, "SignatureDoesNotMatch": driver.Denied, "UnexpectedContent": driver.Invalid,
}

// classified answers the driver's question for a bucket with a recorded error, whichever call it was recorded of.
func (r *s3Replay) classified(a s3Answer) {
	r.Helper()
	code := stringAt(a.Response, "Error", "Code")
	if code == "" || code == "404" || code == "405" { // the Python SDK's own, of answers without a body
		return
	}
	r.answer("GetBucketTagging", a.wire("GetBucketTagging"))
	seen, err := drivertest.Buckets(r.open("us-west-2")).Observe(r.Context(), bucketRequest{Request: driver.Request{Name: "recorded-bucket", Location: "us-west-2"}})
	switch want, known := s3Errors[code]; {
	case code == "NoSuchBucket" || code == "NoSuchTagSet":
		if state := map[string]driver.State{"NoSuchBucket": driver.Absent, "NoSuchTagSet": driver.Ready}[code]; err != nil || seen.State != state {
			r.Errorf("%s: %s: observed %v, error %v", a.Step, code, seen.State, err)
		}
	case !known || driver.CodeOf(err) != want || seen.State != driver.Unknown:
		r.Errorf("%s: %s is classified as %v, state %v: %v", a.Step, code, driver.CodeOf(err), seen.State, err)
	}
}

type bucketRequest = table.Request[v1alpha1.BucketParameters]

// newEncryption is how a new bucket is encrypted, as test_s3_default_bucket_encryption has it. The driver reads the rule before it changes
// it.
const newEncryption = "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>" +
	"</ApplyServerSideEncryptionByDefault><BucketKeyEnabled>false</BucketKeyEnabled></Rule></ServerSideEncryptionConfiguration>"

// step lets the driver make the call that was recorded.
func (r *s3Replay) step(call string, a s3Answer) {
	r.Helper()
	r.answer("GetBucketTagging", awsAnswer{status: http.StatusNotFound, body: []byte("<Error><Code>NoSuchTagSet</Code><Message>The TagSet does not exist</Message></Error>")})
	r.answer("GetBucketEncryption", awsAnswer{status: http.StatusOK, body: []byte(newEncryption)})
	r.answer("HeadBucket", awsAnswer{status: http.StatusNotFound})
	r.answer("CreateBucket", awsAnswer{status: http.StatusOK})
	lifecycle := recordedLifecycle(a.Response)
	r.answer(call, a.wire(call))
	req := bucketRequest{Request: driver.Request{Name: "recorded-bucket", Location: "us-east-1"}}
	buckets := drivertest.Buckets(r.open("us-east-1"))
	switch call {
	case "GetBucketTagging":
		spec := v1alpha1.BucketParameters{Location: new("us-east-1"), Tags: tags(anyMap(tagSet(a.Response)))}
		r.observe(a, spec, "tags")
	case "GetBucketVersioning":
		status := v1alpha1.VersioningSuspended // a bucket that never was versioned keeps no versions either
		if stringAt(a.Response, "Status") == "Enabled" {
			status = v1alpha1.VersioningEnabled
		}
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), Versioning: &status}, "versioning")
	case "GetPublicAccessBlock":
		access := v1alpha1.PublicAccessAllowed
		if on, _ := at(a.Response, "PublicAccessBlockConfiguration", "BlockPublicAcls").(bool); on { // all four are the same in the recordings
			access = v1alpha1.PublicAccessBlocked
		}
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), PublicAccess: &access}, "publicAccess")
	case "GetBucketEncryption":
		encryption := &v1alpha1.Encryption{}
		for _, rule := range objects(at(a.Response, "ServerSideEncryptionConfiguration", "Rules")) {
			key, by := stringAt(rule, "ApplyServerSideEncryptionByDefault", "KMSMasterKeyID"), stringAt(rule, "ApplyServerSideEncryptionByDefault", "SSEAlgorithm")
			if key == "" && strings.HasPrefix(by, "aws:kms") { // AWS's own key of KMS
				key = "alias/aws/s3"
			}
			if key != "" {
				encryption.Key = &key
			}
		}
		bucketKey := false
		for _, rule := range objects(at(a.Response, "ServerSideEncryptionConfiguration", "Rules")) {
			bucketKey, _ = at(rule, "BucketKeyEnabled").(bool)
		}
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), Encryption: encryption, AWS: &v1alpha1.BucketAWS{BucketKey: &bucketKey}},
			"encryption.key", "aws.bucketKey", "aws.blockedEncryptionTypes")
	case "GetBucketOwnershipControls":
		var owner string
		for _, rule := range objects(at(a.Response, "OwnershipControls", "Rules")) {
			owner = stringAt(rule, "ObjectOwnership")
		}
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), AWS: &v1alpha1.BucketAWS{ObjectOwnership: &owner}}, "aws.objectOwnership")
	case "PutBucketLogging":
		r.answer("GetBucketLogging", awsAnswer{status: http.StatusOK, body: []byte("<BucketLoggingStatus></BucketLoggingStatus>")})
		req.Spec.Logging = &v1alpha1.BucketLogging{Bucket: new("recorded-logs")}
		r.updated(a, req, call, "logging.bucket")
	case "GetBucketAccelerateConfiguration":
		status := stringAt(a.Response, "Status")
		if status == "" { // it never was accelerated
			status = "Suspended"
		}
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), AWS: &v1alpha1.BucketAWS{TransferAcceleration: &status}}, "aws.transferAcceleration")
	case "PutBucketAccelerateConfiguration":
		req.Spec.AWS = &v1alpha1.BucketAWS{TransferAcceleration: new("Enabled")}
		r.updated(a, req, call, "aws.transferAcceleration")
	case "PutBucketNotificationConfiguration":
		r.answer("GetBucketNotificationConfiguration", awsAnswer{status: http.StatusOK, body: []byte("<NotificationConfiguration></NotificationConfiguration>")})
		req.Spec.AWS = &v1alpha1.BucketAWS{Notifications: &v1alpha1.BucketNotificationsAWS{EventBridge: new(true)}}
		r.updated(a, req, call, "aws.notifications.eventBridge")
	case "ListBucketAnalyticsConfigurations":
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), AWS: &v1alpha1.BucketAWS{Analytics: recordedAnalyses(a.Response)}}, "aws.analytics")
	case "PutBucketAnalyticsConfiguration":
		req.Spec.AWS = &v1alpha1.BucketAWS{Analytics: []v1alpha1.BucketAnalyticsAWS{{Name: "ours"}}}
		r.updated(a, req, call, "aws.analytics")
	case "DeleteBucketAnalyticsConfiguration":
		req.Spec.AWS = &v1alpha1.BucketAWS{Analytics: []v1alpha1.BucketAnalyticsAWS{}}
		r.deleted(a, req, call, "aws.analytics")
	case "ListBucketInventoryConfigurations":
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), AWS: &v1alpha1.BucketAWS{Inventory: recordedInventories(a.Response)}}, "aws.inventory")
	case "PutBucketInventoryConfiguration":
		req.Spec.AWS = &v1alpha1.BucketAWS{Inventory: []v1alpha1.BucketInventoryAWS{{Name: "ours", Frequency: "Daily", IncludedObjectVersions: "All",
			Destination: v1alpha1.BucketInventoryDestinationAWS{Bucket: reports, Format: "CSV"}}}}
		r.updated(a, req, call, "aws.inventory")
	case "DeleteBucketInventoryConfiguration":
		req.Spec.AWS = &v1alpha1.BucketAWS{Inventory: []v1alpha1.BucketInventoryAWS{}}
		r.deleted(a, req, call, "aws.inventory")
	case "ListBucketMetricsConfigurations":
		var all []v1alpha1.BucketMetricsAWS
		for _, m := range objects(at(a.Response, "MetricsConfigurationList")) {
			all = append(all, v1alpha1.BucketMetricsAWS{Name: stringAt(m, "Id"), BucketObjectFilterAWS: v1alpha1.BucketObjectFilterAWS{Prefix: new(stringAt(m, "Filter", "Prefix"))}})
		}
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), AWS: &v1alpha1.BucketAWS{Metrics: all}}, "aws.metrics")
	case "PutBucketMetricsConfiguration":
		req.Spec.AWS = &v1alpha1.BucketAWS{Metrics: []v1alpha1.BucketMetricsAWS{{Name: "ours"}}}
		r.updated(a, req, call, "aws.metrics")
	case "GetBucketPolicy":
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), AWS: &v1alpha1.BucketAWS{Policy: recordedPolicy(a.Response)}}, "aws.policy")
	case "PutBucketPolicy":
		r.answer("GetBucketPolicy", awsAnswer{status: http.StatusNotFound, body: []byte("<Error><Code>NoSuchBucketPolicy</Code></Error>")})
		req.Spec.AWS = &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{{
			Sid: "Ours", Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"*"}}, Actions: []string{"s3:GetObject"}, Resources: []string{"/*"},
		}}}
		r.updated(a, req, call, "aws.policy")
	case "DeleteBucketPolicy":
		r.answer("GetBucketPolicy", awsAnswer{status: http.StatusOK, body: []byte(`{"Statement": {"Sid": "Ours", "Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::recorded-bucket/*"}}`)})
		req.Spec.AWS = &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{}}
		r.changed(a, req, call, driver.Change{Field: "aws.policy", Remove: []string{"Ours"}})
	case "GetBucketReplication", "PutBucketReplication", "DeleteBucketReplication":
		r.replication(call, a, req)
	case "GetBucketWebsite":
		site := &v1alpha1.BucketWebsite{IndexDocument: new(stringAt(a.Response, "IndexDocument", "Suffix"))}
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), Website: site}, "website.indexDocument")
	case "PutBucketWebsite":
		r.answer("GetBucketWebsite", awsAnswer{status: http.StatusNotFound, body: []byte("<Error><Code>NoSuchWebsiteConfiguration</Code></Error>")})
		req.Spec.Website = &v1alpha1.BucketWebsite{IndexDocument: new("index.html")}
		r.updated(a, req, call, "website.indexDocument")
	case "GetBucketLifecycleConfiguration":
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), Lifecycle: lifecycle}, "lifecycle")
	case "GetBucketCors":
		r.observe(a, v1alpha1.BucketParameters{Location: new("us-east-1"), CORS: recordedCORS(a.Response)}, "cors")
	case "PutBucketCors":
		req.Spec.CORS = []v1alpha1.CORSRule{{AllowedMethods: []string{"GET"}, AllowedOrigins: []string{"*"}}}
		r.updated(a, req, call, "cors")
	case "DeleteBucketCors":
		req.Spec.CORS = []v1alpha1.CORSRule{}
		r.updated(a, req, call, "cors")
	case "PutBucketOwnershipControls":
		req.Spec.AWS = &v1alpha1.BucketAWS{ObjectOwnership: new("ObjectWriter")}
		r.updated(a, req, call, "aws.objectOwnership")
	case "PutBucketTagging":
		req.Spec.Tags = map[string]v1alpha1.TagValue{"a": "b"}
		r.updated(a, req, call, "tags")
	case "PutBucketVersioning":
		req.Spec.Versioning = new(v1alpha1.VersioningEnabled)
		r.updated(a, req, call, "versioning")
	case "PutPublicAccessBlock":
		req.Spec.PublicAccess = new(v1alpha1.PublicAccessBlocked)
		r.updated(a, req, call, "publicAccess")
	case "PutBucketEncryption":
		req.Spec.Encryption = &v1alpha1.Encryption{}
		r.updated(a, req, call, "encryption.key")
	case "CreateBucket":
		_, err := buckets.Create(r.Context(), req)
		r.wantOutcome(a, err)
	case "HeadBucket": // which comes before a creation: a bucket that is there is in the way
		_, err := buckets.Create(r.Context(), req)
		if there := a.status() == http.StatusOK; (driver.CodeOf(err) == driver.Conflict) != there {
			r.Errorf("%s: created with error %v", a.Step, err)
		}
	case "DeleteBucket":
		_, err := buckets.Delete(r.Context(), req)
		r.wantOutcome(a, err)
	case "ListBuckets":
		r.listed(a)
	case "ListObjectVersions":
		r.swept(a, buckets, req)
	case "DeleteObjects": // classified has looked at the one answer there is, an error
	default:
		r.Errorf("no test for the call %s", call)
	}
}

// deleted demands that a configuration is deleted, and that one that is not there is no error.
func (r *s3Replay) deleted(a s3Answer, req bucketRequest, call, field string) {
	r.Helper()
	if stringAt(a.Response, "Error", "Code") == "NoSuchConfiguration" {
		r.answer(call, a.wire(call))
		a.Response = map[string]any{}
	}
	r.changed(a, req, call, driver.Change{Field: field, Remove: []string{"ours"}})
}

// recordedAnalyses are the analyses in an answer; not nil if there are none.
func recordedAnalyses(response any) []v1alpha1.BucketAnalyticsAWS {
	all := []v1alpha1.BucketAnalyticsAWS{}
	for _, c := range objects(at(response, "AnalyticsConfigurationList")) {
		to := at(c, "StorageClassAnalysis", "DataExport", "Destination", "S3BucketDestination")
		all = append(all, v1alpha1.BucketAnalyticsAWS{
			Name: stringAt(c, "Id"), BucketObjectFilterAWS: v1alpha1.BucketObjectFilterAWS{Prefix: new(stringAt(c, "Filter", "Prefix"))},
			Export: &v1alpha1.BucketAnalyticsExportAWS{Bucket: stringAt(to, "Bucket"), Prefix: new(stringAt(to, "Prefix"))},
		})
	}
	return all
}

// recordedInventories are the inventories in an answer; not nil if there are none.
func recordedInventories(response any) []v1alpha1.BucketInventoryAWS {
	all := []v1alpha1.BucketInventoryAWS{}
	for _, c := range objects(at(response, "InventoryConfigurationList")) {
		to := at(c, "Destination", "S3BucketDestination")
		all = append(all, v1alpha1.BucketInventoryAWS{
			Name: stringAt(c, "Id"), Enabled: new(true), IncludedObjectVersions: stringAt(c, "IncludedObjectVersions"), Frequency: stringAt(c, "Schedule", "Frequency"),
			OptionalFields: texts(at(c, "OptionalFields")),
			Destination:    v1alpha1.BucketInventoryDestinationAWS{Bucket: strings.TrimPrefix(stringAt(to, "Bucket"), "arn:<partition>:s3:::"), Format: stringAt(to, "Format")},
		})
	}
	return all
}

// recordedPolicy are the statements in an answer; not nil if there are none.
func recordedPolicy(response any) []v1alpha1.PolicyStatement {
	statements := []v1alpha1.PolicyStatement{}
	for _, s := range objects(at(response, "Policy", "Statement")) {
		statements = append(statements, v1alpha1.PolicyStatement{
			Effect: stringAt(s, "Effect"), Principals: &v1alpha1.PolicyPrincipals{AWS: []string{stringAt(s, "Principal", "AWS")}},
			Actions: []string{stringAt(s, "Action")}, Resources: []string{stringAt(s, "Resource")},
		})
	}
	return statements
}

// recordedCORS are the rules in an answer; not nil if there are none.
func recordedCORS(response any) []v1alpha1.CORSRule {
	rules := []v1alpha1.CORSRule{}
	for _, r := range objects(at(response, "CORSRules")) {
		rule := v1alpha1.CORSRule{AllowedOrigins: texts(at(r, "AllowedOrigins")), AllowedMethods: texts(at(r, "AllowedMethods")), AllowedHeaders: texts(at(r, "AllowedHeaders"))}
		if seconds, ok := at(r, "MaxAgeSeconds").(float64); ok {
			rule.MaxAgeSeconds = new(int32(seconds))
		}
		rules = append(rules, rule)
	}
	return rules
}

// texts returns a recorded list of strings.
func texts(list any) (out []string) {
	entries, _ := list.([]any)
	for _, e := range entries {
		text, _ := e.(string)
		out = append(out, text)
	}
	return out
}

// listed demands that a list has the buckets that are in the session's region, those among them of which S3 did not say where they are,
// and that nothing is said of their marks.
func (r *s3Replay) listed(a s3Answer) {
	r.Helper()
	for _, region := range []string{"us-east-1", "eu-west-1"} {
		var want, got []string
		for _, bucket := range objects(at(a.Response, "Buckets")) {
			if in := s3Placeholders.Replace(stringAt(bucket, "BucketRegion")); in == "" || in == region {
				want = append(want, s3Placeholders.Replace(stringAt(bucket, "Name")))
			}
		}
		page, err := drivertest.Buckets(r.open(region)).List(r.Context(), driver.ListRequest{})
		for _, bucket := range page.Objects {
			got = append(got, bucket.Name)
			if bucket.Mark != nil || bucket.State != driver.Ready || bucket.Location != region {
				r.Errorf("%s: listed %+v", a.Step, bucket)
			}
		}
		if err != nil || page.Next != "" || page.Location != region || !slices.Equal(got, want) {
			r.Errorf("%s: the list of %s has %q, next %q, error %v; want %q", a.Step, region, got, page.Next, err, want)
		}
	}
}

// wantOutcome compares an error with the recorded one.
func (r *s3Replay) wantOutcome(a s3Answer, err error) {
	r.Helper()
	code := stringAt(a.Response, "Error", "Code")
	if want := s3Errors[code]; (err != nil) != (code != "") || (err != nil && code != "NoSuchBucket" && driver.CodeOf(err) != want) {
		r.Errorf("%s: recorded %q, error %v of code %v", a.Step, code, err, driver.CodeOf(err))
	}
}

// observe demands that an aspect shows no difference to the specification that asked for it, and is mirrored.
func (r *s3Replay) observe(a s3Answer, spec v1alpha1.BucketParameters, aspect ...string) {
	r.Helper()
	seen, err := drivertest.Buckets(r.open("us-east-1")).Observe(r.Context(), bucketRequest{Request: driver.Request{Name: "recorded-bucket", Location: "us-east-1"}, Spec: spec})
	code := stringAt(a.Response, "Error", "Code")
	unset := code == "" || strings.HasPrefix(code, "NoSuch") && code != "NoSuchBucket"
	switch {
	case code == "NoSuchBucket" && aspect[0] == "tags":
		if err != nil || seen.State != driver.Absent {
			r.Errorf("%s: observed %v, error %v", a.Step, seen.State, err)
		}
	case err != nil:
		r.Errorf("%s: %v", a.Step, err)
	case !unset: // the aspect can't be read, which says nothing of the bucket
		var unread []string
		for _, u := range seen.Unreadable {
			unread = append(unread, u.Field)
		}
		if !slices.Equal(unread, aspect) || seen.State != driver.Ready {
			r.Errorf("%s: observed %v, unreadable %v", a.Step, seen.State, seen.Unreadable)
		}
	default:
		if seen.State != driver.Ready || !seen.Available || len(seen.Changes) > 0 || len(seen.Unreadable) > 0 {
			r.Errorf("%s: observed %v, available %t, differences %v, unreadable %v", a.Step, seen.State, seen.Available, seen.Changes, seen.Unreadable)
		}
		if len(spec.Lifecycle) == 0 {
			spec.Lifecycle = nil
		}
		if block := spec.AWS; block != nil && (block.Policy != nil && len(block.Policy) == 0 || block.Inventory != nil && len(block.Inventory) == 0) {
			spec.AWS = nil
		}
		if spec.AWS != nil && spec.AWS.Replication != nil && len(spec.AWS.Replication.Rules) == 0 {
			spec.AWS = nil
		}
		if len(spec.CORS) == 0 {
			spec.CORS = nil // nor is that there are no rules
		}
		if spec.Encryption != nil && spec.Encryption.Key == nil {
			spec.Encryption = nil // S3's own key is not shown
		}
		if spec.AWS != nil {
			spec.AWS = spec.AWS.DeepCopy()
			for i := range spec.AWS.Policy { // the name of the bucket was not recorded
				spec.AWS.Policy[i].Sid = "(no sid: it names what is no part of this bucket)"
			}
		}
		wantMirror(r.T, seen.Mirror, spec)
		wantSayable(r.T, ofAWS, "Bucket", seen, nil) // it shows no difference to the spec that it is compared with
	}
}

// updated demands that an update makes the recorded call and ends as it did.
func (r *s3Replay) updated(a s3Answer, req bucketRequest, call, name string) {
	r.Helper()
	r.changed(a, req, call, driver.Change{Field: name})
}

// changed demands that an update with one change makes the recorded call and ends as it did.
func (r *s3Replay) changed(a s3Answer, req bucketRequest, call string, change driver.Change) {
	r.Helper()
	r.took()
	result, err := drivertest.Buckets(r.open("us-east-1")).Update(r.Context(), req, driver.Edit{Changes: []driver.Change{change}})
	if !slices.Contains(r.took(), call) {
		r.Errorf("%s: the driver did not call %s", a.Step, call)
	}
	if len(result.Failed) == 1 {
		err = result.Failed[0].Err
	}
	r.wantOutcome(a, err)
}

// swept demands that a forced deletion deletes every version and every delete marker that was listed.
func (r *s3Replay) swept(a s3Answer, buckets table.External[v1alpha1.BucketParameters], req bucketRequest) {
	r.Helper()
	r.answer("DeleteBucket", awsAnswer{status: http.StatusConflict, body: []byte("<Error><Code>BucketNotEmpty</Code><Message>The bucket you tried to delete is not empty</Message></Error>")})
	r.answer("ListMultipartUploads", awsAnswer{status: http.StatusOK, body: []byte("<ListMultipartUploadsResult></ListMultipartUploadsResult>")})
	var deleted string
	r.answer("DeleteObjects", awsAnswer{status: http.StatusOK, body: []byte("<DeleteResult></DeleteResult>"), note: func(body []byte) { deleted = string(body) }})
	req.Deletion = &driver.Deletion{Force: true}
	result, err := buckets.Delete(r.Context(), req)
	if err != nil || !result.Unfinished {
		r.Errorf("%s: unfinished %t, error %v", a.Step, result.Unfinished, err)
	}
	for _, kind := range []string{"Versions", "DeleteMarkers"} {
		for _, o := range objects(at(a.Response, kind)) {
			var id bytes.Buffer
			_ = xml.EscapeText(&id, []byte(stringAt(o, "VersionId")))
			if !strings.Contains(deleted, "<Key>"+stringAt(o, "Key")+"</Key>") || !strings.Contains(deleted, "<VersionId>"+id.String()+"</VersionId>") {
				r.Errorf("%s: %s of %s was not deleted: %s", a.Step, kind, stringAt(o, "VersionId"), deleted)
			}
		}
	}
}

// tagSet returns the tags in an answer.
func tagSet(response any) map[string]string {
	out := map[string]string{}
	for _, tag := range objects(at(response, "TagSet")) {
		out[stringAt(tag, "Key")] = stringAt(tag, "Value")
	}
	return out
}
