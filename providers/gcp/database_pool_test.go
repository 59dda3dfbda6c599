package gcp_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func pooled(on bool, flags map[string]v1alpha1.ParameterValue) *v1alpha1.ConnectionPool {
	return &v1alpha1.ConnectionPool{Enabled: &on, Flags: flags}
}

// poolStates are what a spec can say of the edition and of connection pools, by names. None of them is refused.
var poolStates = map[string]v1alpha1.DatabaseGCP{
	"enterprise":            {Tier: new(enterpriseTier), Edition: new(enterpriseEdition)},
	"enterprise, off":       {Tier: new(enterpriseTier), ConnectionPool: pooled(false, nil)},
	"enterprise, no flags":  {Tier: new(enterpriseTier), ConnectionPool: pooled(false, map[string]v1alpha1.ParameterValue{})},
	"plus":                  {Tier: new(plusTier)},
	"plus, off":             {Tier: new(plusTier), Edition: new(plusEdition), ConnectionPool: pooled(false, nil)},
	"plus, on":              {Tier: new(plusTier), ConnectionPool: pooled(true, nil)},
	"plus, on, with flags":  {Tier: new(plusTier), Edition: new(plusEdition), ConnectionPool: pooled(true, map[string]v1alpha1.ParameterValue{"max_pool_size": "60"})},
	"plus, on, other flags": {Tier: new(plusTier), ConnectionPool: pooled(true, map[string]v1alpha1.ParameterValue{"min_pool_size": "3", "pool_mode": "session"})},
}

// Whatever the order of edits of the edition and of the pools, a server becomes what a new one would be, and each pool change goes alone.
func TestPoolsAndEditionsComeToRestInAnyOrder(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	names, n := slices.Sorted(maps.Keys(poolStates)), 0
	for _, from := range names {
		for _, over := range names {
			n++
			req := newDatabase(fmt.Sprintf("pool-%d", n), v1alpha1.EnginePostgres)
			first := poolStates[from]
			req.Spec.GCP = first.DeepCopy()
			x := c.made(t, &req)
			for _, to := range slices.Concat([]string{over}, names, []string{from}) {
				next := poolStates[to]
				req.Spec.GCP = next.DeepCopy()
				c.comesToRest(t, x, &req, from+" → "+over+" → "+to)
				in := c.instance(t, req.Name)
				if wanted := next.ConnectionPool; wanted != nil && *wanted.Enabled {
					for flag, value := range wanted.Flags {
						if got := poolFlagsOf(in)[flag]; got != string(value) {
							t.Errorf("%s → %s → %s: the flag %s is %q, want %q", from, over, to, flag, got, value)
						}
					}
				}
			}
		}
	}
}

// comesToRest makes changes until there are none, each of which the cloud has to take. Some wait for others, which takes a few rounds.
func (c *cloud) comesToRest(t testing.TB, x table.External[v1alpha1.DatabaseParameters], req *databaseRequest, story string) {
	t.Helper()
	for range 6 {
		obs := c.look(t, x, req)
		req.Applied = obs.Applied
		if len(obs.Changes) == 0 {
			return
		}
		result, err := x.Update(t.Context(), *req, driver.Edit{Changes: obs.Changes})
		if err != nil && driver.CodeOf(err) != driver.Busy {
			t.Fatalf("%s: %v", story, err)
		}
		for _, failed := range result.Failed {
			if driver.CodeOf(failed.Err) != driver.Busy {
				t.Fatalf("%s: %v", story, result.Failed)
			}
		}
		c.settle(t)
	}
	t.Fatalf("%s: it does not come to rest: %v", story, c.look(t, x, req).Changes)
}

// A move to Enterprise turns the pools off, which its preview says, also where the spec says nothing of them.
func TestPoolsGoBeforeTheEdition(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("back", v1alpha1.EnginePostgres)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(plusTier), ConnectionPool: pooled(true, nil)}
	x := c.made(t, &req)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(enterpriseTier)}
	changes := c.look(t, x, &req).Changes
	if len(changes) != 1 || !strings.Contains(changes[0].Why, "once it has turned the connection pools off") {
		t.Fatalf("the change says nothing of the pools: %v", changes)
	}
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil || result.Operation == "" || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Busy {
		t.Fatalf("got %+v, %v; want the tier to wait", result, err)
	}
	c.settle(t)
	if in := c.instance(t, req.Name); in.Settings.ConnectionPoolConfig.ConnectionPoolingEnabled || in.Settings.Tier != plusTier {
		t.Errorf("pools %v, tier %s", in.Settings.ConnectionPoolConfig, in.Settings.Tier)
	}
	c.comesToRest(t, x, &req, "the way back")
	if in := c.instance(t, req.Name); in.Settings.Tier != enterpriseTier {
		t.Errorf("the tier is %s", in.Settings.Tier)
	}
}

