package session

import (
	"cmp"
	"crypto/tls"
	"net/http"
	"testing"
)

// A policy that denies calls by TLS before LeastTLS does not lock Mooring out.
func TestLeastTLS(t *testing.T) {
	transport := NewHTTPClient().Transport.(plainBodies).RoundTripper.(*http.Transport)
	if got := transport.TLSClientConfig.MinVersion; cmp.Compare(got, tls.VersionTLS12) != 0 || LeastTLS != 1.2 || !transport.ForceAttemptHTTP2 {
		t.Errorf("at least %s, want 1.2", tls.VersionName(got))
	}
}
