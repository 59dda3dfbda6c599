package store

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A Front passes requests on to a store, counts them, and makes some go wrong.
type Front struct {
	// Endpoint is the URL to call in place of the store's.
	Endpoint string

	behind *httputil.ReverseProxy
	mu     sync.Mutex
	calls  []Call
	faults map[*Fault]int // how many calls each has let pass
}

// A Call is a request to the store.
type Call struct {
	// Method and About say which call it is: PUT and "versioning", for example. About is empty for the bucket itself.
	Method, About string
	Bucket        string
}

// Write reports whether the call changes something.
func (c Call) Write() bool { return c.Method != http.MethodGet && c.Method != http.MethodHead }

// A Fault makes calls go wrong. Fields that are empty select all calls.
type Fault struct {
	Reads, Writes bool
	About         string
	Bucket        string
	// Says is a part of the body.
	Says string
	// Skip is how many such calls it lets pass.
	Skip int
	// Status and Code are the answer, without a Code one of a proxy; 0 is none at all. Then the caller waits until it gives up, or with Lost the store does what it is asked, and the
	// connection is cut.
	Status int
	Code   string
	Lost   bool
	// ForeignAnswer answers in the store's place, with the status of success; nil if nobody does. With Cut half of the store's own answer arrives.
	ForeignAnswer *ForeignAnswer
	Cut           bool
}

// A ForeignAnswer is what somebody else answers.
type ForeignAnswer struct{ Type, Says string }

// NewFront starts a front of a store, until the test ends.
func NewFront(t testing.TB, s *Store) *Front {
	t.Helper()
	to, err := url.Parse(s.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	f := &Front{faults: map[*Fault]int{}}
	// The host that the caller named is part of what it signed.
	f.behind = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.Endpoint = server.URL
	return f
}

// ServeHTTP implements http.Handler.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch fault := f.take(callOf(r), string(body)); {
	case fault == nil:
		f.behind.ServeHTTP(w, r)
	case fault.Lost:
		f.behind.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case fault.Cut:
		whole := httptest.NewRecorder()
		f.behind.ServeHTTP(whole, r)
		maps.Copy(w.Header(), whole.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(whole.Code)
		_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
	case fault.ForeignAnswer != nil:
		w.Header().Set("Content-Type", fault.ForeignAnswer.Type)
		_, _ = io.WriteString(w, fault.ForeignAnswer.Says)
	case fault.Status == 0:
		<-r.Context().Done()
	default:
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(fault.Status)
		if fault.Code == "" { // what stands between
			_, _ = io.WriteString(w, "<html><h1>not by the store</h1></html>")
			return
		}
		_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>by a test</Message></Error>", fault.Code)
	}
}

func callOf(r *http.Request) Call {
	c := Call{Method: r.Method}
	c.Bucket, _, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	for key, values := range r.URL.Query() {
		if len(values) == 1 && values[0] == "" {
			c.About = key
		}
	}
	return c
}

// take counts a call, and returns what is wrong with it.
func (f *Front) take(c Call, body string) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, c)
	for fault := range f.faults {
		if (fault.About != "" && fault.About != c.About) || (fault.Bucket != "" && fault.Bucket != c.Bucket) || (c.Write() && !fault.Writes) || (!c.Write() && !fault.Reads) ||
			!strings.Contains(body, fault.Says) {
			continue
		}
		if f.faults[fault]++; f.faults[fault] > fault.Skip {
			return fault
		}
	}
	return nil
}

// Fail makes calls go wrong until that is lifted.
func (f *Front) Fail(fault Fault) (lift func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[&fault] = 0
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.faults, &fault)
	}
}

// Calls returns the calls so far, oldest first.
func (f *Front) Calls() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Call(nil), f.calls...)
}
