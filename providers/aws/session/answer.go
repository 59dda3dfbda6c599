package session

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	smithymiddleware "github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/mooring-dev/mooring/providers/driver"
)

// The SDK takes any XML for the answer of S3, and an empty body for one that says that nothing is set. A page of a captive proxy or of a load balancer would
// then be read as "no settings", and a write would take away what others set. So each answer is checked here, before the SDK reads it, and each service says
// by what its answers are known. A service or a read that is not known here gets no answer at all.

// maxStart is how much of an answer is read to know it by.
const maxStart = 64 << 10

// genuine lets the answers pass that the service itself can have given. Others are errors, and the error answers of others lose their body, so that no code in
// it counts. It stands next to the wire. Where others is set, services that are not known pass: those by which the SDK looks for the identity of the process.
// The agent is one of them; its client names no service, so that the context has that of the call for which the identity is wanted.
func genuine(others bool) middlewareOption {
	return func(stack *smithymiddleware.Stack) error {
		return stack.Deserialize.Add(smithymiddleware.DeserializeMiddlewareFunc("MooringGenuine",
			func(ctx context.Context, in smithymiddleware.DeserializeInput, next smithymiddleware.DeserializeHandler) (smithymiddleware.DeserializeOutput, smithymiddleware.Metadata, error) {
				out, metadata, err := next.HandleDeserialize(ctx, in)
				response, ok := out.RawResponse.(*smithyhttp.Response)
				if err != nil || !ok || response == nil {
					return out, metadata, err
				}
				name := middleware.GetServiceID(ctx)
				if known, ok := services[name]; ok && stack.ID() != agentOperation || !others {
					err = known.check(name, stack.ID(), response.Response)
				}
				return out, metadata, err
			}), smithymiddleware.After)
	}
}

// A service says by what its answers are known. The zero value is one of which that is not known.
type service struct {
	answer  func(op string, have answer) string // what is wrong with an answer of status 2xx; empty if nothing is
	refusal func(have answer) bool              // whether another answer is the service's own
}

// services are those that a session calls, by the names that the SDK gives them.
var services = map[string]service{
	"S3":         {answerOfS3, func(have answer) bool { return have.root() == "Error" }},
	"S3 Control": {func(_ string, have answer) string { return have.isWordless() }, func(have answer) bool { return have.root() == "ErrorResponse" }},
	"RDS":        {answerOfQuery, refusalOfQuery},
	"STS":        {answerOfQuery, refusalOfQuery},
	"CloudWatch": {answerOfCloudWatch, answer.isCBOR},
}

// check returns the error for an answer that the service did not give. It says nothing about any object.
func (s service) check(name, op string, r *http.Response) error {
	have, err := begun(r)
	if err != nil { // the connection broke, which the SDK finds out as well
		return nil //nolint:nilerr // and tries again
	}
	why := "Mooring does not know the answers of this service"
	switch {
	case s.answer == nil:
	case r.StatusCode/100 == 2:
		why = s.answer(op, have)
	case s.refusal(have):
		return nil
	default: // a proxy's: its status may mean something, its text does not
		_ = r.Body.Close()
		r.Body = http.NoBody
		return nil
	}
	if why == "" {
		return nil
	}
	return &driver.Error{Code: driver.Unavailable, Op: op, Message: fmt.Sprintf(
		"the answer is not from Amazon %s: %s; check the endpoint, and look for a proxy that answers in its place", name, why)}
}

// answerOfQuery checks an answer in the Query protocol, whose root element is named after the operation.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/using-the-query-api.html
func answerOfQuery(op string, have answer) string { return have.wants(op + "Response") }

func refusalOfQuery(have answer) bool { return have.root() == "ErrorResponse" }

