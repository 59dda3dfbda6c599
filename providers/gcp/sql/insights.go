package sql

import (
	"slices"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

// insightsRows are Query Insights. "Changing query length will restart the database", and nothing else of it does.
// https://cloud.google.com/sql/docs/postgres/using-query-insights
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#InsightsConfig
var insightsRows = table.Table[databaseParameters, instance, instanceParams]{
	plain("insights", "QueryInsightsEnabled", func(i *instance) *bool { return new(i.insights().QueryInsightsEnabled) }),
	plain("gcp.insights.queryStringLength", "QueryStringLength", func(i *instance) *int32 { return resource.Present(int32(i.insights().QueryStringLength)) }).
		Restarts(insightsCost),
	plain("gcp.insights.queryPlansPerMinute", "QueryPlansPerMinute", func(i *instance) *int32 {
		if i.settings().InsightsConfig == nil {
			return nil
		}
		return new(int32(i.insights().QueryPlansPerMinute))
	}),
	plain("gcp.insights.recordApplicationTags", "RecordApplicationTags", func(i *instance) *bool { return new(i.insights().RecordApplicationTags) }),
	plain("gcp.insights.recordClientAddress", "RecordClientAddress", func(i *instance) *bool { return new(i.insights().RecordClientAddress) }),
}

func (i *instance) insights() *sqladmin.InsightsConfig {
	if c := i.settings().InsightsConfig; c != nil {
		return c
	}
	return &sqladmin.InsightsConfig{}
}

// insightsByHand says why the calls take these parameters in one value.
const insightsByHand = "it is a part of insightsConfig"

// insightsConfig returns what is to become of the insights of an instance; nil if the parameters say nothing. What the parameters leave
// open is sent as it is: right whether a patch merges the settings or replaces them.
func (p *instanceParams) insightsConfig(have *instance) *sqladmin.InsightsConfig {
	enhancedEnd := have.insights().EnhancedQueryInsightsEnabled && p.leavesPlus(have)
	if !enhancedEnd && p.QueryInsightsEnabled == nil && p.QueryStringLength == nil && p.QueryPlansPerMinute == nil && p.RecordApplicationTags == nil && p.RecordClientAddress == nil {
		return nil
	}
	c := *have.insights()
	c.ForceSendFields = nil
	setPart(&c.QueryInsightsEnabled, p.QueryInsightsEnabled, &c.ForceSendFields, "QueryInsightsEnabled")
	setPart(&c.QueryStringLength, p.QueryStringLength, &c.ForceSendFields, "QueryStringLength")
	setPart(&c.QueryPlansPerMinute, p.QueryPlansPerMinute, &c.ForceSendFields, "QueryPlansPerMinute")
	setPart(&c.RecordApplicationTags, p.RecordApplicationTags, &c.ForceSendFields, "RecordApplicationTags")
	setPart(&c.RecordClientAddress, p.RecordClientAddress, &c.ForceSendFields, "RecordClientAddress")
	if enhancedEnd {
		setPart(&c.EnhancedQueryInsightsEnabled, new(false), &c.ForceSendFields, "EnhancedQueryInsightsEnabled")
	}
	return &c
}

// setPart sets a value of a part of the settings that parameters have, and has it sent also if it is false or zero.
func setPart[V any](into *V, v *V, sent *[]string, name string) {
	if v == nil {
		return
	}
	*into = *v
	if !slices.Contains(*sent, name) {
		*sent = append(*sent, name)
	}
}
