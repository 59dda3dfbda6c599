package drivertest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// supported: an observation has what the cloud reports of its support for an object, in UTC. The next one by the same session has the same and costs no read
// of its own for it, until a person asks. What is not there, or is to go, has none.
func supported[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	if absent := b.observe(t, req); absent.Support != nil {
		t.Errorf("of no object Observe says %+v", absent.Support)
	}
	b.create(t, &req)
	if b.kind.Cloud.Support == nil {
		if seen := b.observe(t, req); seen.Support != nil {
			t.Errorf("Observe says %+v, and the harness has no Support", seen.Support)
		}
		return
	}
	want, session := b.kind.Cloud.Support(t, req.Name), b.open(t)
	if want == (driver.Support{}) {
		t.Error("the harness's Support says nothing, so nothing shows that it arrives")
	}
	most := b.kind.MinimalReads + b.kind.SupportReads
	look := func() int {
		before := b.Calls()
		req.NotBefore = b.Now()
		obs, err := session.Observe(t.Context(), req)
		if err != nil {
			t.Fatalf("Observe: %v", err)
		}
		reads := b.Calls().minus(before).Reads
		switch {
		case obs.Support == nil:
			t.Fatal("Observe says nothing of the support")
		case *obs.Support != want: // to the letter: a time zone of its own would show
			t.Errorf("Observe says otherwise than the cloud (-cloud +Observe):\n%s", cmp.Diff(want, *obs.Support))
		case reads > most:
			t.Errorf("a look cost %d reads, want at most %d", reads, most)
		}
		return reads
	}
	for range 2 {
		look()
		most = b.kind.MinimalReads
	}
	req.AskedAt = b.Now().AddDate(100, 0, 0) // after each look so far, by whatever clock the driver goes
	most += b.kind.SupportReads + 1          // and what else a driver seldom looks at
	if reads := look(); reads < b.kind.MinimalReads+b.kind.SupportReads {
		t.Errorf("a look that a person asked for cost %d reads, want at least %d", reads, b.kind.MinimalReads+b.kind.SupportReads)
	}
	req.Deletion = &driver.Deletion{}
	if obs := b.observe(t, req); obs.Support != nil {
		t.Errorf("of an object that is to go Observe says %+v", obs.Support)
	}
}
