package table_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/table"
)

// Real connections that fail say why, and the same each time.
func TestNoConnection(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	t.Cleanup(secure.Close)
	breaking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			err = conn.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(breaking.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	throughProxy := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: closed})}}
	for name, c := range map[string]struct {
		client *http.Client
		url    string
		want   string
	}{
		"an authority that nobody knows": {http.DefaultClient, secure.URL, "the certificate of HOST is not trusted; if a proxy intercepts TLS, give Mooring the proxy's certificate authority"},
		"nothing listens":                {http.DefaultClient, "http://" + closed, "HOST refuses the connection: nothing answers at that address and port"},
		"the proxy is gone":              {throughProxy, "https://s3.example", "the proxy refuses the connection: nothing answers at that address and port"},
		"it breaks":                      {http.DefaultClient, breaking.URL, "the connection to HOST broke before an answer arrived"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := c.client.Do(request)
				if err == nil {
					_ = response.Body.Close()
					t.Fatal("there is an answer")
				}
				if got, want := table.NoConnection(err), strings.Replace(c.want, "HOST", request.URL.Host, 1); got != want {
					t.Errorf("%v is told as %q, want %q", err, got, want)
				}
			}
		})
	}
}
