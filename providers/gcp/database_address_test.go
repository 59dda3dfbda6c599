package gcp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	vpc      = "projects/network-host/global/networks/shop"
	otherVPC = "projects/" + project + "/global/networks/pay"
)

// networked returns what somebody declares of a network.
func networked(access v1alpha1.PublicAccess, cidrs ...string) *v1alpha1.DatabaseNetwork {
	n := &v1alpha1.DatabaseNetwork{AllowedCIDRs: cidrs}
	if access != "" {
		n.PublicAccess = &access
	}
	return n
}

// A new instance has a private address alone wherever that can be, and never lets a network in that nobody named.
func TestAddressesOfNewInstances(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, tt := range map[string]struct {
		network *v1alpha1.DatabaseNetwork
		private *string
		want    []string // kinds of addresses
		allowed int
	}{
		"nothing":   {nil, nil, []string{"PRIMARY"}, 0},
		"allowed":   {networked("Allowed", "203.0.113.9/24"), nil, []string{"PRIMARY"}, 1},
		"private":   {nil, new(vpc), []string{"PRIVATE"}, 0},
		"blocked":   {networked("Blocked"), new(otherVPC), []string{"PRIVATE"}, 0},
		"both":      {networked("Allowed"), new(vpc), []string{"PRIMARY", "PRIVATE"}, 0},
		"none-said": {networked("Allowed", []string{}...), nil, []string{"PRIMARY"}, 0},
	} {
		req := newDatabase("new-"+name, v1alpha1.EnginePostgres)
		req.Spec.Network, req.Spec.GCP.PrivateNetwork = tt.network, tt.private
		x := c.made(t, &req)
		seen := c.instance(t, req.Name)
		var kinds []string
		addresses := map[string]string{}
		for _, a := range seen.IpAddresses {
			kinds, addresses[a.Type] = append(kinds, a.Type), a.IpAddress
		}
		if ip := seen.Settings.IpConfiguration; !slices.Equal(kinds, tt.want) || len(ip.AuthorizedNetworks) != tt.allowed || ip.SslMode != tlsOnly {
			t.Errorf("%s: addresses %v, %+v", name, kinds, ip)
		}
		obs := c.look(t, x, &req)
		if want := addresses[tt.want[len(tt.want)-1]]; obs.Endpoint.Host != want || len(obs.Changes) > 0 {
			t.Errorf("%s: the endpoint is %s, want %s; changes %v", name, obs.Endpoint.Host, want, obs.Changes)
		}
	}
}

// Without a private network the public address is the only one: that it is to go is refused before any call.
func TestNoInstanceWithoutAnAddress(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("shut", v1alpha1.EnginePostgres)
	req.Spec.Network = networked("Blocked")
	x := drivertest.Databases(c.open(t))
	c.forget()
	if _, err := x.Create(t.Context(), req); driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.gcp.privateNetwork") {
		t.Errorf("created: %v", err)
	}
	if calls := c.Ledger.Count(localcloud.Filter{Operation: "instances.insert"}); calls > 0 {
		t.Errorf("%d calls", calls)
	}
	req.Spec.Network = nil
	x = c.made(t, &req)
	req.Spec.Network = networked("Blocked")
	obs := c.look(t, x, &req)
	if len(obs.Changes) != 1 || obs.Changes[0].Effect != driver.Impossible || !strings.Contains(obs.Changes[0].Why, "spec.gcp.privateNetwork") {
		t.Errorf("changes %v", obs.Changes)
	}
	req.Spec.GCP.PrivateNetwork = new(vpc) // both at once are one write
	obs = c.look(t, x, &req)
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil || len(obs.Changes) != 2 {
		t.Fatalf("%v: %v", obs.Changes, err)
	}
	c.settle(t)
	if obs = c.look(t, x, &req); len(obs.Changes) > 0 || obs.Endpoint.Host == "" {
		t.Errorf("changes %v, endpoint %v", obs.Changes, obs.Endpoint)
	}
	// The network waits for approval, and the address does not: it stays until the network is there.
	other := newDatabase("early", v1alpha1.EnginePostgres)
	x = c.made(t, &other)
	other.Spec.Network, other.Spec.GCP.PrivateNetwork = networked("Blocked"), new(vpc)
	changes := slices.DeleteFunc(c.look(t, x, &other).Changes, func(c driver.Change) bool { return c.Field == "gcp.privateNetwork" })
	result, err := x.Update(t.Context(), other, driver.Edit{Changes: changes})
	if err == nil && len(result.Failed) == 1 {
		err = result.Failed[0].Err
	}
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "together with") {
		t.Errorf("the address alone: %v", err)
	}
}

// What is no longer said returns to the safe choice: no public address where there is another, and no network that may connect.
func TestPublicAccessIsReleased(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, tt := range map[string]struct {
		before, after *string // the private network
		public        bool    // in the end
	}{
		"with a private network":         {new(vpc), new(vpc), false},
		"without":                        {nil, nil, true},
		"a private network in its place": {nil, new(vpc), false},
	} {
		req := newDatabase("released-"+strings.Fields(name)[0], v1alpha1.EnginePostgres)
		req.Spec.Network, req.Spec.GCP.PrivateNetwork = networked("Allowed", "203.0.113.0/24"), tt.before
		x := c.made(t, &req)
		req.Applied = c.look(t, x, &req).Applied
		req.Spec.Network, req.Spec.GCP.PrivateNetwork = nil, tt.after
		if _, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil {
			t.Fatal(err)
		}
		c.settle(t)
		obs := c.look(t, x, &req)
		ip := c.instance(t, req.Name).Settings.IpConfiguration
		if ip.Ipv4Enabled != tt.public || len(ip.AuthorizedNetworks) > 0 || len(obs.Changes) > 0 || obs.Applied["network.publicAccess"] != nil {
			t.Errorf("%s: %+v, changes %v, applied %v", name, ip, obs.Changes, obs.Applied)
		}
	}
}

