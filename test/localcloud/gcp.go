package localcloud

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"net/netip"

	"sync"
	"time"
)

// gcpCloud is the Google endpoint: it verifies the access token and hands the call to Cloud
// Storage, Cloud SQL Admin or the token service.
type gcpCloud struct {
	cloud  *Shared
	mux    *http.ServeMux
	keys   gcpKeyring
	rates  gcpRates
	faults map[string]gcpFaults // by service

	mu       sync.Mutex                   // guards what follows, and is held by every handler
	pools    map[string]GCPTrust          // by the provider's name
	actors   map[string]gcpServiceAccount // by email
	projects map[string]*gcpProject
}

// A gcpProject is one account of Google Cloud, with the one identity that may manage it.
type gcpProject struct {
	id     string
	number uint64
	email  string // of its service account
	caller GCPCaller
}

func newGCPCloud(c *Shared) *gcpCloud {
	g := &gcpCloud{cloud: c, mux: http.NewServeMux(), projects: map[string]*gcpProject{}, faults: map[string]gcpFaults{},
		pools: map[string]GCPTrust{}, actors: map[string]gcpServiceAccount{}}
	g.keys.now = c.opts.SessionNow
	g.keys.accounts, g.keys.current, g.keys.tokens = map[string]*gcpAccount{}, map[string]*gcpAccount{}, map[string]gcpToken{}
	g.routeToken()
	g.routeFederation()
	g.handle("/", gcpRoute{operation: "unknown", do: func(*gcpRequest) (any, error) {
		return nil, gcpErr(http.StatusNotFound, "notFound", "The requested URL was not found on this server.")
	}})
	return g
}

func (g *gcpCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.mux.ServeHTTP(w, r) }

// project returns the project of that id, made on first use. The caller holds g.mu.
func (g *gcpCloud) project(id string) *gcpProject {
	p := g.projects[id]
	if p == nil {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(id))
		p = &gcpProject{id: id, number: 1e11 + hash.Sum64()%(9e11), email: "mooring@" + id + ".iam.gserviceaccount.com"}
		g.projects[id] = p
	}
	return p
}

// A gcpRoute is one method of an API.
type gcpRoute struct {
	service   string
	operation string                     // as in Google's discovery document
	resource  string                     // the path variable that names the resource; "name" is the body's name, "body.instance" its instance
	find      func(*http.Request) string // names the resource where no path variable does; nil otherwise
	open      bool                       // needs no access token
	do        func(*gcpRequest) (any, error)
}

// A gcpRequest is a call whose caller is known.
type gcpRequest struct {
	*http.Request
	body     []byte
	now      time.Time
	caller   *gcpProject // whose identity it is; nil on an open route
	token    gcpToken    // by which that was proved
	stale    bool        // a read must answer from before the last write
	failLate bool        // the operation that it starts must fail
	injected Fault       // with what
	cloud    *Shared
	call     *Call // what the ledger will have of it
}

// handle serves a route. A response of type reply goes out as it is, any other value as JSON, nil as 204.
func (g *gcpCloud) handle(pattern string, route gcpRoute) {
	g.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		call := Call{
			Service: route.service, Operation: route.operation, Account: r.PathValue("project"),
			Write: r.Method != http.MethodGet && !route.open,
		}
		switch {
		case route.find != nil:
			call.Resource = route.find(r)
		case route.resource == "name", route.resource == "body.instance":
			var named struct{ Name, Instance string }
			_ = json.Unmarshal(body, &named) // the handler says what is wrong with it
			call.Resource = named.Name
			if route.resource == "body.instance" {
				call.Resource = named.Instance
			}
		case route.resource != "":
			call.Resource = r.PathValue(route.resource)
		}
		if caller := g.keys.holder(r, body); call.Account == "" && caller != nil {
			call.Account = caller.id
		}
		g.cloud.serve(w, r, body, call, gcpService{g, route})
	})
}

// A gcpService is the service that serves one route.
type gcpService struct {
	g     *gcpCloud
	route gcpRoute
}

func (s gcpService) act(call *Call, r *http.Request, body []byte, injected Fault) reply {
	return named(call.Service, s.answer(call, r, body, injected))
}

// named gives an answer of Cloud Storage its id, by which Google's support finds the request. Cloud SQL and those who hand
// out tokens give none. https://cloud.google.com/storage/docs/json_api/v1/parameters#xguploaderuploadid
func named(service string, answer reply) reply {
	if service == "storage" {
		answer.header.Set("X-GUploader-UploadID", requestID())
	}
	return answer
}

func (s gcpService) answer(call *Call, r *http.Request, body []byte, injected Fault) reply {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	req := &gcpRequest{
		Request: r, body: body, now: s.g.cloud.opts.Now(),
		stale:    injected.Kind == Stale && r.Method == http.MethodGet,
		failLate: injected.Kind == FailLate && r.Method != http.MethodGet,
		injected: injected, cloud: s.g.cloud, call: call,
	}
	if !s.route.open {
		var err error
		if req.token, err = s.g.keys.authenticate(r, call.Service); err != nil {
			return gcpFailure(call.Service, err)
		}
		req.caller, call.Caller, call.Key = req.token.account.project, req.token.principal, req.token.key
		call.Account = req.caller.id
		if p := r.PathValue("project"); p != "" {
			call.Account = p
		}
		if s.g.cloud.opts.RateLimits {
			if err := s.g.admit(req, call); err != nil {
				return gcpFailure(call.Service, err)
			}
		}
	}
	value, err := s.route.do(req)
	if err == nil {
		value, err = selectFields(value, r.URL.Query().Get("fields"))
	}
	if err != nil {
		return gcpFailure(call.Service, err)
	}
	return gcpSuccess(value)
}

func gcpSuccess(value any) reply {
	if done, ok := value.(reply); ok {
		return done
	}
	if value == nil {
		return reply{status: http.StatusNoContent, header: http.Header{}}
	}
	body, err := json.Marshal(value)
	if err != nil {
		return gcpFailure("", err)
	}
	return reply{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json; charset=UTF-8"}}, body: body}
}

// A GCPCaller says what filters of buckets make of the identity of a project. The zero value is inside of every filter.
type GCPCaller struct {
	// Address is where it calls from, on the public internet; invalid if every filter lists it.
	Address netip.Addr
	// Exempt: it has storage.buckets.exemptFromIpFilter.
	Exempt bool
	// Blind: it lacks storage.buckets.getIpFilter.
	Blind bool
}

// callsFrom says where the identity of a project calls from, and what it may.
func (g *gcpCloud) callsFrom(project string, caller GCPCaller) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.project(project).caller = caller
}
