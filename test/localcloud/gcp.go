package localcloud

import "net/http"

// gcpCloud is the Google endpoint: it verifies the access token and hands the call to Cloud
// Storage, Cloud SQL Admin or the token service.
type gcpCloud struct {
	cloud   *Cloud
	address string
}

func newGCPCloud(c *Cloud) *gcpCloud { return &gcpCloud{cloud: c} }

func (g *gcpCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusNotImplemented)
}
