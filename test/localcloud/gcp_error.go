package localcloud

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// A gcpError is an error as Google's APIs report one.
type gcpError struct {
	status  int
	reason  string // of the first entry in errors
	message string
}

func gcpErr(status int, reason, message string) *gcpError { return &gcpError{status, reason, message} }

// gcpInvalid is for a value that an API does not take.
func gcpInvalid(message string) *gcpError {
	return gcpErr(http.StatusBadRequest, "invalid", message)
}

func (e *gcpError) Error() string { return e.reason + ": " + e.message }

// errConditionNotMet is for a precondition that did not hold.
var errConditionNotMet = gcpErr(http.StatusPreconditionFailed, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")

// gcpStatuses are the canonical codes that Cloud SQL and the authenticating front end add.
var gcpStatuses = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED",
	http.StatusForbidden: "PERMISSION_DENIED", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
}

func gcpFailure(service string, err error) reply {
	var e *gcpError
	if !errors.As(err, &e) {
		e = gcpErr(http.StatusInternalServerError, "internalError", "Internal error: "+err.Error())
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
	return reply{status: e.status, header: header, body: body, code: e.reason}
}

// gcpFaults are what an API answers to a fault that is injected, by its kind. It has none of ServerError and no others
// where it answers as most do.
type gcpFaults func(kind FaultKind, call Call) *gcpError

func (s gcpService) fail(fault Fault, call Call) reply {
	return named(call.Service, gcpFailure(call.Service, s.g.failing(fault, call)))
}

// failing is the error of a fault that is injected.
func (g *gcpCloud) failing(fault Fault, call Call) *gcpError {
	if fault.Kind == Refused {
		return gcpErr(fault.Status, fault.Code, fault.Message)
	}
	if faults := g.faults[call.Service]; faults != nil {
		if err := faults(fault.Kind, call); err != nil {
			return err
		}
	}
	switch fault.Kind {
	case Throttled:
		return gcpErr(http.StatusTooManyRequests, "rateLimitExceeded", "The rate of requests exceeds the limit. Please reduce it.")
	case Denied:
		return gcpErr(http.StatusForbidden, "forbidden", "The caller does not have "+"storage."+call.Operation+" access.")
	case Conflict:
		return errConditionNotMet
	default:
		return gcpErr(http.StatusInternalServerError, "backendError", "We encountered an internal error. Please try again.")
	}
}

// newerFaults are those of an API of the newer kind, with its own refusal.
func newerFaults(denied *gcpError) gcpFaults {
	return func(kind FaultKind, _ Call) *gcpError {
		return map[FaultKind]*gcpError{
			Throttled:   gcpErr(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded."),
			ServerError: gcpErr(http.StatusInternalServerError, "INTERNAL", "Internal error encountered."),
			Denied:      denied,
			Conflict:    gcpErr(http.StatusConflict, "ABORTED", "The operation was aborted."),
		}[kind]
	}
}

// tokenFaults are those of the makers of tokens.
func tokenFaults(kind FaultKind, _ Call) *gcpError {
	return map[FaultKind]*gcpError{
		Throttled:   gcpErr(http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit exceeded."),
		ServerError: gcpErr(http.StatusInternalServerError, "internal_failure", "Internal failure."),
		Denied:      gcpErr(http.StatusForbidden, "access_denied", "Account restricted."),
		Conflict:    gcpErr(http.StatusBadRequest, "invalid_grant", "Invalid grant."),
	}[kind]
}
