package rds_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The key of Performance Insights is chosen once, and RDS wants it named again with every change of them, in any order of changes.
func TestInsights(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	have := func() rdstypes.DBInstance {
		return awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0]
	}
	const key = "0b3c1a5e-1111-2222-3333-444455556666"
	for _, step := range []struct {
		name     string
		insights *bool
		settings *v1alpha1.PerformanceInsights
		mode     *string
		days     int32
	}{
		{"on with a key", new(true), &v1alpha1.PerformanceInsights{Key: new(key)}, nil, 7},
		{"for longer, and the key is not said any more", new(true), &v1alpha1.PerformanceInsights{RetentionDays: new(int32(62))}, nil, 62},
		{"advanced", new(true), &v1alpha1.PerformanceInsights{RetentionDays: new(int32(465))}, new("advanced"), 465},
		{"back to standard, and fewer days", nil, &v1alpha1.PerformanceInsights{RetentionDays: new(int32(31))}, new("standard"), 31},
		{"off", new(false), nil, nil, 0},
		{"on again", new(true), &v1alpha1.PerformanceInsights{Key: new(key)}, nil, 7},
		{"released", nil, nil, nil, 7},
		{"off and standard, which RDS does not say", new(false), nil, new("standard"), 0},
	} {
		req.Spec.Insights, req.Spec.AWS.PerformanceInsights, req.Spec.AWS.DatabaseInsightsMode = step.insights, step.settings, step.mode
		seen := w.database(req)
		for _, c := range seen.Changes {
			fewer := step.mode != nil && c.Field == "aws.performanceInsights.retentionDays" && step.days < 465
			if (c.Effect == driver.Irreversible) != fewer || !fewer && c.Effect != driver.Online {
				t.Errorf("%s: %+v", step.name, c)
			}
		}
		if len(seen.Changes) > 0 {
			w.updateDatabase(req, seen.Changes...)
		}
		now := have()
		if now.PerformanceInsightsKMSKeyId == nil || !strings.HasSuffix(*now.PerformanceInsightsKMSKeyId, key) || *now.PerformanceInsightsEnabled != (step.days > 0) ||
			step.days > 0 && *now.PerformanceInsightsRetentionPeriod != step.days {
			t.Errorf("%s: on %v, key %v, days %v", step.name, now.PerformanceInsightsEnabled, now.PerformanceInsightsKMSKeyId, now.PerformanceInsightsRetentionPeriod)
		}
		if left := w.database(req).Changes; len(left) > 0 {
			t.Errorf("%s: still differs: %v", step.name, left)
		}
	}
}

// A refusal names the fields: of what is off before any call, and of a server that can't have insights in RDS's own words, too.
func TestInsightsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*v1alpha1.DatabaseParameters)
		says string
	}{
		"settings of what is off": {func(p *v1alpha1.DatabaseParameters) {
			p.AWS.PerformanceInsights = &v1alpha1.PerformanceInsights{RetentionDays: new(int32(31))}
		}, "set spec.insights to true"},
		"advanced, and off": {func(p *v1alpha1.DatabaseParameters) { p.AWS.DatabaseInsightsMode = new("advanced") }, "set spec.insights to true"},
		"advanced for a week": {func(p *v1alpha1.DatabaseParameters) {
			p.Insights, p.AWS.DatabaseInsightsMode = new(true), new("advanced")
		}, "spec.aws.performanceInsights.retentionDays to at least 465"},
		"a small server of MySQL": {func(p *v1alpha1.DatabaseParameters) {
			p.Engine, p.Version, p.Insights = new(v1alpha1.EngineMySQL), new("8.0"), new(true)
		}, "set spec.insights to false"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			_, err := drivertest.Databases(w.Session).Create(t.Context(), awstest.DatabaseOf("shop-orders", test.edit))
			if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), test.says) {
				t.Errorf("create: %v", err)
			}
		})
	}
}

// A server in the mode advanced takes neither fewer days nor the end of insights, and Mooring sends no mode that the spec does not name: the refusal
// says which one to name, before RDS is asked. With it, one change does all.
func TestAdvancedInsightsEnd(t *testing.T) {
	for name, settings := range map[string]struct {
		insights *bool
		days     *int32
	}{
		"off": {new(false), nil}, "for a week": {new(true), new(int32(7))}, "for a week, and the switch is unset": {nil, new(int32(7))},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) {
				p.Insights, p.AWS.DatabaseInsightsMode = new(true), new("advanced")
				p.AWS.PerformanceInsights = &v1alpha1.PerformanceInsights{RetentionDays: new(int32(465))}
			})
			w.createDatabase(&req)
			req.Spec.Insights, req.Spec.AWS.DatabaseInsightsMode, req.Spec.AWS.PerformanceInsights = settings.insights, nil, nil
			if settings.days != nil {
				req.Spec.AWS.PerformanceInsights = &v1alpha1.PerformanceInsights{RetentionDays: settings.days}
			}
			seen := w.database(req)
			w.Ledger.Reset()
			result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
			if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid ||
				!strings.Contains(result.Failed[0].Err.Error(), "set spec.aws.databaseInsightsMode to standard") || w.Writes() != 0 {
				t.Errorf("update: %v, failed %v, after %d writes", err, result.Failed, w.Writes())
			}
			req.Spec.AWS.DatabaseInsightsMode = new("standard")
			w.updateDatabase(req, w.database(req).Changes...)
			if left := w.database(req).Changes; len(left) > 0 {
				t.Errorf("still differs: %v", left)
			}
		})
	}
}

// RDS does not say which key it can't use: the refusal names the field of the one that the call carries.
func TestInsightsKeyRefused(t *testing.T) {
	named := func(err error) bool {
		return driver.CodeOf(err) == driver.Denied && strings.Contains(err.Error(), "spec.aws.performanceInsights.key") && !strings.Contains(err.Error(), "spec.encryption.key")
	}
	unusable := func(p *v1alpha1.DatabaseParameters) {
		p.Insights, p.AWS.PerformanceInsights = new(true), &v1alpha1.PerformanceInsights{Key: new("not-a-key")}
	}
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	if _, err := drivertest.Databases(w.Session).Create(t.Context(), awstest.DatabaseOf("shop-orders", unusable)); !named(err) {
		t.Errorf("create: %v", err)
	}
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	unusable(&req.Spec)
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 2 || !named(result.Failed[0].Err) || !named(result.Failed[1].Err) {
		t.Errorf("update: %v, failed %v", err, result.Failed)
	}
}
