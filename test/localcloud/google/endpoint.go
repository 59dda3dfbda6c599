package google

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// Endpoint is the Google endpoint: it verifies the access token and hands the call to Cloud
// Storage, Cloud SQL Admin or the token service.
type Endpoint struct {
	cloud  *cloud.Shared
	mux    *http.ServeMux
	Keys   gcpKeyring
	rates  gcpRates
	Faults map[string]Faults // by service

	Mu       sync.Mutex                   // guards what follows, and is held by every handler
	pools    map[string]Trust             // by the provider's name
	actors   map[string]gcpServiceAccount // by email
	projects map[string]*Project
}

// A Project is one account of Google Cloud, with the one identity that may manage it.
type Project struct {
	ID     string
	Number uint64
	Email  string // of its service account
	Caller Caller
}

// NewEndpoint returns the endpoint with the makers of tokens. Each API adds its own routes.
func NewEndpoint(c *cloud.Shared) *Endpoint {
	g := &Endpoint{cloud: c, mux: http.NewServeMux(), projects: map[string]*Project{}, Faults: map[string]Faults{},
		pools: map[string]Trust{}, actors: map[string]gcpServiceAccount{}}
	g.Keys.now = c.Options.SessionNow
	g.Keys.accounts, g.Keys.current, g.Keys.tokens = map[string]*gcpAccount{}, map[string]*gcpAccount{}, map[string]accessToken{}
	g.routeToken()
	g.routeFederation()
	g.Handle("/", Route{Operation: "unknown", Do: func(*Request) (any, error) {
		return nil, Err(http.StatusNotFound, "notFound", "The requested URL was not found on this server.")
	}})
	return g
}

// ServeHTTP implements http.Handler.
func (g *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.mux.ServeHTTP(w, r) }

// project returns the project of that id, made on first use. The caller holds g.mu.
func (g *Endpoint) project(id string) *Project {
	p := g.projects[id]
	if p == nil {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(id))
		p = &Project{ID: id, Number: 1e11 + hash.Sum64()%(9e11), Email: "mooring@" + id + ".iam.gserviceaccount.com"}
		g.projects[id] = p
	}
	return p
}

// A Route is one method of an API.
type Route struct {
	Service   string
	Operation string                     // as in Google's discovery document
	Resource  string                     // the path variable that names the resource; "name" is the body's name, "body.instance" its instance
	Find      func(*http.Request) string // names the resource where no path variable does; nil otherwise
	open      bool                       // needs no access token
	Do        func(*Request) (any, error)
}

// A Request is a call whose caller is known.
type Request struct {
	*http.Request
	Body     []byte
	Now      time.Time
	Caller   *Project      // whose identity it is; nil on an open route
	token    accessToken   // by which that was proved
	Stale    bool          // a read must answer from before the last write
	FailLate bool          // the operation that it starts must fail
	Injected traffic.Fault // with what
	Cloud    *cloud.Shared
	Call     *traffic.Call // what the ledger will have of it
}

// Handle serves a route. A response of type reply goes out as it is, any other value as JSON, nil as 204.
func (g *Endpoint) Handle(pattern string, route Route) {
	g.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		call := traffic.Call{
			Service: route.Service, Operation: route.Operation, Account: r.PathValue("project"),
			Write: r.Method != http.MethodGet && !route.open,
		}
		switch {
		case route.Find != nil:
			call.Resource = route.Find(r)
		case route.Resource == "name", route.Resource == "body.instance":
			var named struct{ Name, Instance string }
			_ = json.Unmarshal(body, &named) // the handler says what is wrong with it
			call.Resource = named.Name
			if route.Resource == "body.instance" {
				call.Resource = named.Instance
			}
		case route.Resource != "":
			call.Resource = r.PathValue(route.Resource)
		}
		if caller := g.Keys.holder(r, body); call.Account == "" && caller != nil {
			call.Account = caller.ID
		}
		g.cloud.Serve(w, r, body, call, gcpService{g, route})
	})
}

// A gcpService is the service that serves one route.
type gcpService struct {
	g     *Endpoint
	route Route
}

// Act implements cloud.Service.
func (s gcpService) Act(call *traffic.Call, r *http.Request, body []byte, injected traffic.Fault) cloud.Reply {
	return named(call.Service, s.answer(call, r, body, injected))
}

// named gives an answer of Cloud Storage its id, by which Google's support finds the request. Cloud SQL and those who hand
// out tokens give none. https://cloud.google.com/storage/docs/json_api/v1/parameters#xguploaderuploadid
func named(service string, answer cloud.Reply) cloud.Reply {
	if service == "storage" {
		answer.Header.Set("X-GUploader-UploadID", cloud.RequestID())
	}
	return answer
}

func (s gcpService) answer(call *traffic.Call, r *http.Request, body []byte, injected traffic.Fault) cloud.Reply {
	s.g.Mu.Lock()
	defer s.g.Mu.Unlock()
	req := &Request{
		Request: r, Body: body, Now: s.g.cloud.Options.Now(),
		Stale:    injected.Kind == traffic.Stale && r.Method == http.MethodGet,
		FailLate: injected.Kind == traffic.FailLate && r.Method != http.MethodGet,
		Injected: injected, Cloud: s.g.cloud, Call: call,
	}
	if !s.route.open {
		var err error
		if req.token, err = s.g.Keys.authenticate(r, call.Service); err != nil {
			return gcpFailure(call.Service, err)
		}
		req.Caller, call.Caller, call.Key = req.token.account.project, req.token.principal, req.token.key
		call.Account = req.Caller.ID
		if p := r.PathValue("project"); p != "" {
			call.Account = p
		}
		if s.g.cloud.Options.RateLimits {
			if err := s.g.admit(req, call); err != nil {
				return gcpFailure(call.Service, err)
			}
		}
	}
	value, err := s.route.Do(req)
	if err == nil {
		value, err = selectFields(value, r.URL.Query().Get("fields"))
	}
	if err != nil {
		return gcpFailure(call.Service, err)
	}
	return gcpSuccess(value)
}

func gcpSuccess(value any) cloud.Reply {
	if done, ok := value.(cloud.Reply); ok {
		return done
	}
	if value == nil {
		return cloud.Reply{Status: http.StatusNoContent, Header: http.Header{}}
	}
	body, err := json.Marshal(value)
	if err != nil {
		return gcpFailure("", err)
	}
	return cloud.Reply{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json; charset=UTF-8"}}, Body: body}
}

// A Caller says what filters of buckets make of the identity of a project. The zero value is inside of every filter.
type Caller struct {
	// Address is where it calls from, on the public internet; invalid if every filter lists it.
	Address netip.Addr
	// Exempt: it has storage.buckets.exemptFromIpFilter.
	Exempt bool
	// Blind: it lacks storage.buckets.getIpFilter.
	Blind bool
}

// CallsFrom says where the identity of a project calls from, and what it may.
func (g *Endpoint) CallsFrom(project string, caller Caller) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	g.project(project).Caller = caller
}
