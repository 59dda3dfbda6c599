package mem_test

import (
	"context"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/table"
)

func TestWebIdentity(t *testing.T) {
	var asked string
	var refusal error
	cfg := driver.Opening{
		Config: driver.Config{Location: "eu-central-1", Chain: v1alpha1.IdentityChain{
			WebIdentity: &v1alpha1.WebIdentity{ServiceAccountName: "buyer", RoleARN: "arn:aws:iam::111111111111:role/a"},
			AssumeRoles: []v1alpha1.AssumeRole{{RoleARN: "arn:aws:iam::222222222222:role/b"}},
		}},
		Host: driver.HostFuncs{Tokens: func(_ context.Context, audience string) (string, error) {
			asked = audience
			return "token", refusal
		}},
	}
	conn, err := mem.New(mem.Options{}).Driver().Open(t.Context(), cfg)
	if err != nil || asked != "" {
		t.Fatalf("%v, with a token asked for at %q", err, asked)
	}
	if got, err := conn.Identity(t.Context()); err != nil || got != "222222222222" || asked != "sts.amazonaws.com" {
		t.Errorf("got %q, %v, with a token for %q", got, err, asked)
	}
	refusal = &driver.Error{Code: driver.Denied, Op: "token"}
	_, identity := conn.Identity(t.Context())
	_, bucket := drivertest.Buckets(conn).Observe(t.Context(), table.Request[v1alpha1.BucketParameters]{Request: driver.Request{Name: "b"}})
	_, database := drivertest.Databases(conn).Observe(t.Context(), table.Request[v1alpha1.DatabaseParameters]{Request: driver.Request{Name: "d"}})
	for _, err := range []error{identity, bucket, database} {
		if err == nil || driver.CodeOf(err) != driver.Denied {
			t.Errorf("got %v, want Denied", err)
		}
	}
}
