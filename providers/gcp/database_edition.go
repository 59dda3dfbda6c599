package gcp

import (
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// The editions of Cloud SQL.
const (
	enterprise     = "ENTERPRISE"
	enterprisePlus = "ENTERPRISE_PLUS"
)

// plusOnly and notPlus are tiers that belong to Enterprise Plus, and those that do not, as far as they are known: Cloud SQL itself judges the tiers of
// tomorrow. Expressions can't say "other than", so mayBePlus and mayNotBePlus are everything else, letter by letter.
// https://cloud.google.com/sql/docs/postgres/machine-series-overview
const (
	mayBePlus    = `^db-([^cfgn]|c[^u])`        // not db-custom-, db-f1-, db-g1-, db-n1-
	mayNotBePlus = `^db-([^cp]|c[^4]|p[^e]|c$)` // not db-c4a-, db-perf-optimized-
)

const anotherEdition = "the tier belongs to the other edition, and Cloud SQL takes tier and edition together"

// editionLacks are what Cloud SQL has in one of its editions only. The tier says which one that is.
var editionLacks = []driver.Lack{
	{
		Field: "gcp.edition", Match: "^" + enterprisePlus + "$", Values: enterprisePlus, Unless: map[string]string{"gcp.tier": mayBePlus}, Invalid: true,
		Why: anotherEdition, Instead: "set spec.gcp.tier to a tier of Enterprise Plus, for example db-perf-optimized-N-2, or spec.gcp.edition to ENTERPRISE",
	},
	{
		Field: "gcp.edition", Match: "^" + enterprise + "$", Values: enterprise, Unless: map[string]string{"gcp.tier": mayNotBePlus}, Invalid: true,
		Why: anotherEdition, Instead: "set spec.gcp.tier to a tier of Enterprise, for example db-custom-2-7680, or spec.gcp.edition to ENTERPRISE_PLUS",
	},
	// https://cloud.google.com/sql/docs/postgres/using-query-insights
	{
		Field: "gcp.insights.queryPlansPerMinute", Match: `^(2[1-9]|[3-9][0-9]|[0-9]{3})$`, Values: "a number above 20", Unless: map[string]string{"gcp.tier": mayBePlus}, Invalid: true,
		Why: "only the edition Enterprise Plus records so many plans", Instead: "set spec.gcp.insights.queryPlansPerMinute to 20 or less, or spec.gcp.tier to a tier of Enterprise Plus",
	},
	// https://cloud.google.com/sql/docs/postgres/data-cache
	{
		Field: "gcp.dataCache", Match: "^true$", Values: "true", Unless: map[string]string{"gcp.tier": mayBePlus}, Invalid: true,
		Why: "only the edition Enterprise Plus has a data cache", Instead: "set spec.gcp.tier to a tier of Enterprise Plus, or spec.gcp.dataCache to false",
	},
}

// mostPlans is how many execution plans Enterprise records in a minute at most.
const mostPlans = 20

// editionRows are the edition and the tier, which belongs to one.
var editionRows = table.Table[databaseParameters, instance, instanceParams]{
	table.Field("gcp.tier",
		func(p *databaseParameters) *string { return gcpOf(p).Tier },
		func(i *instance) *string { return present(i.settings().Tier) },
		func(p *instanceParams, v string) { p.Tier = &v }).
		EffectOf(func(_ *string, to string, have *instance) (driver.Effect, string) {
			if edition := editionOf(to); edition != have.edition() {
				return editionEffect(nil, edition, have)
			}
			return driver.Restarts, ""
		}, driver.Always(driver.Restarts)...),
	table.Field("gcp.edition",
		func(p *databaseParameters) *string { return gcpOf(p).Edition },
		haveEdition,
		func(p *instanceParams, v string) { p.Edition = &v }).
		EffectOf(editionEffect, driver.Always(driver.Restarts)...),
	// An instance of Enterprise, which has no data cache, says nothing of one. No recording shows a data cache.
	// https://cloud.google.com/sql/docs/postgres/data-cache
	table.Field("gcp.dataCache",
		func(p *databaseParameters) *bool { return gcpOf(p).DataCache },
		func(i *instance) *bool { return new(i.dataCache()) },
		func(p *instanceParams, v bool) { p.DataCacheEnabled = &v }).
		EffectOf(func(*bool, bool, *instance) (driver.Effect, string) {
			return driver.Restarts, "Cloud SQL changes the data cache with downtime near zero; connections break"
		}, driver.Always(driver.Restarts)...),
}

func (i *instance) dataCache() bool {
	c := i.settings().DataCacheConfig
	return c != nil && c.DataCacheEnabled
}

func setDataCache(p *instanceParams, into *sqladmin.DatabaseInstance) {
	into.Settings.DataCacheConfig = &sqladmin.DataCacheConfig{DataCacheEnabled: *p.DataCacheEnabled, ForceSendFields: []string{"DataCacheEnabled"}}
}

// editionEffect says what a move to an edition does: some minutes with hardly any downtime on the way up, and up to 60 seconds of it on the way
// back. Connections break either way. No recording shows a move.
// https://cloud.google.com/sql/docs/postgres/upgrade-cloud-sql-instance-to-enterprise-plus-in-place
func editionEffect(_ *string, to string, _ *instance) (driver.Effect, string) {
	if to == enterprisePlus {
		return driver.Restarts, "Cloud SQL moves the server to the edition Enterprise Plus within minutes; connections break, and downtime is near zero"
	}
	return driver.Restarts, "Cloud SQL moves the server to the edition Enterprise, with up to 60 seconds of downtime"
}

// haveEdition returns the edition that the instance names, also one that no spec can ask for. An instance that is older than editions names none: it
// has that of its tier.
func haveEdition(i *instance) *string {
	switch s := i.settings(); {
	case s.Edition != "" && s.Edition != "EDITION_UNSPECIFIED":
		return &s.Edition
	case s.Tier != "":
		return new(editionOf(s.Tier))
	}
	return nil
}

// edition returns the edition whose rules an instance keeps.
func (i *instance) edition() string {
	if e := i.settings().Edition; logRetentions[e] != (logRetention{}) {
		return e
	}
	return editionOf(i.settings().Tier)
}

// editionOf returns the edition that a tier belongs to; every tier belongs to one. PostgreSQL 16 and newer would
// otherwise be made in Enterprise Plus, which lacks the smaller tiers.
// https://cloud.google.com/sql/docs/postgres/editions-intro
func editionOf(tier string) string {
	if strings.HasPrefix(tier, "db-perf-optimized-") || strings.HasPrefix(tier, "db-c4a-") {
		return enterprisePlus
	}
	return enterprise
}

// completeEdition adds to an edition the tier as the spec says it, and the other way round: Cloud SQL takes both or none. The data cache goes
// along, too: it can come with the edition only, and Cloud SQL would choose it otherwise.
func (p *instanceParams) completeEdition(spec *databaseParameters, have *instance) {
	wanted := gcpOf(spec)
	comes := p.DataCacheEnabled != nil && *p.DataCacheEnabled && have.edition() == enterprise
	if p.Tier == nil && p.Edition == nil && !comes {
		return
	}
	if wanted.Tier != nil {
		p.Tier = wanted.Tier
	}
	if wanted.Edition != nil {
		p.Edition = wanted.Edition
	}
	if p.editionAfter(have) != have.edition() && wanted.DataCache != nil {
		p.DataCacheEnabled = wanted.DataCache
	}
}

// editionAfter returns the edition that an instance has after a call.
func (p *instanceParams) editionAfter(have *instance) string {
	switch {
	case p.Edition != nil:
		return *p.Edition
	case p.Tier != nil:
		return editionOf(*p.Tier)
	}
	return have.edition()
}

// fitEdition lowers on the way to Enterprise what an instance has more of than that takes, and what the parameters do not set: Cloud SQL would refuse
// the move for a value that the spec does not name.
func (p *instanceParams) fitEdition(have *instance) {
	if p.editionAfter(have) != enterprise || have.edition() == enterprise {
		return
	}
	if p.QueryPlansPerMinute == nil && have.insights().QueryPlansPerMinute > mostPlans {
		p.QueryPlansPerMinute = new(int64(mostPlans))
	}
	if have.dataCache() {
		p.DataCacheEnabled = new(false)
	}
}

// checkEdition refuses what an edition lacks in a change, as the creation does.
func checkEdition(params *instanceParams, spec *databaseParameters) error {
	if params.Tier == nil && params.Edition == nil && params.QueryPlansPerMinute == nil && params.DataCacheEnabled == nil {
		return nil
	}
	return checkLacks(editionLacks, spec)
}

// orNone returns a text, or an empty one if there is none.
func orNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
