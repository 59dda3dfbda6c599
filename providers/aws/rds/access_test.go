package rds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
)

// The preview of a server that becomes private says who no longer reaches it, whether the spec says Blocked or no longer says anything. One that becomes
// public interrupts nobody.
func TestPreviewOfPublicAccess(t *testing.T) {
	of := func(access *v1alpha1.PublicAccess) *v1alpha1.DatabaseParameters {
		req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.Network = &v1alpha1.DatabaseNetwork{PublicAccess: access} })
		return &req.Spec
	}
	allowed, blocked := new(v1alpha1.PublicAccessAllowed), new(v1alpha1.PublicAccessBlocked)
	applied := driver.Applied{"network.publicAccess": {"Allowed"}}
	closes := driver.Change{Field: "network.publicAccess", From: "Allowed", To: "Blocked", Effect: driver.Online, Why: "clients outside the VPC no longer reach the server"}
	released := closes
	released.Release = true
	for _, tt := range []struct {
		name   string
		to     *v1alpha1.PublicAccess
		from   *v1alpha1.PublicAccess
		before driver.Applied
		want   []driver.Change
	}{
		{"Blocked", blocked, allowed, applied, []driver.Change{closes}},
		{"released", nil, allowed, applied, []driver.Change{released}},
		{"left alone", nil, allowed, nil, nil},
		{"Allowed", allowed, blocked, nil, []driver.Change{{Field: "network.publicAccess", From: "Blocked", To: "Allowed", Effect: driver.Online}}},
	} {
		if diff := cmp.Diff(tt.want, foresee(t, of(tt.from), of(tt.to), tt.before)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
