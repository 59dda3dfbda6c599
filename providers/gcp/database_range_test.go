package gcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A server gets its range with its network: both go in one write whichever of them a call names, and a range does not follow a server out of its network.
func TestRangeGoesWithTheNetwork(t *testing.T) {
	const networks = "projects/" + project + "/global/networks/"
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("ranges", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	for _, step := range []struct {
		network, addresses string
		only               string // the change that the call names
	}{
		{"shop", "shop-range", "gcp.privateNetwork"},
		{"pay", "pay-range", "gcp.allocatedIPRange"},
		{"shop", "", "gcp.privateNetwork"},
	} {
		req.Spec.GCP.PrivateNetwork, req.Spec.GCP.AllocatedIPRange = new(networks+step.network), nil
		if step.addresses != "" {
			req.Spec.GCP.AllocatedIPRange = &step.addresses
		}
		changes := slices.DeleteFunc(c.look(t, x, &req).Changes, func(change driver.Change) bool { return change.Field != step.only })
		if len(changes) != 1 || changes[0].Effect != driver.Restarts {
			t.Fatalf("%+v: %v", step, changes)
		}
		if result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil || len(result.Failed) > 0 {
			t.Fatalf("%+v: %v, failed %v", step, err, result.Failed)
		}
		c.settle(t)
		if ip := c.instance(t, req.Name).Settings.IpConfiguration; ip.PrivateNetwork != networks+step.network || ip.AllocatedIpRange != step.addresses {
			t.Errorf("%+v: %s, %q", step, ip.PrivateNetwork, ip.AllocatedIpRange)
		}
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			t.Errorf("%+v: still differs: %v", step, changes)
		}
	}
	req.Spec.GCP.AllocatedIPRange = new("pay-range") // the server had no range
	if changes := c.look(t, x, &req).Changes; len(changes) != 1 || changes[0].Effect != driver.Impossible || !strings.Contains(changes[0].Why, "remove spec.gcp.allocatedIPRange") {
		t.Errorf("a range in the same network: %v", changes)
	}
	another := newDatabase("another", v1alpha1.EnginePostgres)
	another.Spec.GCP.PrivateNetwork, another.Spec.GCP.AllocatedIPRange = new(networks+"shop"), new("shop-range")
	x = c.made(t, &another)
	another.Spec.GCP.AllocatedIPRange = new("pay-range")
	if changes := c.look(t, x, &another).Changes; len(changes) != 1 || changes[0].Effect != driver.Impossible || !strings.Contains(changes[0].Why, "put the earlier range back") {
		t.Errorf("another range in the same network: %v", changes)
	}
}

// A range without a network is refused by name.
func TestRangeNeedsANetwork(t *testing.T) {
	req := newDatabase("nowhere", v1alpha1.EnginePostgres)
	req.Spec.GCP.AllocatedIPRange = new("shop-range")
	_, err := drivertest.Databases(newCloud(t, localcloud.Durations{}).open(t)).Create(t.Context(), req)
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "gcp.allocatedIPRange") {
		t.Errorf("got %v", err)
	}
}
