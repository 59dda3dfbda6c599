package rds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// RDS says in one call how much is used of the quotas that keep Mooring from creating something. Nobody asks for them where there are no databases.
func TestQuotas(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{InstanceQuota: 7})
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	for _, tt := range []struct {
		kinds []string
		want  []driver.QuotaUsage
		calls int
	}{
		{[]string{"Bucket"}, nil, 0},
		{[]string{"Bucket", "DatabaseSnapshot"}, []driver.QuotaUsage{
			{Name: "AllocatedStorage", What: "GiB of storage", Used: 50, Max: 100000},
			{Name: "DBInstances", What: "DB instances", Used: 1, Max: 7},
			{Name: "DBParameterGroups", What: "DB parameter groups", Used: 0, Max: 50},
			{Name: "ManualSnapshots", What: "manual DB snapshots", Used: 0, Max: 100},
		}, 1},
	} {
		got, err := w.Session.(driver.QuotaReader).Quotas(t.Context(), tt.kinds)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" || w.asked("DescribeAccountAttributes") != tt.calls {
			t.Errorf("for %q (-want +got): %v, by the calls %v\n%s", tt.kinds, err, w.Operations(), diff)
		}
	}
}
