package sql

import (
	"fmt"
	"regexp"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

// The editions of Cloud SQL.
const (
	enterprise     = "ENTERPRISE"
	enterprisePlus = "ENTERPRISE_PLUS"
)

// plusTiers and enterpriseTiers are tiers of Enterprise Plus and of Enterprise, as far as they are known: Cloud SQL itself judges the tiers of tomorrow.
// https://cloud.google.com/sql/docs/postgres/machine-series-overview
const (
	plusTiers       = `^db-(perf-optimized|c4a)-`
	enterpriseTiers = `^db-(custom|f1|g1|n1)-`
)

var isPlusTier, isEnterpriseTier = regexp.MustCompile(plusTiers), regexp.MustCompile(enterpriseTiers)

const anotherEdition = "the tier belongs to the other edition, and Cloud SQL takes tier and edition together"

// editionLacks are what Cloud SQL has in one of its editions only. The tier says which one that is; where a spec has none, checkEdition knows it.
var editionLacks = []driver.Lack{
	{
		Field: "gcp.edition", Match: "^" + enterprisePlus + "$", Values: enterprisePlus, With: map[string]string{"gcp.tier": enterpriseTiers}, Invalid: true,
		Why: anotherEdition, Instead: "set spec.gcp.tier to a tier of Enterprise Plus, for example db-perf-optimized-N-2, or spec.gcp.edition to ENTERPRISE",
	},
	{
		Field: "gcp.edition", Match: "^" + enterprise + "$", Values: enterprise, With: map[string]string{"gcp.tier": plusTiers}, Invalid: true,
		Why: anotherEdition, Instead: "set spec.gcp.tier to a tier of Enterprise, for example db-custom-2-7680, or spec.gcp.edition to ENTERPRISE_PLUS",
	},
	// https://cloud.google.com/sql/docs/postgres/using-query-insights
	{
		Field: "gcp.insights.queryPlansPerMinute", Match: `^(2[1-9]|[3-9][0-9]|[0-9]{3})$`, Values: "a number above 20", With: map[string]string{"gcp.tier": enterpriseTiers}, Invalid: true,
		Why: "only the edition Enterprise Plus records so many plans", Instead: "set spec.gcp.insights.queryPlansPerMinute to 20 or less, or spec.gcp.tier to a tier of Enterprise Plus",
	},
	// https://cloud.google.com/sql/docs/postgres/data-cache
	{
		Field: "gcp.dataCache", Match: "^true$", Values: "true", With: map[string]string{"gcp.tier": enterpriseTiers}, Invalid: true,
		Why: "only the edition Enterprise Plus has a data cache", Instead: "set spec.gcp.tier to a tier of Enterprise Plus, or spec.gcp.dataCache to false",
	},
	// https://cloud.google.com/sql/docs/postgres/managed-connection-pooling
	{
		Field: fieldPool, Match: "^true$", Values: "true", With: map[string]string{"gcp.tier": enterpriseTiers}, Invalid: true,
		Why: "only the edition Enterprise Plus has connection pools", Instead: "set spec.gcp.tier to a tier of Enterprise Plus, or spec." + fieldPool + " to false",
	},
}

// mostPlans and longestQuery are how many execution plans Enterprise records in a minute, and how many bytes of a query, at most. Enterprise Plus takes more once
// it has the enhanced insights, which Enterprise lacks.
// https://cloud.google.com/sql/docs/postgres/using-query-insights
// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/808
const (
	mostPlans    = 20
	longestQuery = 4500
)

// editionRows are the edition and the tier, which belongs to one.
var editionRows = table.Table[databaseParameters, instance, instanceParams]{
	plain("gcp.tier", "Tier", func(i *instance) *string { return resource.Present(i.settings().Tier) }).
		EffectOf(func(_ *string, to string, have *instance) (driver.Effect, string) {
			effect, why := editionEffect(nil, editionOf(to), have)
			if why != "" && !isPlusTier.MatchString(to) && !isEnterpriseTier.MatchString(to) { // a tier of tomorrow
				why = "unless spec.gcp.edition says " + enterprisePlus + ": " + why
			}
			return effect, why
		}, editionEffects(tierCost)...),
	plain("gcp.edition", "Edition", haveEdition).
		EffectOf(editionEffect, editionEffects(editionCost)...),
	// An instance of Enterprise, which has no data cache, says nothing of one. No recording shows a data cache.
	// https://cloud.google.com/sql/docs/postgres/data-cache
	plain("gcp.dataCache", "DataCacheEnabled", func(i *instance) *bool { return new(i.dataCache()) }).
		EffectOf(func(*bool, bool, *instance) (driver.Effect, string) {
			return driver.Restarts, "Cloud SQL restarts the server for the data cache"
		}, table.AlwaysRestarts(dataCacheCost)...),
}

func (i *instance) dataCache() bool {
	c := i.settings().DataCacheConfig
	return c != nil && c.DataCacheEnabled
}

func setDataCache(p *instanceParams, into *sqladmin.DatabaseInstance) {
	into.Settings.DataCacheConfig = &sqladmin.DataCacheConfig{DataCacheEnabled: *p.DataCacheEnabled, ForceSendFields: []string{"DataCacheEnabled"}}
}

// editionEffects are what editionEffect can say.
func editionEffects(cost driver.Cost) []driver.PossibleEffect {
	return []driver.PossibleEffect{
		{Effect: driver.Restarts, When: "no restore points are lost", Cost: cost},
		{Effect: driver.LosesBackups, When: "the server moves to Enterprise, and keeps more than 7 days of transaction logs, as Enterprise Plus does unless told otherwise", Cost: cost},
	}
}

// editionEffect says what a move to an edition does: some minutes with hardly any downtime on the way up, and up to 60 seconds of it on the way
// back, which shortens the transaction logs. Connections break either way. No recording shows a move.
// https://cloud.google.com/sql/docs/postgres/upgrade-cloud-sql-instance-to-enterprise-plus-in-place
func editionEffect(_ *string, to string, have *instance) (driver.Effect, string) {
	after := ""
	if have.pooled() {
		after = ", once it has turned the connection pools off"
	}
	switch most := logRetentions[enterprise].most; {
	case to == have.edition():
		return driver.Restarts, ""
	case to == enterprisePlus:
		return driver.Restarts, "Cloud SQL moves the server to the edition Enterprise Plus within minutes"
	case have.recovers() && have.logDays() > most:
		return driver.LosesBackups, fmt.Sprintf("Cloud SQL moves the server to the edition Enterprise%s, which keeps %d days of transaction logs of now %d: point-in-time recovery beyond "+
			"%d days is lost", after, most, have.logDays(), most)
	}
	return driver.Restarts, "Cloud SQL moves the server to the edition Enterprise" + after
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
	if isPlusTier.MatchString(tier) {
		return enterprisePlus
	}
	return enterprise
}

// completeEdition adds to an edition the tier as the spec says it, and the other way round: Cloud SQL takes both or none. The data cache and the backups go
// along, too: the cache can come with the edition only, and Cloud SQL would choose otherwise.
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
	if p.editionAfter(have) == have.edition() {
		return
	}
	if wanted.DataCache != nil {
		p.DataCacheEnabled = wanted.DataCache
	}
	p.keepBackups(spec, have)
}

