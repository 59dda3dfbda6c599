package gcp_test

import (
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// pays makes requesters pay for a bucket.
func (c *cloud) pays(t testing.TB, name string, on bool) {
	t.Helper()
	c.patchBucket(t, name, &storage.Bucket{Billing: &storage.BucketBilling{RequesterPays: on, ForceSendFields: []string{"RequesterPays"}}})
}

// Where requesters pay, Mooring names the account's project: at once if the spec says so, else from the second call on.
func TestRequesterPaysTakesOneRead(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "paid")
	req.ID = c.idOf(t, req)
	c.pays(t, req.Name, true)
	for _, reads := range []int{2, 1, 1} {
		c.forget()
		obs, err := x.Observe(t.Context(), req)
		if err != nil || obs.State != driver.Ready {
			t.Fatalf("observed %v, %v", obs.State, err)
		}
		if got := c.Ledger.Count(localcloud.Filter{Operation: "buckets.get"}); got != reads {
			t.Errorf("%d reads, want %d", got, reads)
		}
	}
	req.Spec.RequesterPays = new(true)
	c.forget()
	if obs, err := drivertest.Buckets(c.open(t)).Observe(t.Context(), req); err != nil || len(obs.Changes) != 0 {
		t.Errorf("after a restart: %v, %v", obs.Changes, err)
	}
	if got := c.Ledger.Count(localcloud.Filter{Operation: "buckets.get"}); got != 1 {
		t.Errorf("%d reads after a restart, want 1", got)
	}
}

// A bucket that requesters pay for is switched back, and one is deleted with all that is in it by a session that knows nothing of it.
func TestRequesterPaysEnds(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "unpaid")
	req.ID = c.idOf(t, req)
	c.pays(t, req.Name, true)
	req.Spec.RequesterPays = new(false)
	obs, err := x.Observe(t.Context(), req)
	if err != nil || len(obs.Changes) != 1 {
		t.Fatalf("changes %v, %v", obs.Changes, err)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil || len(result.Failed) != 0 {
		t.Fatalf("update: %v, failed %v", err, result.Failed)
	}
	if b := c.bucket(t, req.Name); b.Billing == nil || b.Billing.RequesterPays {
		t.Errorf("billing is %+v", b.Billing)
	}
	c.pays(t, req.Name, true)
	c.fill(t, req.Name, 3)
	req.Spec, req.Deletion = v1alpha1.BucketParameters{}, &driver.Deletion{Force: true}
	if _, err := drivertest.Buckets(c.open(t)).Delete(t.Context(), req); err != nil {
		t.Errorf("deletion: %v", err)
	}
}

// idOf returns the id of a bucket, as it is known once the bucket was observed.
func (c *cloud) idOf(t testing.TB, req bucketRequest) string {
	t.Helper()
	obs, err := drivertest.Buckets(c.open(t)).Observe(t.Context(), req)
	if err != nil || obs.ID == "" {
		t.Fatalf("observed %+v, %v", obs, err)
	}
	return obs.ID
}

// The account pays for no bucket that it never had, such as one of somebody else under a name that was taken, unless the spec says so.
func TestBucketsOfOthersAreNotPaidFor(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	_, req := c.madeBucket(t, "of-others")
	c.pays(t, req.Name, true)
	session, err := c.driver().Open(t.Context(), c.config("another-project"))
	if err != nil {
		t.Fatal(err)
	}
	x := drivertest.Buckets(session)
	c.forget()
	_, err = x.Observe(t.Context(), req)
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "set spec.requesterPays to true") {
		t.Errorf("observed: %v", err)
	}
	if got := c.Ledger.Count(localcloud.Filter{Operation: "buckets.get"}); got != 1 {
		t.Errorf("%d reads, want one, without a payer", got)
	}
	req.Spec.RequesterPays = new(true)
	if _, err := x.Observe(t.Context(), req); driver.CodeOf(err) != driver.Denied {
		t.Errorf("with a payer: %v, want that it is somebody else's", err)
	}
}

// A bucket of the account's own is read although nothing recorded says that it is: its creation was sent, the process ended before its id was stored, and the spec no longer says
// that requesters pay. Then it is as any other: it is changed, and deleted.
func TestRequesterPaysOfAnUnrecordedCreation(t *testing.T) {
	for name, test := range map[string]struct {
		spec *bool
		lift localcloud.Fault // which the first look meets
		code driver.Code
	}{
		"the spec says nothing":              {},
		"the spec says that they do not":     {spec: new(false)},
		"the list may not be read":           {lift: localcloud.Fault{Kind: localcloud.Denied}, code: driver.Invalid},
		"the list can't be read for a while": {lift: localcloud.Fault{Kind: localcloud.Throttled}, code: driver.Throttled},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			_, req := c.madeBucket(t, "unrecorded")
			c.madeBucket(t, "unrecorded-too")
			c.pays(t, req.Name, true)
			req.ID, req.Spec = "", v1alpha1.BucketParameters{RequesterPays: test.spec}
			x := drivertest.Buckets(c.open(t)) // of the next process
			if test.lift.Kind != "" {
				test.lift.Filter, test.lift.Times = localcloud.Filter{Operation: "buckets.list"}, 1
				c.Faults.Add(test.lift)
				if _, err := x.Observe(t.Context(), req); driver.CodeOf(err) != test.code {
					t.Errorf("got %v, want the code %v", err, test.code)
				}
			}
			obs, err := x.Observe(t.Context(), req)
			if err != nil || obs.State != driver.Ready || obs.ID == "" || !obs.Mark.SameOwner(req.Mark) {
				t.Fatalf("observed %+v, %v", obs, err)
			}
			if done, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil || len(done.Failed) > 0 {
				t.Errorf("update: %+v, %v", done, err)
			}
			req.Deletion = &driver.Deletion{}
			if _, err := x.Delete(t.Context(), req); err != nil {
				t.Errorf("deletion: %v", err)
			}
			if obs, err := x.Observe(t.Context(), req); err != nil || obs.State != driver.Absent {
				t.Errorf("then it is %v, %v", obs.State, err)
			}
		})
	}
}

// To name a payer takes a permission of its own. A bucket for which requesters are yet to pay is read without it; one for which they pay is not.
func TestPayerThatMayNotBeNamed(t *testing.T) {
	for _, pays := range []bool{false, true} {
		c := newCloud(t, localcloud.Durations{})
		x, req := c.madeBucket(t, "unnamed")
		c.pays(t, req.Name, pays)
		req.Spec.RequesterPays = new(true)
		for range 2 {
			c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "buckets.get"}, Kind: localcloud.Denied, Times: 1})
			obs, err := x.Observe(t.Context(), req)
			if pays != (err != nil && driver.CodeOf(err) == driver.Denied) || !pays && err != nil {
				t.Errorf("requesters pay %v: %v", pays, err)
			}
			if differs := len(obs.Changes) == 1; differs == pays {
				t.Errorf("requesters pay %v: changes %v", pays, obs.Changes)
			}
		}
	}
}