// Pools in Enterprise are refused by name: with the creation, with an edit, and on a server whose tier the spec leaves open. Where the move to Enterprise Plus is to
// come first, they wait.
func TestPoolsNeedEnterprisePlus(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("plain", v1alpha1.EnginePostgres)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(enterpriseTier)}
	x := c.made(t, &req)
	version := c.instance(t, req.Name).Settings.SettingsVersion
	req.Spec.GCP.ConnectionPool = pooled(true, nil)
	c.refuses(t, x, &req, "spec.gcp.connectionPool.enabled")
	req.Spec.GCP.Tier = nil
	c.refuses(t, x, &req, "spec.gcp.connectionPool.enabled")

	another := newDatabase("another", v1alpha1.EnginePostgres)
	another.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(enterpriseTier), ConnectionPool: pooled(true, nil)}
	if _, err := x.Create(t.Context(), another); driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.gcp.connectionPool.enabled") {
		t.Errorf("the creation: %v", err)
	}

	req.Spec.GCP.Tier = new(plusTier)
	only := slices.DeleteFunc(c.look(t, x, &req).Changes, func(c driver.Change) bool { return c.Field != "gcp.connectionPool.enabled" })
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: only})
	if err != nil && driver.CodeOf(err) != driver.Busy || err == nil && (len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Busy) {
		t.Errorf("before the move: %v, failed %v", err, result.Failed)
	}
	if now := c.instance(t, req.Name).Settings.SettingsVersion; now != version {
		t.Error("refused, and written all the same")
	}
}

// A flag that Cloud SQL refuses keeps nobody from the pools: it is refused by its own name, and going back is enough.
func TestAWrongFlagKeepsNoPoolOff(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("wrong", v1alpha1.EnginePostgres)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(plusTier)}
	x := c.made(t, &req)
	req.Spec.GCP.ConnectionPool = pooled(true, map[string]v1alpha1.ParameterValue{"max_pool_size": "many"})
	if changes := c.look(t, x, &req).Changes; len(changes) != 1 || changes[0].Effect != driver.Restarts {
		t.Fatalf("pools that are off have no flags: %v", changes)
	}
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	if err != nil || len(result.Failed) > 0 {
		t.Fatalf("%v, failed %v", err, result.Failed)
	}
	c.settle(t)
	result, err = x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "gcp.connectionPool.flags" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Fatalf("%v, failed %v", err, result.Failed)
	}
	req.Spec.GCP.ConnectionPool.Flags = map[string]v1alpha1.ParameterValue{"max_pool_size": "40"}
	c.comesToRest(t, x, &req, "a right one")
	if in := c.instance(t, req.Name); !in.Settings.ConnectionPoolConfig.ConnectionPoolingEnabled || poolFlagsOf(in)["max_pool_size"] != "40" {
		t.Errorf("got %+v", in.Settings.ConnectionPoolConfig)
	}
}

// Pools that somebody turned off come back with their flags, and with those of others.
func TestPoolsComeBackWithTheirFlags(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("again", v1alpha1.EngineMySQL)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(plusTier), ConnectionPool: pooled(true, map[string]v1alpha1.ParameterValue{"max_pool_size": "8"})}
	x := c.made(t, &req)
	c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ConnectionPoolConfig: &sqladmin.ConnectionPoolConfig{
		ForceSendFields: []string{"ConnectionPoolingEnabled", "Flags"},
	}}})
	obs := c.look(t, x, &req)
	if len(obs.Changes) != 1 || obs.Changes[0].Field != "gcp.connectionPool.enabled" {
		t.Fatalf("changes: %v", obs.Changes)
	}
	c.comesToRest(t, x, &req, "back")
	if in := c.instance(t, req.Name); poolFlagsOf(in)["max_pool_size"] != "8" {
		t.Errorf("got %+v", in.Settings.ConnectionPoolConfig)
	}
}