// keepBackups repeats on the way to another edition what a server has of backups as the spec says it: Enterprise Plus comes with point-in-time recovery, and to
// switch that off again would lose restore points that nobody asked for. What differs from the spec is a change of its own, with consent of its own.
// https://cloud.google.com/sql/docs/postgres/upgrade-cloud-sql-instance-to-enterprise-plus-in-place
func (p *instanceParams) keepBackups(spec *databaseParameters, have *instance) {
	if days := wantRetention(spec); p.RetainedBackups == nil && days != nil && *days == *haveRetention(have) {
		p.RetainedBackups = new(int64(*days))
	}
	if spec.Backup == nil || spec.Backup.PointInTimeRecovery == nil || p.PointInTimeRecovery != nil {
		return
	}
	if recovers := have.recovers(); *spec.Backup.PointInTimeRecovery == recovers {
		p.PointInTimeRecovery = &recovers
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
	if !p.leavesPlus(have) {
		return
	}
	if p.QueryPlansPerMinute == nil && have.insights().QueryPlansPerMinute > mostPlans {
		p.QueryPlansPerMinute = new(int64(mostPlans))
	}
	if p.QueryStringLength == nil && have.insights().QueryStringLength > longestQuery {
		p.QueryStringLength = new(int64(longestQuery))
	}
	if have.dataCache() {
		p.DataCacheEnabled = new(false)
	}
}

// leavesPlus reports whether a call moves an instance to Enterprise.
func (p *instanceParams) leavesPlus(have *instance) bool {
	return p.editionAfter(have) == enterprise && have.edition() != enterprise
}

// checkEdition refuses what an edition lacks in a change, as the creation does. A spec that does not name the tier, as that of an adopted server, leaves it
// as it is.
func checkEdition(params *instanceParams, spec *databaseParameters, have *instance) error {
	if params.Tier == nil && params.Edition == nil && params.QueryPlansPerMinute == nil && params.DataCacheEnabled == nil && params.ConnectionPoolingEnabled == nil {
		return nil
	}
	says, cloud := *spec, *gcpOf(spec)
	if cloud.Tier == nil {
		cloud.Tier = resource.Present(have.settings().Tier)
	}
	says.GCP = &cloud
	return checkLacks(editionLacks, &says)
}

// orNone returns a text, or an empty one if there is none.
func orNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
