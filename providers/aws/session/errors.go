package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithymiddleware "github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type middlewareOption = func(*smithymiddleware.Stack) error

// A Meaning is what one of AWS's error codes means.
type Meaning struct {
	Code driver.Code
	// Message replaces AWS's own text where that does not help a person.
	Message string
	// This says that it refuses what may have been made or changed a short time ago, somewhere else than in the call.
	// https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency
	Settling bool
}

// An Errors says what error codes mean, without the suffixes "Fault" and "Exception" that only some services add to them.
type Errors map[string]Meaning

// common are those of all services, by
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/CommonErrors.html and
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html. Each service has a table of its own.
//
// Only codes that say that something is not there are NotFound: a bare 404 may come from any proxy.
var common = Errors{
	"AccessDenied":                  {Code: driver.Denied},
	"AccountProblem":                {Code: driver.Denied},
	"AllAccessDisabled":             {Code: driver.Denied},
	"AuthFailure":                   {Code: driver.Denied},
	"ExpiredToken":                  {Code: driver.Denied, Message: "the credentials have expired: renew them"},
	"Forbidden":                     {Code: driver.Denied},
	"IDPRejectedClaim":              {Code: driver.Denied},
	"IncompleteSignature":           {Code: driver.Denied},
	"InvalidAccessKeyId":            {Code: driver.Denied, Message: "AWS does not know the access key: check the credentials"},
	"InvalidClientTokenId":          {Code: driver.Denied, Message: "AWS does not know the access key: check the credentials"},
	"InvalidIdentityToken":          {Code: driver.Denied},
	"InvalidPayer":                  {Code: driver.Denied},
	"InvalidSecurity":               {Code: driver.Denied},
	"InvalidToken":                  {Code: driver.Denied},
	"MissingAuthenticationToken":    {Code: driver.Denied},
	"NotAuthorized":                 {Code: driver.Denied},
	"NotSignedUp":                   {Code: driver.Denied},
	"OptInRequired":                 {Code: driver.Denied},
	"RequestExpired":                {Code: driver.Denied, Message: "the clock of this machine differs too much from AWS's"},
	"RequestTimeTooSkewed":          {Code: driver.Denied, Message: "the clock of this machine differs too much from AWS's"},
	"SignatureDoesNotMatch":         {Code: driver.Denied, Message: "the secret access key does not belong to the access key: check the credentials"},
	"TokenRefreshRequired":          {Code: driver.Denied},
	"UnauthorizedAccess":            {Code: driver.Denied},
	"UnauthorizedOperation":         {Code: driver.Denied},
	"UnrecognizedClient":            {Code: driver.Denied},
	"KMSKeyNotAccessible":           {Code: driver.Denied, Settling: true},
	"InvalidParameterCombination":   {Code: driver.Invalid},
	"InvalidParameterValue":         {Code: driver.Invalid},
	"BandwidthLimitExceeded":        {Code: driver.Throttled},
	"LimitExceeded":                 {Code: driver.Throttled},
	"PriorRequestNotComplete":       {Code: driver.Throttled},
	"ProvisionedThroughputExceeded": {Code: driver.Throttled},
	"RequestLimitExceeded":          {Code: driver.Throttled},
	"RequestThrottled":              {Code: driver.Throttled},
	"SlowDown":                      {Code: driver.Throttled, Message: "too many calls: AWS asks to slow down"},
	"Throttling":                    {Code: driver.Throttled, Message: "too many calls: AWS asks to slow down"},
	"EC2Throttled":                  {Code: driver.Throttled},
	"Throttled":                     {Code: driver.Throttled},
	"TooManyRequests":               {Code: driver.Throttled},
	"IDPCommunicationError":         {Code: driver.Unavailable},
	"InternalError":                 {Code: driver.Unavailable},
	"InternalFailure":               {Code: driver.Unavailable},
	"RequestTimeout":                {Code: driver.Unavailable},
	"ServiceUnavailable":            {Code: driver.Unavailable},
	"NotImplemented":                {Code: driver.Unsupported},
}

// Join returns the table of a session that calls the services of these tables. It panics if two services mean different things by a code:
// what one of them calls missing could be read as an object that is gone.
func Join(services ...Errors) Errors {
	all := maps.Clone(common)
	for _, service := range services {
		for code, means := range service {
			if known, ok := all[code]; ok && known.Code != means.Code {
				panic("two services of AWS mean different things by " + code)
			}
			all[code] = means
		}
	}
	return all
}

// ErrorCode returns AWS's error code, without the suffixes that only some of its services add; "" if AWS sent none.
func ErrorCode(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	code := strings.TrimSuffix(api.ErrorCode(), "Exception")
	return strings.TrimSuffix(code, "Fault")
}

