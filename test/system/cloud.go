package system

import (
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A Cloud is an account in one of the clouds as other people use it: by its own SDK, behind Mooring's back.
type Cloud struct {
	*localcloud.Cloud
	Name string // of its Provider
	// Config is the ClusterProviderConfig that leads there, account the account or project that it leads to.
	Config, Account string
	consoles        map[string]Console // by kind
	journal         Journal
}

// NewCloud returns the account of an environment in one of the clouds, of which the provider config has the same name.
func NewCloud(local *localcloud.Cloud, name string) *Cloud {
	return NewCloudAccount(local, name, ProviderOf(name).Account)
}

// NewCloudAccount is NewCloud for another account.
func NewCloudAccount(local *localcloud.Cloud, name, account string) *Cloud {
	c := &Cloud{Cloud: local, Name: name, Config: name, Account: account, consoles: map[string]Console{}}
	for _, t := range Targets {
		if t.Cloud == name {
			c.consoles[t.Kind] = t.Console(c)
		}
	}
	if c.journal = (ledger{local}); c.provider().Journal != nil {
		c.journal = c.provider().Journal(c)
	}
	return c
}

func (c *Cloud) provider() Provider { return ProviderOf(c.Name) }

// ObservationTimes returns when an object was observed: each time a read is made that every observation begins with.
func (c *Cloud) ObservationTimes(name string) []time.Time { return c.journal.Observations(name) }

// Observations counts the observations of an object.
func (c *Cloud) Observations(name string) int { return len(c.ObservationTimes(name)) }

// Writes lists the writes to an object, whoever made them.
func (c *Cloud) Writes(name string) []string { return c.journal.Writes(name) }

// RefuseWrites has the cloud refuse every change of an object as busy, until that is lifted.
func (c *Cloud) RefuseWrites(name string) (lift func()) { return c.journal.RefuseWrites(name) }

// A ledger is what a stand-in records.
type ledger struct{ local *localcloud.Cloud }

// Observations implements Journal.
func (l ledger) Observations(name string) (times []time.Time) {
	for _, operation := range Calls(func(o Operations) string { return o.Observe }) {
		for _, call := range l.local.Ledger.Calls(localcloud.Filter{Resource: name, Operation: operation, Write: localcloud.Reads}) {
			times = append(times, call.Time)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// Writes implements Journal.
func (l ledger) Writes(name string) (operations []string) {
	for _, call := range l.local.Ledger.Calls(localcloud.Filter{Resource: name, Write: localcloud.Writes}) {
		operations = append(operations, call.Operation)
	}
	return operations
}

// RefuseWrites implements Journal.
func (l ledger) RefuseWrites(name string) (lift func()) {
	return l.local.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Resource: name, Write: localcloud.Writes}, Kind: localcloud.Conflict})
}

// Ref is the reference to the cloud's config in a spec.
func (c *Cloud) Ref() *v1alpha1.ProviderConfigReference {
	return &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: c.Config}
}

// Keys are the credentials of the account.
func (c *Cloud) Keys() map[string][]byte { return c.provider().Keys(c.Cloud, c.Account) }

// AccountSpec is what a provider config says about the account.
func (c *Cloud) AccountSpec() v1alpha1.Account { return c.provider().Block(c.Account) }

// Endpoint is the address of the stand-in.
func (c *Cloud) Endpoint() string { return c.provider().Endpoint(c.Cloud) }

// Region is where the account's objects are unless they say otherwise.
func (c *Cloud) Region() string { return c.provider().Region }

// Key returns the name of an encryption key, one for each letter from a to f.
func (c *Cloud) Key(letter string) string { return c.provider().Key(letter) }