// Entries that stay keep the names and expiry dates that others gave them; those that nobody declared go.
func TestAllowedNetworksKeepTheirNames(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("named", v1alpha1.EnginePostgres)
	req.Spec.Network = networked("Allowed", "203.0.113.0/24", "198.51.100.7/32")
	x := c.made(t, &req)
	c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{AuthorizedNetworks: []*sqladmin.AclEntry{
		{Value: "198.51.100.7", Name: "office", ExpirationTime: "2099-01-01T00:00:00Z"}, {Value: "203.0.113.0/24"}, {Value: "0.0.0.0/0", Name: "all"},
	}}}})
	obs := c.look(t, x, &req)
	if len(obs.Changes) != 1 || obs.Changes[0].From != "0.0.0.0/0, 198.51.100.7/32, 203.0.113.0/24" || obs.Changes[0].Effect != driver.Online {
		t.Fatalf("changes %v", obs.Changes)
	}
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	entries := c.instance(t, req.Name).Settings.IpConfiguration.AuthorizedNetworks
	at := slices.IndexFunc(entries, func(e *sqladmin.AclEntry) bool { return e.Name == "office" && e.ExpirationTime != "" })
	if len(entries) != 2 || at < 0 || len(c.look(t, x, &req).Changes) > 0 {
		t.Errorf("entries %v", entries)
	}
}

// A network whose time has passed is let in no more: it is missing where the spec names it, and is let in again for good.
func TestAllowedNetworkExpires(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("expiring", v1alpha1.EnginePostgres)
	req.Spec.Network = networked("Allowed", "203.0.113.0/24")
	x := c.made(t, &req)
	c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{AuthorizedNetworks: []*sqladmin.AclEntry{
		{Value: "203.0.113.0/24", ExpirationTime: c.clock.Now().Add(3 * time.Hour).UTC().Format(time.RFC3339)},
	}}}})
	if obs := c.look(t, x, &req); len(obs.Changes) > 0 {
		t.Errorf("an entry whose time has not passed differs: %v", obs.Changes)
	}
	c.clock.advance(3 * time.Hour)
	obs := c.look(t, x, &req)
	if len(obs.Changes) != 1 || obs.Changes[0].From != "" {
		t.Fatalf("the entry has expired, and changes are %v", obs.Changes)
	}
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	entries := c.instance(t, req.Name).Settings.IpConfiguration.AuthorizedNetworks
	if len(entries) != 1 || entries[0].ExpirationTime != "" || len(c.look(t, x, &req).Changes) > 0 {
		t.Errorf("entries %+v", entries)
	}
}

// What Cloud SQL says of a key that it can't use names no field: the message does, and keeps Cloud SQL's words.
func TestKeyThatCloudSQLRefuses(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("locked", v1alpha1.EnginePostgres)
	req.Spec.Encryption = &v1alpha1.Encryption{Key: new("projects/p/locations/us-east1/keyRings/r/cryptoKeys/k")}
	_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.encryption.key") || !strings.Contains(err.Error(), "name a key in europe-west3") {
		t.Errorf("%v", err)
	}
	req = newDatabase("open", v1alpha1.EnginePostgres)
	req.Spec.GCP.Tier = new("db-kms")
	if _, err := drivertest.Databases(c.open(t)).Create(t.Context(), req); err == nil || strings.Contains(err.Error(), "spec.encryption") {
		t.Errorf("a server without a key: %v", err)
	}
}

// What Cloud SQL says of a network that it can't use names no field: the message does, and keeps Cloud SQL's words.
func TestNetworkWithoutPrivateServicesAccess(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("unpeered", v1alpha1.EnginePostgres)
	req.Spec.GCP.PrivateNetwork = new("projects/" + project + "/global/networks/default")
	_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.gcp.privateNetwork") || !strings.Contains(err.Error(), "NETWORK_NOT_PEERED") {
		t.Error(err)
	}
}

// A server that is to come into another network keeps its endpoint until it is there: the private address if Mooring put it into the network
// where it is, and else the public one.
func TestEndpointUntilTheServerIsInTheNetwork(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("moves", v1alpha1.EnginePostgres)
	req.Spec.Network, req.Spec.GCP.PrivateNetwork = networked("Allowed"), new(vpc)
	x := c.made(t, &req)
	addresses := map[string]string{}
	for _, a := range c.instance(t, req.Name).IpAddresses {
		addresses[a.Type] = a.IpAddress
	}
	for _, tt := range []struct {
		wanted, applied, want string
	}{
		{vpc, vpc, "PRIVATE"},
		{vpc, "", "PRIVATE"},
		{otherVPC, vpc, "PRIVATE"},
		{otherVPC, "", "PRIMARY"},
	} {
		req.Spec.GCP.PrivateNetwork, req.Applied = new(tt.wanted), nil
		if tt.applied != "" {
			req.Applied = driver.Applied{"gcp.privateNetwork": {tt.applied}}
		}
		if got := c.look(t, x, &req).Endpoint.Host; got != addresses[tt.want] || got == "" {
			t.Errorf("%s is wanted, %q was applied, and the server is in %s: the endpoint is %q, want the address %s", tt.wanted, tt.applied, vpc, got, tt.want)
		}
	}
}
