package rds_test

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// All that contradicts itself is told at once, and RDS is not asked.
func TestCreationNamesAllThatContradictsItself(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) {
		p.AWS.IOPS, p.AWS.DedicatedLogVolume = new(int32(4000)), new(true)
		p.AWS.PerformanceInsights, p.AWS.Monitoring = &v1alpha1.PerformanceInsights{RetentionDays: new(int32(7))}, monitored(new(int32(60)), nil)
		p.AWS.DBParameterGroupName, p.Parameters = new("theirs"), map[string]v1alpha1.ParameterValue{"work_mem": "8192"}
	})
	w.Ledger.Reset()
	_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
	for _, field := range []string{"spec.aws.iops", "spec.aws.dedicatedLogVolume", "spec.aws.performanceInsights", "spec.aws.monitoring", "spec.aws.dbParameterGroupName"} {
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), field) {
			t.Errorf("%s is not named: %v", field, err)
		}
	}
	if n := w.Ledger.Count(localcloud.Filter{}); n > 0 {
		t.Errorf("%d calls were made for what is known to be refused", n)
	}
}

// What RDS alone can refuse is told by the field, ahead of its words, whether the server is created or changed.
func TestRefusalOfRDSNamesTheField(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	for field, change := range map[string]func(*v1alpha1.DatabaseParameters){
		"version":           func(p *v1alpha1.DatabaseParameters) { p.Version = new("99") },
		"aws.instanceClass": func(p *v1alpha1.DatabaseParameters) { p.AWS.InstanceClass = new("db.t9.micro") },
	} {
		_, err := drivertest.Databases(w.Session).Create(t.Context(), awstest.DatabaseOf("shop-"+strings.ToLower(strings.ReplaceAll(field, ".", "-")), change))
		if want := "correct spec." + field; driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ". RDS says: ") {
			t.Errorf("a creation with another %s is answered with %v", field, err)
		}
	}
	req := awstest.DatabaseOf("shop-orders", func(*v1alpha1.DatabaseParameters) {})
	w.createDatabase(&req)
	req.Spec.Version, req.Spec.AWS.InstanceClass = new("99"), new("db.t9.micro")
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil {
		t.Fatal(err)
	}
	for _, failed := range result.Failed {
		if !strings.Contains(failed.Err.Message, "correct spec."+failed.Field) {
			t.Errorf("%s: %v", failed.Field, failed.Err)
		}
	}
	if len(result.Failed) != 2 {
		t.Errorf("%d fields are refused, want 2: %v", len(result.Failed), result.Failed)
	}
}
