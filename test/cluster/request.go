package cluster

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Request is one request that reached the API server.
type Request struct {
	Time        time.Time // when it was answered
	Verb        string    // get, list, watch, create, update, patch, delete or deletecollection
	Group       string    // "mooring.dev"; empty for the core group
	Resource    string    // "buckets"
	Subresource string    // "status"; empty for the object itself
	Namespace   string
	Name        string // empty for lists, and for a create, whose name only its body says
	Labels      string // the label selector of a list or a watch; empty if it has none
	User        string
	UserAgent   string
	Code        int // HTTP status of the answer
	// Decision is what the authorizers said: Allowed or Forbidden. A request that they allowed may have been refused by
	// others: admission, or a namespace that is leaving.
	Decision string
	// Reason is why: which binding of which role allowed it.
	Reason string
}

// What authorizers say of a request.
const (
	Allowed   = "allow"
	Forbidden = "forbid"
)

// String is one line for a failed test's message.
func (r Request) String() string {
	resource := r.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	return fmt.Sprintf("%s %s %s %s/%s by %s: %d",
		r.Time.Format("15:04:05.000"), r.Verb, resource, r.Namespace, r.Name, r.User, r.Code)
}

// Requests are requests in the order in which they were answered.
type Requests []Request

// A Filter chooses requests.
type Filter func(Request) bool

// Writes chooses the requests that change something, or tried to.
func Writes(r Request) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb)
}

// Succeeded chooses the requests that were answered with a 2xx.
func Succeeded(r Request) bool { return r.Code/100 == 2 }

// Unauthorized chooses the requests for which their user has no right.
func Unauthorized(r Request) bool { return r.Decision == Forbidden }

// By chooses the requests of one user.
func By(user string) Filter { return func(r Request) bool { return r.User == user } }

// On chooses the requests of the named resources: "buckets" for the objects, "buckets/status" for a subresource,
// "buckets/*" for both.
func On(resources ...string) Filter {
	return func(r Request) bool {
		return slices.ContainsFunc(resources, func(want string) bool {
			name, sub, _ := strings.Cut(want, "/")
			return name == r.Resource && (sub == "*" || sub == r.Subresource)
		})
	}
}

// Of chooses the requests of one object. A create is not among them: its name is in its body alone.
func Of(namespace, name string) Filter {
	return func(r Request) bool { return r.Namespace == namespace && r.Name == name }
}

// Not chooses what f does not.
func Not(f Filter) Filter { return func(r Request) bool { return !f(r) } }

// Where returns the requests that all filters choose.
func (rs Requests) Where(filters ...Filter) Requests {
	var chosen Requests
	for _, r := range rs {
		if !slices.ContainsFunc(filters, func(f Filter) bool { return !f(r) }) {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// Count returns how many requests all filters choose.
func (rs Requests) Count(filters ...Filter) int { return len(rs.Where(filters...)) }

// String is one line a request.
func (rs Requests) String() string {
	lines := make([]string, len(rs))
	for i, r := range rs {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

// auditEvent is what we read of audit.k8s.io/v1 Event.
type auditEvent struct {
	StageTimestamp time.Time `json:"stageTimestamp"`
	Verb           string    `json:"verb"`
	UserAgent      string    `json:"userAgent"`
	RequestURI     string    `json:"requestURI"`
	User           struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		APIGroup    string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	Annotations struct {
		Decision string `json:"authorization.k8s.io/decision"`
		Reason   string `json:"authorization.k8s.io/reason"`
	} `json:"annotations"`
}

func (e auditEvent) request() Request {
	return Request{
		Time:        e.StageTimestamp,
		Verb:        e.Verb,
		Group:       e.ObjectRef.APIGroup,
		Resource:    e.ObjectRef.Resource,
		Subresource: e.ObjectRef.Subresource,
		Namespace:   e.ObjectRef.Namespace,
		Name:        e.ObjectRef.Name,
		User:        e.User.Username,
		Labels:      e.labels(),
		UserAgent:   e.UserAgent,
		Code:        e.ResponseStatus.Code,
		Decision:    e.Annotations.Decision,
		Reason:      e.Annotations.Reason,
	}
}

func (e auditEvent) labels() string {
	uri, err := url.ParseRequestURI(e.RequestURI)
	if err != nil {
		return ""
	}
	return uri.Query().Get("labelSelector")
}

// parseAudit reads one event a line. A last line without an end is one being written: left for later.
func parseAudit(r io.Reader) (Requests, error) {
	var all Requests
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read audit log: %w", err)
		}
		var e auditEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("parse audit log: %w", err)
		}
		all = append(all, e.request())
	}
}
