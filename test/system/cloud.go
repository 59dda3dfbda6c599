package system

import (
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A Cloud is one of the two clouds as other people use it: by its own SDK, behind Mooring's back.
type Cloud struct {
	*localcloud.Cloud
	Name string // aws or gcp
	// Config is the ClusterProviderConfig that leads there, account the account or project that it leads to.
	Config, Account string
	consoles        map[string]Console // by kind
}

// NewCloud returns the account of an environment in one of the clouds, aws or gcp, of which the provider config has the same name.
func NewCloud(local *localcloud.Cloud, name string) *Cloud {
	return NewCloudAccount(local, name, map[string]string{"aws": AWSAccount, "gcp": GCPProject}[name])
}

// NewCloudAccount is NewCloud for another account.
func NewCloudAccount(local *localcloud.Cloud, name, account string) *Cloud {
	c := &Cloud{Cloud: local, Name: name, Config: name, Account: account, consoles: map[string]Console{}}
	for _, t := range Targets {
		if t.Cloud == name {
			c.consoles[t.Kind] = t.Console(c)
		}
	}
	if len(c.consoles) == 0 { // it must not pass for one of the others
		panic("there is no stand-in of the cloud " + name)
	}
	return c
}

// ObservationTimes returns when an object was observed: each time a read is made that every observation begins with.
func (c *Cloud) ObservationTimes(name string) []time.Time {
	var times []time.Time
	for _, call := range c.Ledger.Calls(localcloud.Filter{Resource: name, Write: localcloud.Reads}) {
		if slices.ContainsFunc(Targets, func(t Target) bool { return t.Observe == call.Operation }) {
			times = append(times, call.Time)
		}
	}
	return times
}

// Observations counts the observations of an object.
func (c *Cloud) Observations(name string) int { return len(c.ObservationTimes(name)) }

// Writes lists the writes to an object, whoever made them.
func (c *Cloud) Writes(name string) []string {
	var operations []string
	for _, call := range c.Ledger.Calls(localcloud.Filter{Resource: name, Write: localcloud.Writes}) {
		operations = append(operations, call.Operation)
	}
	return operations
}

// Ref is the reference to the cloud's config in a spec.
func (c *Cloud) Ref() *v1alpha1.ProviderConfigReference {
	return &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: c.Config}
}

// Keys are the credentials of the account.
func (c *Cloud) Keys() map[string][]byte {
	if c.Name == "gcp" {
		return map[string][]byte{v1alpha1.SecretKeyGCPCredentials: c.GCPKey(c.Account)}
	}
	id, secret := c.AWSKeys(c.Account)
	return map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte(id), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secret)}
}

// AccountSpec is what a provider config says about the account.
func (c *Cloud) AccountSpec() v1alpha1.Account {
	if c.Name == "gcp" {
		return v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: c.Account, Region: GCPRegion}}
	}
	return v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: AWSRegion}}
}

// Endpoint is the address of the stand-in.
func (c *Cloud) Endpoint() string {
	if c.Name == "gcp" {
		return c.GCPEndpoint()
	}
	return c.AWSEndpoint()
}

// Key returns the name of an encryption key, one for each letter from a to f.
func (c *Cloud) Key(letter string) string {
	if c.Name == "aws" {
		part := func(n int) string { return strings.Repeat(letter, n) }
		return "arn:aws:kms:" + AWSRegion + ":" + AWSAccount + ":key/" +
			strings.Join([]string{part(8), part(4), part(4), part(4), part(12)}, "-")
	}
	return "projects/" + GCPProject + "/locations/" + GCPRegion + "/keyRings/ring/cryptoKeys/" + letter
}
