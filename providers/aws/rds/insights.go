package rds

import (
	"cmp"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// insightsRows are Performance Insights and Database Insights. To turn them on and off takes no server down.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights.Enabling.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_DatabaseInsights.TurningOnAdvanced.html
var insightsRows = table.Table[databaseSpec, instance, instanceParams]{
	table.Field("insights",
		func(s *databaseSpec) *bool { return s.Insights },
		func(i *instance) *bool { return aws.Bool(aws.ToBool(i.PerformanceInsightsEnabled)) },
		func(p *instanceParams, v bool) { p.EnablePerformanceInsights = &v },
	),
	table.Field("aws.performanceInsights.retentionDays",
		func(s *databaseSpec) *int32 { return performanceInsightsOf(s).RetentionDays },
		func(i *instance) *int32 { return i.PerformanceInsightsRetentionPeriod },
		func(p *instanceParams, v int32) { p.PerformanceInsightsRetentionPeriod = &v },
	).EffectOf(insightsRetentionEffect,
		driver.PossibleEffect{Effect: driver.Online, When: "the number grows"},
		driver.PossibleEffect{Effect: driver.Irreversible, When: "the number shrinks: older records are deleted"}),
	// The key can be chosen once, and stays while Performance Insights are off.
	// https://github.com/hashicorp/terraform-provider-aws/pull/6453
	table.Field("aws.performanceInsights.key",
		func(s *databaseSpec) *string { return performanceInsightsOf(s).Key },
		func(i *instance) *string { return session.NonEmpty(i.PerformanceInsightsKMSKeyId) },
		func(p *instanceParams, v string) { p.PerformanceInsightsKMSKeyId = &v },
	).Equal(createdWith, "the ARN of a key that the spec names by its id; and any key where the spec names an alias").
		ImmutableOnceSet("put the earlier key back, or remove spec.aws.performanceInsights.key").
		Refers(driver.ReferenceKey).
		Indirect(alias.String()),
	table.Field("aws.databaseInsightsMode",
		func(s *databaseSpec) *string { return awsOf(s).DatabaseInsightsMode },
		insightsMode,
		func(p *instanceParams, v string) { p.DatabaseInsightsMode = new(types.DatabaseInsightsMode(v)) },
	),
}

// insightsMode returns the mode of an instance. One that reports none has no advanced mode, so that it is what standard asks for: RDS may
// leave the mode out for as long as insights are off, and asking for standard again and again would not change that.
func insightsMode(i *instance) *string {
	return new(string(cmp.Or(i.DatabaseInsightsMode, types.DatabaseInsightsModeStandard)))
}

func performanceInsightsOf(s *databaseSpec) v1alpha1.PerformanceInsights {
	if p := awsOf(s).PerformanceInsights; p != nil {
		return *p
	}
	return v1alpha1.PerformanceInsights{}
}

// changesInsights reports whether a call changes Performance Insights or the mode of Database Insights.
func changesInsights(p *instanceParams) bool {
	return p.EnablePerformanceInsights != nil || p.PerformanceInsightsRetentionPeriod != nil || p.PerformanceInsightsKMSKeyId != nil || p.DatabaseInsightsMode != nil
}

// checkInsights refuses settings of what is off, and what the mode that a server keeps does not allow, before RDS does without the names of the fields.
// No mode is sent that the spec does not name: advanced may be somebody else's choice. have is the instance, empty for a new one.
func checkInsights(spec *databaseSpec, have *instance) error {
	on, wanted := aws.ToBool(have.PerformanceInsightsEnabled), performanceInsightsOf(spec)
	if spec.Insights != nil {
		on = *spec.Insights
	}
	mode, days := awsOf(spec).DatabaseInsightsMode, first(wanted.RetentionDays, have.PerformanceInsightsRetentionPeriod)
	fields := table.Fields{"aws.databaseInsightsMode", "insights", "aws.performanceInsights.retentionDays", "aws.performanceInsights.key"}
	switch stays := mode == nil && have.DatabaseInsightsMode == types.DatabaseInsightsModeAdvanced; {
	case !on && (wanted.RetentionDays != nil || wanted.Key != nil):
		return fields[1:].Refuse("spec.aws.performanceInsights needs spec.insights: set spec.insights to true, or remove spec.aws.performanceInsights")
	case stays && (!on || aws.ToInt32(days) < leastAdvanced):
		return fields.Refuse("set spec.aws.databaseInsightsMode to standard: the spec names no mode, so that the server keeps advanced, which needs insights " +
			"with a retention of at least 465 days")
	case !on && aws.ToString(mode) == advancedInsights:
		return fields[:2].Refuse("spec.aws.databaseInsightsMode advanced needs spec.insights: set spec.insights to true and spec.aws.performanceInsights.retentionDays " +
			"to at least 465, or set spec.aws.databaseInsightsMode to standard")
	case aws.ToString(mode) == advancedInsights && wanted.RetentionDays != nil && *wanted.RetentionDays < leastAdvanced:
		return fields[:3].Refuse("spec.aws.databaseInsightsMode advanced needs spec.aws.performanceInsights.retentionDays of at least 465: set it to 465 or more, or " +
			"spec.aws.databaseInsightsMode to standard")
	}
	return nil
}

const (
	insightsKey      = "spec.aws.performanceInsights.key"
	advancedInsights = string(types.DatabaseInsightsModeAdvanced)
	leastAdvanced    = 465 // days
)

// completeInsights names what RDS wants named together: key and days only beside the switch, days beside the mode, and the key that an
// instance has, since RDS takes none for its own key and refuses to change it.
// https://github.com/hashicorp/terraform-provider-aws/issues/3015
// https://github.com/hashicorp/terraform-provider-aws/issues/44046
func completeInsights(in *rds.ModifyDBInstanceInput, spec *databaseSpec, have *instance) {
	on := first(in.EnablePerformanceInsights, spec.Insights, have.PerformanceInsightsEnabled)
	if !aws.ToBool(on) {
		return
	}
	wanted := performanceInsightsOf(spec)
	in.EnablePerformanceInsights = on
	in.PerformanceInsightsKMSKeyId = first(session.NonEmpty(have.PerformanceInsightsKMSKeyId), in.PerformanceInsightsKMSKeyId, wanted.Key)
	in.PerformanceInsightsRetentionPeriod = first(in.PerformanceInsightsRetentionPeriod, wanted.RetentionDays, have.PerformanceInsightsRetentionPeriod)
}

// explainInsights names the fields of a refusal.
func explainInsights(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) || e.Code != driver.Invalid || !strings.Contains(session.ErrorMessage(err), "Insights") {
		return err
	}
	explained := *e
	switch message := session.ErrorMessage(err); {
	case strings.Contains(message, "not supported for this configuration"):
		explained.Message = "RDS has no Performance Insights for this engine, version and instance class: set spec.insights to false, or choose a larger spec.aws.instanceClass: " + message
	case strings.Contains(message, "dvanced mode"):
		explained.Message = "set spec.insights to true and spec.aws.performanceInsights.retentionDays to at least 465 for spec.aws.databaseInsightsMode advanced: " + message
	default:
		explained.Message = "correct spec.insights, spec.aws.performanceInsights or spec.aws.databaseInsightsMode: " + message
	}
	return &explained
}