// ErrorMessage returns AWS's own words; "" if AWS sent none.
func ErrorMessage(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	return api.ErrorMessage()
}

// httpStatus returns the status of the response, 0 if there was none.
func httpStatus(err error) int {
	var response *smithyhttp.ResponseError
	if !errors.As(err, &response) || response.Response == nil {
		return 0
	}
	return response.HTTPStatusCode()
}

// codeOf says what a failed call means, by AWS's code or else by the status.
func (t Errors) codeOf(code string, status int) driver.Code {
	if means, ok := t[code]; ok {
		return means.Code
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return driver.Denied
	case status == http.StatusTooManyRequests:
		return driver.Throttled
	case status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect:
		return driver.Conflict
	case status >= 500, code == "" && status == http.StatusNotFound: // which a proxy said, or half of an answer
		return driver.Unavailable
	case code != "" && status == http.StatusConflict:
		return driver.Conflict
	case code != "" && status >= 400: // an unknown 404 too: it is not known that what is missing is the object
		return driver.Invalid
	}
	return driver.Internal
}

// wrap turns an error of the SDK into one of ours. One of ours in it comes from a step to the identity, and stays.
func (s *Session) wrap(op string, err error) *driver.Error {
	if step, ok := errors.AsType[*driver.Error](err); ok {
		own := *step // others who waited for the step have it too
		return &own
	}
	e := &driver.Error{Op: op, Err: err}
	code, status := ErrorCode(err), httpStatus(err)
	if code == "" && status == 0 {
		e.Code, e.Message = s.withoutAnswer(err)
		return e
	}
	if code == "" && status < http.StatusMultipleChoices {
		e.Code, e.Message = driver.Unavailable, "the answer of AWS is incomplete or can't be read"
		return e
	}
	if code == unexplained || fromStatus(err, status) && !bodiless(op) {
		code = ""
	}
	e.Code, e.RetryAfter, e.Settling = s.errors.codeOf(code, status), s.retryAfter(err), s.errors[code].Settling || settlingWords.MatchString(ErrorMessage(err))
	if s.store != nil && storeLacks[code] {
		e.Code = driver.Unsupported
	}
	if region := s.otherRegion(err); region != "" {
		e.Code = driver.Conflict
		e.Message = fmt.Sprintf("a bucket of that name exists in region %s, not in %s: set spec.location to that region, or choose another name", region, s.Region)
		return e
	}
	var api smithy.APIError
	switch text := s.errors[code].Message; {
	case unknownCaller[code] && optIn(s) && !known(s.Region):
		e.Message = fmt.Sprintf("AWS does not know the credentials in region %[1]s, and AWS had no region of that name when this release of Mooring was made: correct spec.location, or the region of the "+
			"provider config; if the region is new, enable it (aws account enable-region --region-name %[1]s)", s.Region)
	case unknownCaller[code] && optIn(s):
		e.Message = fmt.Sprintf("AWS does not know the credentials in region %[1]s. An account has to enable that region before it is used (aws account enable-region --region-name %[1]s): "+
			"enable it, lead to another region, or, if it is enabled, check the credentials", s.Region)
	case text != "":
		e.Message = text
	case code != "" && errors.As(err, &api) && api.ErrorMessage() != "":
		e.Message = Plain(api.ErrorMessage())
	case e.Code == driver.Denied:
		e.Message = "access is denied"
	default:
		e.Message = fmt.Sprintf("AWS answers with status %d", status)
	}
	return e
}

// settlingWords are the words of refusals that may settle, where the code is one of many.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html (changes take time)
var settlingWords = regexp.MustCompile(`Invalid principal in policy|validate the following destination configurations|^Destination bucket|required permissions for: `)

// unknownCaller are the codes by which AWS says that it does not know who calls. In a region that the account has not enabled it says so of any credentials.
// https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html
// https://github.com/remotion-dev/github-unwrapped-2022/issues/34, https://github.com/boto/boto3/issues/2381
var unknownCaller = map[string]bool{
	"AllAccessDisabled": true, "AuthFailure": true, "InvalidAccessKeyId": true, "InvalidClientTokenId": true, "InvalidToken": true, "OptInRequired": true, "UnrecognizedClient": true,
}

// enabled are the regions that every account has; all that came after them are to be enabled first.
// https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html#manage-acct-regions-considerations
var enabled = []string{
	"ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-southeast-1", "ap-southeast-2", "ca-central-1", "eu-central-1", "eu-north-1", "eu-west-1",
	"eu-west-2", "eu-west-3", "sa-east-1", "us-east-1", "us-east-2", "us-west-1", "us-west-2",
}

