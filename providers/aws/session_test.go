package aws

import (
	"cmp"
	"crypto/tls"
	"net/http"
	"testing"
)

// A policy that denies calls by TLS before leastTLS does not lock Mooring out.
func TestLeastTLS(t *testing.T) {
	transport := newHTTPClient().Transport.(plainBodies).RoundTripper.(*http.Transport)
	if got := transport.TLSClientConfig.MinVersion; cmp.Compare(got, tls.VersionTLS12) != 0 || leastTLS != 1.2 || !transport.ForceAttemptHTTP2 {
		t.Errorf("at least %s, want 1.2", tls.VersionName(got))
	}
}
