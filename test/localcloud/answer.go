package localcloud

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"net/http"
	"strings"
	"time"
)

// A reply is a whole response, held back until the faults have had their say.
type reply struct {
	status int
	header http.Header
	body   []byte
	code   string // the cloud's error code, for the ledger
}

// requestID returns what the answer names the request.
func (r reply) requestID() string {
	for _, name := range []string{"X-Amz-Request-Id", "X-Amzn-Requestid", "X-Guploader-Uploadid"} {
		if id := r.header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// A service answers calls in one cloud API's dialect.
type service interface {
	// fail returns the dialect's response for a fault that is Throttled, ServerError, Denied, Conflict or Refused.
	fail(fault Fault, call Call) reply
	// act performs the call. injected is a fault that only it can honour, Stale or FailLate, or none.
	act(call *Call, r *http.Request, body []byte, injected Fault) reply
}

// serve takes one identified call through faults, service and ledger.
func (c *Shared) serve(w http.ResponseWriter, r *http.Request, body []byte, call Call, s service) {
	call.Time = c.opts.Now()
	start := time.Now()
	fault, hit := c.Faults.take(call, body)
	call.Fault = fault.Kind
	var answer *reply
	switch kind := fault.Kind; kind {
	case Throttled, ServerError, Denied, Conflict, Refused:
		failed := s.fail(fault, call)
		answer = &failed
	case Hang:
		c.Faults.hanging.Add(1)
		defer c.Faults.hanging.Add(-1)
		select {
		case <-r.Context().Done():
		case <-c.closing:
		}
	case RequestLost:
	case Page, Blank, ForeignXML, ForeignJSON:
		answer = stranger(kind)
	default:
		if kind == Latency {
			select {
			case <-time.After(fault.Delay):
			case <-r.Context().Done():
			case <-c.closing:
			}
		}
		injected := Fault{}
		if kind == Stale || kind == FailLate {
			injected = fault
		}
		done := s.act(&call, r, body, injected)
		call.Committed = done.status < http.StatusBadRequest
		call.Code = done.code
		if kind == Cut {
			done.body = done.body[:len(done.body)/2]
		}
		if kind != ResponseLost {
			answer = &done
		}
	}
	call.Took = time.Since(start)
	if answer != nil {
		call.Status, call.Code, call.RequestID = answer.status, answer.code, answer.requestID()
	}
	c.Ledger.record(call)
	if hit && fault.Hook != nil {
		fault.Hook(call)
	}
	if answer == nil {
		panic(http.ErrAbortHandler) // cuts the connection without a response
	}
	maps.Copy(w.Header(), answer.header)
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body)
}

// strangers are what somebody else answers in the cloud's place.
var strangers = map[FaultKind]struct{ contentType, body string }{
	Page:        {"text/html; charset=utf-8", "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Log in<br></body></html>\n"},
	Blank:       {},
	ForeignXML:  {"application/xml", `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title></feed>`},
	ForeignJSON: {"application/json", `{"status":"ok"}`},
}

// stranger is the reply of somebody else.
func stranger(kind FaultKind) *reply {
	says := strangers[kind]
	return &reply{status: http.StatusOK, header: http.Header{"Content-Type": {says.contentType}}, body: []byte(says.body)}
}

// requestID returns an id for an answer.
func requestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return strings.ToUpper(hex.EncodeToString(b[:8]))
}
