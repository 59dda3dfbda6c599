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

func (e *gcpError) Error() string { return e.reason + ": " + e.message }

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

func (s gcpService) fail(kind FaultKind, call Call) reply {
	return named(call.Service, failure(kind, call))
}

func failure(kind FaultKind, call Call) reply {
	if kind == Refused {
		return gcpFailure(call.Service, gcpErr(call.injected.Status, call.injected.Code, call.injected.Message))
	}
	if call.Service == "token" {
		return gcpFailure("token", map[FaultKind]*gcpError{
			Throttled:   gcpErr(http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit exceeded."),
			ServerError: gcpErr(http.StatusInternalServerError, "internal_failure", "Internal failure."),
			Denied:      gcpErr(http.StatusForbidden, "access_denied", "Account restricted."),
			Conflict:    gcpErr(http.StatusBadRequest, "invalid_grant", "Invalid grant."),
		}[kind])
	}
	if call.Service == "iamcredentials" {
		return gcpFailure(call.Service, map[FaultKind]*gcpError{
			Throttled:   gcpErr(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded."),
			ServerError: gcpErr(http.StatusInternalServerError, "INTERNAL", "Internal error encountered."),
			Denied:      errNoImpersonation,
			Conflict:    gcpErr(http.StatusConflict, "ABORTED", "The operation was aborted."),
		}[kind])
	}
	if call.Service == "monitoring" {
		return gcpFailure(call.Service, map[FaultKind]*gcpError{
			Throttled:   gcpErr(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded."),
			ServerError: gcpErr(http.StatusInternalServerError, "INTERNAL", "Internal error encountered."),
			Denied:      errMonitoringDenied,
			Conflict:    gcpErr(http.StatusConflict, "ABORTED", "The operation was aborted."),
		}[kind])
	}
	sql := call.Service == "sqladmin"
	switch kind {
	case Throttled:
		if sql {
			return gcpFailure(call.Service, errSQLThrottled)
		}
		return gcpFailure(call.Service, gcpErr(http.StatusTooManyRequests, "rateLimitExceeded", "The rate of requests exceeds the limit. Please reduce it."))
	case Denied:
		if sql {
			return gcpFailure(call.Service, errSQLDenied)
		}
		return gcpFailure(call.Service, gcpErr(http.StatusForbidden, "forbidden", "The caller does not have "+"storage."+call.Operation+" access."))
	case Conflict:
		switch {
		case sql:
			return gcpFailure(call.Service, errSQLBusy)
		case call.Operation == "buckets.insert", call.Operation == "buckets.delete":
			return gcpFailure(call.Service, gcpErr(http.StatusConflict, "conflict", "A conditional request failed due to a concurrent change."))
		}
		return gcpFailure(call.Service, errConditionNotMet)
	default:
		return gcpFailure(call.Service, gcpErr(http.StatusInternalServerError, "backendError", "We encountered an internal error. Please try again."))
	}
}
