package google

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// A Error is an error as Google's APIs report one.
type Error struct {
	status  int
	reason  string // of the first entry in errors
	message string
}

// Err returns an error of an API.
func Err(status int, reason, message string) *Error { return &Error{status, reason, message} }

// Invalid is for a value that an API does not take.
func Invalid(message string) *Error {
	return Err(http.StatusBadRequest, "invalid", message)
}

// Error implements error.
func (e *Error) Error() string { return e.reason + ": " + e.message }

// ErrConditionNotMet is for a precondition that did not hold.
var ErrConditionNotMet = Err(http.StatusPreconditionFailed, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")

// gcpStatuses are the canonical codes that Cloud SQL and the authenticating front end add.
var gcpStatuses = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED",
	http.StatusForbidden: "PERMISSION_DENIED", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
}

func gcpFailure(service string, err error) cloud.Reply {
	var e *Error
	if !errors.As(err, &e) {
		e = Err(http.StatusInternalServerError, "internalError", "Internal error: "+err.Error())
	}
	entry := map[string]any{"message": e.message, "domain": "global", "reason": e.reason}
	failure := map[string]any{"code": e.status, "message": e.message, "errors": []any{entry}}
	header := http.Header{"Content-Type": {"application/json; charset=UTF-8"}}
	switch e.status {
	case http.StatusUnauthorized:
		entry["location"], entry["locationType"] = "Authorization", "header"
		failure["status"] = gcpStatuses[e.status]
		header.Set("Www-Authenticate", `Bearer realm="https://accounts.google.com/", error="invalid_token"`)
	case http.StatusPreconditionFailed:
		entry["location"], entry["locationType"] = "If-Match", "header"
	default:
		if status := gcpStatuses[e.status]; status != "" && strings.HasPrefix(service, "sql") {
			failure["status"] = status
		}
	}
	var body []byte
	switch service {
	case "token":
		body, _ = json.Marshal(map[string]any{"error": e.reason, "error_description": e.message})
	case "iamcredentials", "monitoring": // of the newer kind, without a list of errors
		status := e.reason
		if canonical := gcpStatuses[e.status]; canonical != "" {
			status = canonical
		}
		body, _ = json.Marshal(map[string]any{"error": map[string]any{"code": e.status, "message": e.message, "status": status}})
	default:
		body, _ = json.Marshal(map[string]any{"error": failure})
	}
	return cloud.Reply{Status: e.status, Header: header, Body: body, Code: e.reason}
}

// Faults are what an API answers to a fault that is injected, by its kind. It has none of ServerError and no others
// where it answers as most do.
type Faults func(kind traffic.FaultKind, call traffic.Call) *Error

// Fail implements cloud.Service.
func (s gcpService) Fail(fault traffic.Fault, call traffic.Call) cloud.Reply {
	return named(call.Service, gcpFailure(call.Service, s.g.failing(fault, call)))
}

// failing is the error of a fault that is injected.
func (g *Endpoint) failing(fault traffic.Fault, call traffic.Call) *Error {
	if fault.Kind == traffic.Refused {
		return Err(fault.Status, fault.Code, fault.Message)
	}
	if faults := g.Faults[call.Service]; faults != nil {
		if err := faults(fault.Kind, call); err != nil {
			return err
		}
	}
	switch fault.Kind {
	case traffic.Throttled:
		return Err(http.StatusTooManyRequests, "rateLimitExceeded", "The rate of requests exceeds the limit. Please reduce it.")
	case traffic.Denied:
		return Err(http.StatusForbidden, "forbidden", "The caller does not have "+"storage."+call.Operation+" access.")
	case traffic.Conflict:
		return ErrConditionNotMet
	default:
		return Err(http.StatusInternalServerError, "backendError", "We encountered an internal error. Please try again.")
	}
}

// NewerFaults are those of an API of the newer kind, with its own refusal.
func NewerFaults(denied *Error) Faults {
	return func(kind traffic.FaultKind, _ traffic.Call) *Error {
		return map[traffic.FaultKind]*Error{
			traffic.Throttled:   Err(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded."),
			traffic.ServerError: Err(http.StatusInternalServerError, "INTERNAL", "Internal error encountered."),
			traffic.Denied:      denied,
			traffic.Conflict:    Err(http.StatusConflict, "ABORTED", "The operation was aborted."),
		}[kind]
	}
}

// tokenFaults are those of the makers of tokens.
func tokenFaults(kind traffic.FaultKind, _ traffic.Call) *Error {
	return map[traffic.FaultKind]*Error{
		traffic.Throttled:   Err(http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit exceeded."),
		traffic.ServerError: Err(http.StatusInternalServerError, "internal_failure", "Internal failure."),
		traffic.Denied:      Err(http.StatusForbidden, "access_denied", "Account restricted."),
		traffic.Conflict:    Err(http.StatusBadRequest, "invalid_grant", "Invalid grant."),
	}[kind]
}
