package storage_test

import (
	"testing"
	"time"

	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// Only a policy that keeps longer than before has a new time from which it is effective.
func TestSoftDeletePolicies(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	path := "/storage/v1/b/acme-soft"
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-soft","location":"us-east1"}`, nil), 0, "")
	const created = "2026-05-04T03:02:01.000Z"
	for _, test := range []struct {
		seconds   string
		want      int
		effective string
	}{
		{"604799", 400, created},
		{"7776001", 400, created},
		{"1209600", 0, "2026-05-04T03:05:01.000Z"},
		{"648000", 0, "2026-05-04T03:05:01.000Z"},
		{"0", 0, ""},
		{"604800", 0, "2026-05-04T03:08:01.000Z"},
	} {
		g.Clock.Advance(time.Minute)
		sdk.WantGCP(t, g.Send(t, "PATCH", path, `{"softDeletePolicy":{"retentionDurationSeconds":"`+test.seconds+`","effectiveTime":"1999-01-01T00:00:00Z"}}`, nil), test.want, "")
		var b raw.Bucket
		sdk.WantGCP(t, g.Send(t, "GET", path, "", &b), 0, "")
		if got := b.SoftDeletePolicy.EffectiveTime; got != test.effective {
			t.Errorf("after %s seconds: effective from %q, want %q", test.seconds, got, test.effective)
		}
	}
}