// optIn reports whether an account has to enable the region of a session before it is used. Regions of other partitions it has not.
func optIn(s *Session) bool {
	others := []string{"cn-", "us-gov-", "us-iso", "eu-iso", "eusc-"}
	return s.store == nil && !slices.Contains(enabled, s.Region) && !slices.ContainsFunc(others, func(p string) bool { return strings.HasPrefix(s.Region, p) })
}

// unexplained is what the SDK calls the code of an error of a Query API that has none.
const unexplained = "UnknownError"

// fromStatus reports whether the SDK made code and message of the status, because the answer has none. Then a proxy may have given it, unless answers to the
// operation never have any.
func fromStatus(err error, status int) bool {
	text := http.StatusText(status)
	return ErrorMessage(err) == text && ErrorCode(err) == strings.ReplaceAll(text, " ", "")
}

// withoutAnswer explains why no response came. The errors' own texts name ports and addresses that change
// with every try.
func (s *Session) withoutAnswer(err error) (driver.Code, string) {
	var (
		dns        *net.DNSError
		parameters smithy.InvalidParamsError
	)
	switch {
	case errors.As(err, &parameters):
		return driver.Invalid, Plain(parameters.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return driver.Unavailable, fmt.Sprintf("no answer within %s", s.timeout)
	case errors.Is(err, context.Canceled):
		return driver.Unavailable, "the call was cancelled"
	case errors.As(err, &dns) && s.missing(dns):
		return driver.Invalid, fmt.Sprintf("the name %q does not exist: is there a region %s?", dns.Name, s.Region)
	case errors.As(err, &dns):
		return driver.Unavailable, fmt.Sprintf("the name %q can't be resolved", dns.Name)
	case isSigning(err):
		return driver.Denied, "there are no usable credentials to sign the call with"
	}
	return driver.Unavailable, table.NoConnection(err)
}

// missing reports whether AWS has no host for the region: the DNS said that there is none, rather than nothing, of a name
// of AWS's own, which has the region in it. A proxy's has not. Of a region that is known to exist the DNS is wrong.
func (s *Session) missing(dns *net.DNSError) bool {
	labels := strings.Split(strings.TrimSuffix(dns.Name, "."), ".")
	return dns.IsNotFound && !dns.IsTimeout && !dns.IsTemporary && !s.Custom && slices.Contains(labels, s.Region) && !known(s.Region)
}

// known reports whether the SDK knows a region. Newer ones than the SDK it does not.
func known(region string) bool {
	known := s3types.BucketLocationConstraint("").Values() // all but us-east-1, where S3 takes none
	return region == "us-east-1" || slices.Contains(known, s3types.BucketLocationConstraint(region))
}

// isSigning reports whether the call was never sent for want of credentials.
func isSigning(err error) bool {
	text := err.Error()
	return strings.Contains(text, "get identity:") || strings.Contains(text, "get credentials:") ||
		strings.Contains(text, "failed to sign request")
}

// retryAfter reads how long AWS asks to wait: seconds, or a date.
func (s *Session) retryAfter(err error) time.Duration {
	var response *awshttp.ResponseError
	if !errors.As(err, &response) || response.Response == nil {
		return 0
	}
	value := response.Response.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(s.Now()))
	}
	return 0
}

// elsewhere are the codes by which S3 says that a bucket is in another region.
var elsewhere = map[string]bool{
	"PermanentRedirect": true, "TemporaryRedirect": true, "MovedPermanently": true,
	"AuthorizationHeaderMalformed": true, "BadRequest": true,
}

var expectedRegion = regexp.MustCompile(`expecting '([a-z0-9-]+)'`)

// otherRegion returns the region that S3 says a bucket is in; "" if it does not say, or agrees.
func (s *Session) otherRegion(err error) string {
	if !elsewhere[ErrorCode(err)] {
		return ""
	}
	region := ""
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) && response.Response != nil {
		region = response.Response.Header.Get("X-Amz-Bucket-Region")
	}
	if found := expectedRegion.FindStringSubmatch(err.Error()); region == "" && found != nil {
		region = found[1]
	}
	if region == s.Region {
		return ""
	}
	return region
}

// AsError returns the driver's error in err, of which call made sure.
func AsError(err error) *driver.Error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return &driver.Error{Code: driver.Internal, Message: err.Error(), Err: err}
	}
	return e
}

// Invalid refuses what no call has to be made for to know that it can't work.
func Invalid(format string, args ...any) *driver.Error {
	return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf(format, args...)}
}
