package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// byReason says what an answer means where its status alone does not. The same status is a refusal for
// one reason and a full bucket for another.
//
// https://cloud.google.com/storage/docs/json_api/v1/status-codes
// https://cloud.google.com/sql/docs/mysql/admin-api-error-messages
var byReason = map[int]map[string]driver.Code{
	http.StatusBadRequest: {
		"invalidState":          driver.Busy,
		"instanceNotRunning":    driver.Busy,
		"operationInProgress":   driver.Busy,
		"failedPrecondition":    driver.Busy,
		"rateLimitExceeded":     driver.Throttled,
		"quotaExceeded":         driver.Quota,
		"databaseAlreadyExists": driver.Conflict,
		"userAlreadyExists":     driver.Conflict,
	},
	http.StatusForbidden: {
		"rateLimitExceeded":        driver.Throttled,
		"userRateLimitExceeded":    driver.Throttled,
		"RATE_LIMIT_EXCEEDED":      driver.Throttled,
		"quotaExceeded":            driver.Quota,
		"dailyLimitExceeded":       driver.Quota,
		"instanceQuotaExceeded":    driver.Quota,
		"retentionPolicyNotMet":    driver.Protected,
		"objectUnderActiveHold":    driver.Protected,
		"instanceLimitExceeded":    driver.Quota,
		"errorMaxInstancePerLabel": driver.Quota,
		"resourceInUseByOperation": driver.Busy,
		"operationInProgress":      driver.Busy, // it comes with three statuses
	},
	http.StatusConflict: {
		"operationInProgress": driver.Busy,
		"invalidState":        driver.Busy,
		"conditionNotMet":     driver.Busy,
		"aborted":             driver.Busy,
	},
	http.StatusTooManyRequests: {
		"quotaExceeded": driver.Throttled, // a rate, at this status
	},
}

// byStatus is the meaning of a status whose reason says nothing else.
var byStatus = map[int]driver.Code{
	http.StatusBadRequest:            driver.Invalid,
	http.StatusUnauthorized:          driver.Denied,
	http.StatusForbidden:             driver.Denied,
	http.StatusNotFound:              driver.NotFound,
	http.StatusRequestTimeout:        driver.Unavailable,
	http.StatusConflict:              driver.Conflict,
	http.StatusRequestEntityTooLarge: driver.Invalid,
	http.StatusTooManyRequests:       driver.Throttled,
}

// wrap makes a driver.Error of whatever a call ended with. One that is in it comes from a step to the identity, and stays.
func (s *Session) wrap(op string, err error) error {
	if step, ok := errors.AsType[*driver.Error](err); ok {
		own := *step // others who waited for the step have it too
		return &own
	}
	if answer, ok := errors.AsType[*googleapi.Error](err); ok {
		return s.wrapAnswer(op, err, answer)
	}
	e := &driver.Error{Code: driver.Unavailable, Op: op, Err: err}
	var token *oauth2.RetrieveError
	var none *ambientError
	var network *url.Error
	var dns *net.DNSError
	switch {
	case errors.As(err, &token):
		e.Code, e.Message = tokenRefusal(token)
	case errors.As(err, &none):
		e.Code, e.Message = driver.Denied, "Mooring runs without a Google Cloud identity: give its pod one, or use credentials.secretRef"
	case errors.Is(err, context.DeadlineExceeded) || isTimeout(err):
		e.Message = "no answer in time"
	case errors.Is(err, context.Canceled):
		e.Message = "the call was cancelled"
	case errors.As(err, &dns):
		e.Message = fmt.Sprintf("the host %q can't be found", dns.Name)
	case errors.As(err, &network):
		e.Message = table.NoConnection(err)
	case errors.As(err, new(*tokenError)):
		e.Message = "Mooring could not get an access token"
	default:
		e.Code, e.Message = driver.Internal, "the answer could not be understood"
	}
	return e
}

func (s *Session) wrapAnswer(op string, err error, answer *googleapi.Error) error {
	e := &driver.Error{Op: op, Err: err, RetryAfter: retryAfter(answer.Header, s.Now()), Settling: settling.MatchString(answer.Message)}
	reason := reasonOf(answer)
	code := codeOf(answer)
	switch {
	case answer.Code >= 500:
		e.Code, e.Message = driver.Unavailable, fmt.Sprintf("Google Cloud failed with status %d", answer.Code)
	case code == driver.NotFound && reason == "":
		// Not an answer of Google's API, which always gives a reason: a wrong endpoint, or a proxy. That must never
		// be taken for the absence of an object.
		e.Code, e.Message = driver.Unavailable, "what answered with status 404 is not Google's API: check the endpoint"
	case code == driver.Internal:
		e.Code, e.Message = code, fmt.Sprintf("status %d", answer.Code)
	case code == driver.Throttled:
		e.Code, e.Message = code, "too many calls"
	case answer.Code == http.StatusPreconditionFailed && code == driver.Busy:
		e.Code, e.Message = code, "somebody else changed it in the meantime"
	case policyOfOrganization.MatchString(answer.Message):
		e.Code, e.Settling, e.Message = code, false, strings.TrimSuffix(MessageOf(answer), ".")+": a policy of the organization forbids it; change what it names, or ask an administrator of the organization for an exception"
	default:
		e.Code, e.Message = code, MessageOf(answer)
	}
	return e
}

