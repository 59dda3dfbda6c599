package gcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/providers/table"
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
		InsightsConfig:  &sqladmin.InsightsConfig{QueryInsightsEnabled: true, EnhancedQueryInsightsEnabled: true, QueryPlansPerMinute: 150, QueryStringLength: 50240},
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
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes[1:]})
	if err != nil || len(result.Failed) > 0 {
		t.Fatalf("%v, failed %v", err, result.Failed)
	}
	c.settle(t)
	in := c.instance(t, req.Name)
	if got := logsOf(in); got != "ENTERPRISE enabled=true backups=15 logs=7" || in.Settings.Tier != enterpriseTier || recorded(in) != "20 plans, 4500 bytes, enhanced false" {
		t.Errorf("%s, tier %s, %s", got, in.Settings.Tier, recorded(in))
	}
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("still differs: %v", changes)
	}
}

func recorded(in *sqladmin.DatabaseInstance) string {
	c := in.Settings.InsightsConfig
	return fmt.Sprintf("%d plans, %d bytes, enhanced %t", c.QueryPlansPerMinute, c.QueryStringLength, c.EnhancedQueryInsightsEnabled)
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
		before, version := req.Spec.DeepCopy(), c.instance(t, req.Name).Settings.SettingsVersion
		edit(req.Spec.GCP)
		c.refuses(t, x, &req, field)
		if now := c.instance(t, req.Name).Settings.SettingsVersion; now != version {
			t.Errorf("%s: refused, and written all the same", field)
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
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes})
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
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("still differs: %v", changes)
	}
}

// refuses checks that the one change that a spec asks for is refused by name.
func (c *cloud) refuses(t *testing.T, x table.External[v1alpha1.DatabaseParameters], req *databaseRequest, field string) {
	t.Helper()
	result, err := x.Update(t.Context(), *req, driver.Edit{Changes: c.look(t, x, req).Changes})
	switch {
	case err != nil || len(result.Failed) != 1:
		t.Errorf("%s: %v, failed %v", field, err, result.Failed)
	case "spec."+result.Failed[0].Field != field || driver.CodeOf(result.Failed[0].Err) != driver.Invalid || !strings.Contains(result.Failed[0].Err.Error(), field):
		t.Errorf("%s: failed %v", field, result.Failed)
	}
}

// The move back to Enterprise deletes the logs beyond its 7 days, and says so where the change is seen and where it is foreseen.
func TestEditionTakesLogsAway(t *testing.T) {
	retention := func(days int32) *v1alpha1.DatabaseBackup { return &v1alpha1.DatabaseBackup{RetentionDays: &days} }
	for name, test := range map[string]struct {
		tier    string
		backup  *v1alpha1.DatabaseBackup
		to      string
		effect  driver.Effect
		mention string
	}{
		"14 days of logs":      {plusTier, nil, enterpriseTier, driver.LosesBackups, "beyond 7 days is lost"},
		"10 days of logs":      {plusTier, retention(10), enterpriseTier, driver.LosesBackups, "beyond 7 days is lost"},
		"as many as there are": {plusTier, retention(7), enterpriseTier, driver.Restarts, "downtime"},
		"none":                 {plusTier, &v1alpha1.DatabaseBackup{RetentionDays: new(int32(10)), PointInTimeRecovery: new(false)}, enterpriseTier, driver.Restarts, "downtime"},
		"the way up":           {enterpriseTier, retention(10), plusTier, driver.Restarts, "near zero"},
		"a tier of tomorrow":   {plusTier, nil, "db-memory-optimized-N-4", driver.LosesBackups, "unless spec.gcp.edition says ENTERPRISE_PLUS"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			req := newDatabase("logs", v1alpha1.EnginePostgres)
			req.Spec.GCP, req.Spec.Backup = &v1alpha1.DatabaseGCP{Tier: &test.tier}, test.backup
			x := c.made(t, &req)
			before, err := json.Marshal(req.Spec)
			if err != nil {
				t.Fatal(err)
			}
			req.Spec.GCP.Tier = &test.to
			after, err := json.Marshal(req.Spec)
			if err != nil {
				t.Fatal(err)
			}
			foreseen, err := gcp.New(gcp.Options{}).Preview("Database", before, after, nil)
			if err != nil {
				t.Fatal(err)
			}
			for when, changes := range map[string][]driver.Change{"seen": c.look(t, x, &req).Changes, "foreseen": foreseen} {
				if len(changes) != 1 || changes[0].Effect != test.effect || !strings.Contains(changes[0].Why, test.mention) {
					t.Errorf("%s: %+v, want %s, %q", when, changes, test.effect, test.mention)
				}
			}
		})
	}
}

// A spec need not name the tier: that of the server says then which edition's limits hold.
func TestEditionOfUnnamedTier(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	described := gcp.New(gcp.Options{}).Describe()
	r, _ := described.Resource("Database")
	for _, test := range []struct{ name, tier, edition, other string }{
		{"plus", plusTier, plusEdition, enterpriseEdition}, {"plain", enterpriseTier, enterpriseEdition, plusEdition},
	} {
		req := newDatabase(test.name, v1alpha1.EnginePostgres)
		req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: &test.tier}
		x := c.made(t, &req)
		for _, edition := range []string{test.edition, test.other} {
			req.Spec.GCP = &v1alpha1.DatabaseGCP{Edition: &edition, Insights: &v1alpha1.QueryInsights{QueryPlansPerMinute: new(int32(100))}}
			if lacks := lacking(t, r.Lacks, req.Spec); len(lacks) > 0 {
				t.Errorf("%s: refused without a look at the server: %v", test.name, lacks)
			}
		}
		req.Spec.GCP = &v1alpha1.DatabaseGCP{Edition: &test.other}
		c.refuses(t, x, &req, "spec.gcp.edition")
		req.Spec.GCP = &v1alpha1.DatabaseGCP{Edition: &test.edition, Insights: &v1alpha1.QueryInsights{QueryPlansPerMinute: new(int32(100))}}
		if test.edition == enterpriseEdition {
			c.refuses(t, x, &req, "spec.gcp.insights.queryPlansPerMinute")
			continue
		}
		if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
			t.Errorf("%v, failed %v", err, result.Failed)
		}
		c.settle(t)
		if plans := c.instance(t, req.Name).Settings.InsightsConfig.QueryPlansPerMinute; plans != 100 {
			t.Errorf("%d plans, want 100", plans)
		}
	}
}

// lacking returns what a cloud lacks of what a spec asks for, as whoever calls the driver finds it.
func lacking(t *testing.T, lacks []driver.Lack, spec v1alpha1.DatabaseParameters) []driver.Lack {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	var says map[string]any
	if err := json.Unmarshal(raw, &says); err != nil {
		t.Fatal(err)
	}
	return driver.Lacking(lacks, says)
}
