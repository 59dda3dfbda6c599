package gcp_test

import (
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	enterpriseEdition = "ENTERPRISE"
	plusEdition       = "ENTERPRISE_PLUS"
)

// An edition, its tier, and what the edition limits go in one write, whichever of them the spec names.
func TestEditionTakesItsLimitsAlong(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("limits", v1alpha1.EnginePostgres)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(plusTier), Edition: new(plusEdition)}
	x := c.made(t, &req)
	c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{
		InsightsConfig:  &sqladmin.InsightsConfig{QueryInsightsEnabled: true, QueryPlansPerMinute: 150},
		DataCacheConfig: &sqladmin.DataCacheConfig{DataCacheEnabled: true},
	}})
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Fatalf("a new server of Enterprise Plus differs: %v", changes)
	}
	req.Spec.GCP.Tier, req.Spec.GCP.Edition = new(enterpriseTier), new(enterpriseEdition)
	changes := c.look(t, x, &req).Changes
	if len(changes) != 2 {
		t.Fatalf("the way back differs in %v, want tier and edition", changes)
	}
	// The change of one of the two, as where the other was refused beside a third value, takes the other along.
	result, err := x.Update(t.Context(), req, changes[1:])
	if err != nil || len(result.Failed) > 0 {
		t.Fatalf("%v, failed %v", err, result.Failed)
	}
	c.settle(t)
	in := c.instance(t, req.Name)
	if got := logsOf(in); got != "ENTERPRISE enabled=true backups=15 logs=7" || in.Settings.Tier != enterpriseTier || in.Settings.InsightsConfig.QueryPlansPerMinute != 20 {
		t.Errorf("%s, tier %s, %d plans", got, in.Settings.Tier, in.Settings.InsightsConfig.QueryPlansPerMinute)
	}
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("still differs: %v", changes)
	}
}

// What an edition lacks is refused by name before any call, and to take it back is enough.
func TestEditionRefusesByName(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("refused", v1alpha1.EnginePostgres)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(enterpriseTier), Edition: new(enterpriseEdition)}
	x := c.made(t, &req)
	for field, edit := range map[string]func(*v1alpha1.DatabaseGCP){
		"spec.gcp.edition":          func(g *v1alpha1.DatabaseGCP) { g.Edition = new(plusEdition) },
		"spec.gcp.dataCache":        func(g *v1alpha1.DatabaseGCP) { g.DataCache = new(true) },
		"spec.gcp.maintenanceTrack": func(g *v1alpha1.DatabaseGCP) { g.MaintenanceTrack = new("stable") },
		"spec.gcp.tier":             func(g *v1alpha1.DatabaseGCP) { g.Tier = new(plusTier) },
		"spec.gcp.insights.queryPlansPerMinute": func(g *v1alpha1.DatabaseGCP) {
			g.Insights = &v1alpha1.QueryInsights{QueryPlansPerMinute: new(int32(21))}
		},
	} {
		before := req.Spec.DeepCopy()
		edit(req.Spec.GCP)
		result, err := x.Update(t.Context(), req, c.look(t, x, &req).Changes)
		if err == nil && len(result.Failed) == 1 {
			err = result.Failed[0].Err
		}
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v, failed %v", field, err, result.Failed)
		}
		req.Spec = *before
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			t.Errorf("%s taken back: differs in %v", field, changes)
		}
	}
}

// A data cache comes and goes together with the edition, and stays off where the spec says so: Cloud SQL would switch it on.
func TestDataCacheGoesWithEdition(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("cache", v1alpha1.EnginePostgres)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(enterpriseTier)}
	x := c.made(t, &req)
	for i, step := range []struct {
		tier  string
		cache *bool
		want  bool
	}{{plusTier, new(false), false}, {enterpriseTier, new(false), false}, {plusTier, new(true), true}, {enterpriseTier, nil, false}, {plusTier, nil, true}} {
		req.Spec.GCP.Tier, req.Spec.GCP.DataCache = &step.tier, step.cache
		changes := c.look(t, x, &req).Changes
		if step.cache != nil && *step.cache { // the change of one of the two takes the other along
			changes = changes[1:]
		}
		result, err := x.Update(t.Context(), req, changes)
		if err != nil || len(result.Failed) > 0 {
			t.Fatalf("step %d: %v, failed %v", i, err, result.Failed)
		}
		c.settle(t)
		if cache := c.instance(t, req.Name).Settings.DataCacheConfig; (cache != nil && cache.DataCacheEnabled) != step.want {
			t.Errorf("step %d: data cache %v, want %t", i, cache, step.want)
		}
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			t.Errorf("step %d: still differs: %v", i, changes)
		}
	}
	req.Spec.GCP.DataCache = new(false) // and somebody has switched it on
	changes := c.look(t, x, &req).Changes
	if len(changes) != 1 || changes[0].Field != "gcp.dataCache" || changes[0].Effect != driver.Restarts {
		t.Fatalf("a data cache that is not to be: %v", changes)
	}
	if _, err := x.Update(t.Context(), req, changes); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("still differs: %v", changes)
	}
}
