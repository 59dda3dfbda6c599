package cloud

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// A Reply is a whole response, held back until the faults have had their say.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	Code   string // the cloud's error code, for the ledger
}

// RequestID returns what the answer names the request.
func (r Reply) requestID() string {
	for _, name := range []string{"X-Amz-Request-Id", "X-Amzn-Requestid", "X-Guploader-Uploadid"} {
		if id := r.Header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// A Service answers calls in one cloud API's dialect.
type Service interface {
	// Fail returns the dialect's response for a fault that is Throttled, ServerError, Denied, Conflict or Refused.
	Fail(fault traffic.Fault, call traffic.Call) Reply
	// Act performs the call. injected is a fault that only it can honour, Stale or FailLate, or none.
	Act(call *traffic.Call, r *http.Request, body []byte, injected traffic.Fault) Reply
}

// Serve takes one identified call through faults, service and ledger.
func (c *Shared) Serve(w http.ResponseWriter, r *http.Request, body []byte, call traffic.Call, s Service) {
	call.Time = c.Options.Now()
	start := time.Now()
	fault, hit := c.Faults.Take(call, body)
	call.Fault = fault.Kind
	var answer *Reply
	switch kind := fault.Kind; kind {
	case traffic.Throttled, traffic.ServerError, traffic.Denied, traffic.Conflict, traffic.Refused:
		failed := s.Fail(fault, call)
		answer = &failed
	case traffic.Hang:
		defer c.Faults.Hang()()
		select {
		case <-r.Context().Done():
		case <-c.Closing:
		}
	case traffic.RequestLost:
	case traffic.Page, traffic.Blank, traffic.ForeignXML, traffic.ForeignJSON:
		answer = stranger(kind)
	default:
		if kind == traffic.Latency {
			select {
			case <-time.After(fault.Delay):
			case <-r.Context().Done():
			case <-c.Closing:
			}
		}
		injected := traffic.Fault{}
		if kind == traffic.Stale || kind == traffic.FailLate {
			injected = fault
		}
		done := s.Act(&call, r, body, injected)
		call.Committed = done.Status < http.StatusBadRequest
		call.Code = done.Code
		if kind == traffic.Cut {
			done.Body = done.Body[:len(done.Body)/2]
		}
		if kind != traffic.ResponseLost {
			answer = &done
		}
	}
	call.Took = time.Since(start)
	if answer != nil {
		call.Status, call.Code, call.RequestID = answer.Status, answer.Code, answer.requestID()
	}
	c.Ledger.Record(call)
	if hit && fault.Hook != nil {
		fault.Hook(call)
	}
	if answer == nil {
		panic(http.ErrAbortHandler) // cuts the connection without a response
	}
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}

// strangers are what somebody else answers in the cloud's place.
var strangers = map[traffic.FaultKind]struct{ contentType, body string }{
	traffic.Page:        {"text/html; charset=utf-8", "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Log in<br></body></html>\n"},
	traffic.Blank:       {},
	traffic.ForeignXML:  {"application/xml", `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title></feed>`},
	traffic.ForeignJSON: {"application/json", `{"status":"ok"}`},
}

// stranger is the reply of somebody else.
func stranger(kind traffic.FaultKind) *Reply {
	says := strangers[kind]
	return &Reply{Status: http.StatusOK, Header: http.Header{"Content-Type": {says.contentType}}, Body: []byte(says.body)}
}

// RequestID returns an id for an answer.
func RequestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return strings.ToUpper(hex.EncodeToString(b[:8]))
}