// s3Roots are the root elements of S3's answers, by operation. https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations.html
var s3Roots = map[string]string{
	"DeleteObjects":                      "DeleteResult",
	"GetBucketAbac":                      "AbacStatus",
	"GetBucketAccelerateConfiguration":   "AccelerateConfiguration",
	"GetBucketCors":                      "CORSConfiguration",
	"GetBucketEncryption":                "ServerSideEncryptionConfiguration",
	"GetBucketLifecycleConfiguration":    "LifecycleConfiguration",
	"GetBucketLogging":                   "BucketLoggingStatus",
	"GetBucketNotificationConfiguration": "NotificationConfiguration",
	"GetBucketOwnershipControls":         "OwnershipControls",
	"GetBucketReplication":               "ReplicationConfiguration",
	"GetBucketRequestPayment":            "RequestPaymentConfiguration",
	"GetBucketTagging":                   "Tagging",
	"GetBucketVersioning":                "VersioningConfiguration",
	"GetBucketWebsite":                   "WebsiteConfiguration",
	"GetObjectLockConfiguration":         "ObjectLockConfiguration",
	"GetPublicAccessBlock":               "PublicAccessBlockConfiguration",
	"ListBuckets":                        "ListAllMyBucketsResult",
	"ListMultipartUploads":               "ListMultipartUploadsResult",
	"ListObjectVersions":                 "ListVersionsResult",
	// S3 itself forms these names in four ways, and stores of other makers in more.
	"ListBucketAnalyticsConfigurations":          "List(Bucket)?AnalyticsConfigurations?(Result|Output)",
	"ListBucketIntelligentTieringConfigurations": "List(Bucket)?IntelligentTieringConfigurations?(Result|Output)",
	"ListBucketInventoryConfigurations":          "List(Bucket)?InventoryConfigurations?(Result|Output)",
	"ListBucketMetricsConfigurations":            "List(Bucket)?MetricsConfigurations?(Result|Output)",
}

// wordless are the verbs of operations to which S3 answers nothing.
var wordless = regexp.MustCompile(`^(Abort|Create|Delete|Put)[A-Z]`)

// answerOfS3 checks an answer of S3.
func answerOfS3(op string, have answer) string {
	root, known := s3Roots[op]
	switch {
	case known:
		return have.wants(root)
	case op == "GetBucketPolicy":
		return have.isPolicy()
	case bodiless(op):
		return ""
	case wordless.MatchString(op):
		return have.isWordless()
	}
	return "Mooring does not know the root element of answers to " + op
}

// bodiless reports whether the answers to an operation never have a body, so that their status alone says what there is to say.
func bodiless(op string) bool { return strings.HasPrefix(op, "Head") }

// answerOfCloudWatch checks an answer of CloudWatch.
func answerOfCloudWatch(_ string, have answer) string {
	if !have.isCBOR() || len(have.start) == 0 {
		return "it is not in CBOR"
	}
	return ""
}

// An answer is what is looked at of one.
type answer struct {
	header http.Header
	start  []byte
}

// begun reads the start of an answer, and leaves the answer as it was.
func begun(r *http.Response) (answer, error) {
	start, err := io.ReadAll(io.LimitReader(r.Body, maxStart))
	rest := io.Reader(r.Body)
	if err != nil {
		rest = broken{err}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), rest), r.Body}
	return answer{r.Header, start}, err
}

// broken is the rest of an answer whose connection broke.
type broken struct{ err error }

// Read implements io.Reader.
func (b broken) Read([]byte) (int, error) { return 0, b.err }

// wants demands a root element, by a pattern.
func (a answer) wants(pattern string) string {
	switch root := a.root(); {
	case root == "":
		return "it has no XML that can be read"
	case root != pattern && !regexp.MustCompile("^("+pattern+")$").MatchString(root):
		return fmt.Sprintf("it has the root element %.40q", root)
	}
	return ""
}

// root returns the name of the root element; empty if there is none.
func (a answer) root() string {
	decoder := xml.NewDecoder(bytes.NewReader(a.start))
	for {
		token, err := decoder.Token()
		if err != nil {
			return ""
		}
		switch token := token.(type) {
		case xml.StartElement:
			return token.Name.Local
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				return ""
			}
		}
	}
}

// isWordless demands an answer that says nothing. Some stores of other makers say something in XML or a word; a page, an object of JSON, or an error with the
// status of success did not come from one.
func (a answer) isWordless() string {
	text := bytes.TrimSpace(a.start)
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return "it is in JSON"
	}
	if root := a.root(); strings.EqualFold(root, "html") || root == "Error" {
		return fmt.Sprintf("it has the root element %q", root)
	}
	return ""
}

// isPolicy demands a policy, which S3 answers as it was written, of 20 KiB at most: an object of JSON with statements.
func (a answer) isPolicy() string {
	var document struct{ Statement json.RawMessage }
	if json.Unmarshal(a.start, &document) != nil || len(document.Statement) == 0 {
		return "it is no bucket policy"
	}
	return ""
}

// isCBOR reports whether an answer says that it is in the protocol of the request, as each must.
// https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html
func (a answer) isCBOR() bool { return a.header.Get("Smithy-Protocol") == "rpc-v2-cbor" }
