package system

import (
	"net/http"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The project of environments in Google Cloud.
const (
	GCPProject = "mooring-local"
	GCPRegion  = "europe-west3"
)

func init() {
	Providers = append(Providers, Provider{
		Name: "gcp", Account: GCPProject, Region: GCPRegion,
		Block: func(account string) v1alpha1.Account {
			return v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: account, Region: GCPRegion}}
		},
		Keys: func(local *localcloud.Cloud, account string) map[string][]byte {
			return map[string][]byte{v1alpha1.SecretKeyGCPCredentials: local.GCPKey(account)}
		},
		Endpoint: (*localcloud.Cloud).GCPEndpoint,
		Driver: func(local *localcloud.Cloud, transport http.RoundTripper, callTimeout time.Duration) driver.Driver {
			return gcp.New(gcp.Options{Endpoint: local.GCPEndpoint(), Transport: transport, CallTimeout: callTimeout})
		},
		Lag: func(local *localcloud.Cloud, name string, seconds float64) bool {
			return local.SetSQLReplicaLag(GCPProject, name, seconds)
		},
		Key: func(letter string) string {
			return "projects/" + GCPProject + "/locations/" + GCPRegion + "/keyRings/ring/cryptoKeys/" + letter
		},
	})
}