// codeOf says what an answer means: by its reason, by its status, and of a status that is not in the tables, by who gave it. Google's own refusals
// have a reason, and are told in its words; what has none is of something in between.
func codeOf(answer *googleapi.Error) driver.Code {
	reason := reasonOf(answer)
	if answer.Code < http.StatusInternalServerError && policyOfOrganization.MatchString(answer.Message) {
		return driver.Denied
	}
	if code, known := byReason[answer.Code][reason]; known {
		return code
	}
	if code, known := byStatus[answer.Code]; known {
		return code
	}
	switch {
	case reason == "" || answer.Code < http.StatusBadRequest:
		return driver.Internal
	case answer.Code == http.StatusPreconditionFailed && (reason == "staleData" || lostRace.MatchString(answer.Message)):
		return driver.Busy
	}
	return driver.Invalid
}

// settling are the words of refusals of what may have been made or granted a short time ago: a member of a binding, a key, a topic.
// Cloud Storage, Cloud SQL and Cloud KMS each have words of their own for a key.
// https://cloud.google.com/iam/docs/access-change-propagation
// https://gist.github.com/gbrayut/c493eeb04f819faa70c0d2ad3af5ee41 (Cloud SQL), https://github.com/hashicorp/terraform-provider-google/issues/15415 (Cloud KMS)
var settling = regexp.MustCompile(`(?i)permission denied on cloud kms|insufficient permission to use kms key|permission '?cloudkms\.\S+ denied|authorized to use .*\bkey|permission to publish|(service ?account|principal|member|user|group) \S+ does not exist`)

// lostRace are the words of an answer that says that somebody else was faster. Its status is also that of what a policy of the organization forbids, and of a
// bucket that can't be made public. https://cloud.google.com/storage/docs/org-policy-constraints
var lostRace = regexp.MustCompile(`(?i)pre-?conditions?\b|condition does not match`)

// policyOfOrganization are the words of a refusal by a constraint of the organization, whose status is 412 in Cloud Storage and 400 in Cloud SQL, or
// by a service perimeter, at 403. Custom constraints, and that which restricts members to some domains, have words of their own.
// https://cloud.google.com/resource-manager/docs/organization-policy/creating-managing-custom-constraints
// https://github.com/hashicorp/terraform-provider-google/issues/6482 (permitted customer)
// https://cloud.google.com/sql/docs/mysql/org-policy/configure-org-policy#errors
// https://cloud.google.com/vpc-service-controls/docs/troubleshooting
var policyOfOrganization = regexp.MustCompile(`(?i)\b(custom)?constraints?/[a-z]+\.|(denied|prohibited|forbidden) by (custom |an? |the )?org(anization)?('s)? polic|organization policy check failure|belong to a permitted customer`)

func reasonOf(answer *googleapi.Error) string {
	for _, item := range answer.Errors {
		if item.Reason != "" {
			return item.Reason
		}
	}
	return ""
}

// perimeterID is the part of a refusal by a service perimeter that differs every time.
var perimeterID = regexp.MustCompile(`\s*vpcServiceControlsUniqueIdentifier:?\s*\S+`)

// MessageOf returns what the cloud says, on one line.
func MessageOf(answer *googleapi.Error) string {
	text := strings.Join(strings.Fields(perimeterID.ReplaceAllString(answer.Message, "")), " ")
	if text == "" {
		return fmt.Sprintf("refused with status %d", answer.Code)
	}
	return text
}

// tokenRefusal says what the refusal of a token means.
// https://developers.google.com/identity/protocols/oauth2/service-account#error-codes
func tokenRefusal(err *oauth2.RetrieveError) (driver.Code, string) {
	status := 0
	if err.Response != nil {
		status = err.Response.StatusCode
	}
	switch {
	case status == http.StatusTooManyRequests:
		return driver.Throttled, "too many requests for access tokens"
	case status < 400 || status >= 500:
		return driver.Unavailable, fmt.Sprintf("the token service failed with status %d", status)
	}
	var body struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(err.Body, &body) != nil || body.Error == "" {
		return driver.Unavailable, fmt.Sprintf("what answered with status %d is not Google's token service: check the endpoint", status)
	}
	message := "the credentials are refused: " + body.Error
	if body.Description != "" {
		message += ": " + strings.Join(strings.Fields(body.Description), " ")
	}
	return driver.Denied, message
}

// retryAfter reads how long the cloud asks to wait: seconds, or a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// Invalid refuses what no call has to be made for to know that it can't work.
func Invalid(format string, args ...any) error {
	return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf(format, args...)}
}

// OfOrganization reports whether a policy of the organization forbids what was asked for.
func OfOrganization(err error) bool {
	answer, ok := errors.AsType[*googleapi.Error](err)
	return ok && policyOfOrganization.MatchString(answer.Message)
}
