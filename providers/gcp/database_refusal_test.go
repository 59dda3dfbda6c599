package gcp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// All that contradicts itself is told at once, and Cloud SQL is not asked.
func TestCreationNamesAllThatContradictsItself(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("contradictory", v1alpha1.EngineMySQL)
	req.Spec.Version = new("8")
	req.Spec.GCP.SecondaryZone, req.Spec.GCP.SSLMode, req.Spec.TLS = new("europe-west1-c"), new("ENCRYPTED_ONLY"), new(v1alpha1.TLSOptional)
	req.Spec.IAMAuthentication, req.Spec.Parameters = new(true), map[string]v1alpha1.ParameterValue{iamFlags[v1alpha1.EngineMySQL]: "off"}
	c.forget()
	_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
	for _, field := range []string{"spec.version", "spec.gcp.secondaryZone", "spec.tls", "spec.iamAuthentication"} {
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), field) {
			t.Errorf("%s is not named: %v", field, err)
		}
	}
	if n := c.Ledger.Count(localcloud.Filter{Write: localcloud.Writes}); n > 0 {
		t.Errorf("%d writes were made of what is known to be refused", n)
	}
}

// What Cloud SQL alone can refuse is told by the field, ahead of its words.
func TestRefusalOfCloudSQLNamesTheField(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for field, change := range map[string]func(*v1alpha1.DatabaseParameters){
		"version":  func(p *v1alpha1.DatabaseParameters) { p.Version = new("99") },
		"gcp.tier": func(p *v1alpha1.DatabaseParameters) { p.GCP.Tier = new("db-custom-3-1") },
	} {
		req := newDatabase(strings.ReplaceAll(field, ".", "-"), v1alpha1.EnginePostgres)
		change(&req.Spec)
		_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
		if want := "correct spec." + field; driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ". Cloud SQL says: ") {
			t.Errorf("a creation with another %s is answered with %v", field, err)
		}
	}
	req := newDatabase("orders", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	req.Spec.GCP.Tier, req.Spec.GCP.Zone = new("db-custom-3-1"), new("mars-a")
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	if err != nil || len(result.Failed) != 2 {
		t.Fatalf("%v, refused %v, want 2", err, result.Failed)
	}
	for _, failed := range result.Failed {
		if !strings.Contains(failed.Err.Message, "correct spec."+failed.Field) {
			t.Errorf("%s: %v", failed.Field, failed.Err)
		}
	}
}

// All fields that Cloud SQL refuses are named by one update, also those behind a change that it takes, whose operation keeps other calls waiting.
func TestAllRefusedFieldsAreNamedAtOnce(t *testing.T) {
	c := newCloud(t, localcloud.Durations{Modify: time.Minute})
	req := newDatabase("orders", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	req.Spec.DeletionProtection, req.Spec.GCP.Tier, req.Spec.GCP.Zone = new(true), new("db-custom-3-1"), new("nowhere-b")
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	if err != nil || result.Operation == "" {
		t.Fatalf("got %+v, %v", result, err)
	}
	said := map[string]string{}
	for _, f := range result.Failed {
		said[f.Field] = f.Err.Error()
	}
	if len(said) != 2 || !strings.Contains(said["gcp.tier"], "correct spec.gcp.tier") || !strings.Contains(said["gcp.zone"], "correct spec.gcp.zone") {
		t.Errorf("it says %v", said)
	}
	c.settle(t)
	if left := driver.Names(c.look(t, x, &req).Changes); !slices.Equal(left, []string{"gcp.zone", "gcp.tier"}) {
		t.Errorf("afterwards %v differ", left)
	}
}
