package system

import (
	"net/http"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// Providers are the clouds that environments have. The file of each cloud adds it, so that a new cloud is a new file. What a cloud's
// kinds need is in Targets.
var Providers []Provider

// A Provider is what the tests know of a cloud, whatever its kinds.
type Provider struct {
	// Name is that of the cloud in the API, and of its ClusterProviderConfig and Secret in an environment.
	Name string
	// Account is that of environments, and Region where its objects are unless they say otherwise.
	Account, Region string
	// Block returns what a provider config says of an account.
	Block func(account string) v1alpha1.Account
	// Keys returns the credentials of an account.
	Keys func(local *localcloud.Cloud, account string) map[string][]byte
	// Endpoint returns the address of the stand-in, Driver a driver whose calls go there through a transport.
	Endpoint func(*localcloud.Cloud) string
	Driver   func(local *localcloud.Cloud, transport http.RoundTripper, callTimeout time.Duration) driver.Driver
	// Key returns the name of an encryption key, one for each letter from a to f.
	Key func(letter string) string
	// Lag has the cloud say of a read replica of the environment's account that it lags so many seconds behind; nil for a cloud that says nothing of that.
	Lag func(local *localcloud.Cloud, name string, seconds float64) bool
	// Journal returns what the cloud records; nil for a cloud whose stand-in keeps a ledger.
	Journal func(*Cloud) Journal
}

// A Journal is what a cloud records of calls, whoever made them, and how they are refused.
type Journal interface {
	// Observations returns when an object was observed: each time a read is made that every observation begins with.
	Observations(name string) []time.Time
	// Writes returns the operations that changed an object, oldest first.
	Writes(name string) []string
	// RefuseWrites has the cloud refuse every change of an object as busy, until that is lifted.
	RefuseWrites(name string) (lift func())
}

// ProviderOf returns a cloud, which must be one of Providers: an unknown one must not pass for another.
func ProviderOf(name string) Provider {
	for _, p := range Providers {
		if p.Name == name {
			return p
		}
	}
	panic("there is no stand-in of the cloud " + name)
}
