package gcp_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// outside is an address that no filter of these tests lists.
var outside = netip.MustParseAddr("198.51.100.1")

// exempts is the permission that gets past a filter.
const exempts = "storage.buckets.exemptFromIpFilter"

func filtering(f v1alpha1.BucketIPFilter) *v1alpha1.BucketGCP {
	return &v1alpha1.BucketGCP{IPFilter: &f}
}

// inForce is a filter that lists one network.
func inForce() v1alpha1.BucketIPFilter {
	return v1alpha1.BucketIPFilter{Mode: new("Enabled"), PublicCIDRs: []string{"203.0.113.0/24"}}
}

// A filter is written at once after the creation, by one call, and read by none of its own.
func TestAFilterOfANewBucket(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "first")
	for name, pays := range map[string]bool{"fresh": false, "paid": true} { // where requesters pay, the call has to say who does
		req.Name, req.ID = name, ""
		req.Spec.GCP, req.Spec.RequesterPays = filtering(inForce()), &pays
		before := c.count(localcloud.Any)
		if _, err := x.Create(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if n := c.count(localcloud.Any) - before; n != 2 {
			t.Errorf("%s: it took %d calls, want the creation and one for the filter", name, n)
		}
		obs, err := x.Observe(t.Context(), req)
		if err != nil || len(obs.Changes) != 0 {
			t.Errorf("%s: changes %v, %v", name, obs.Changes, err)
		}
		if n := c.count(localcloud.Any) - before; n != 3 {
			t.Errorf("%s: a look took %d calls, want one", name, n-2)
		}
		if got := c.bucket(t, name).IpFilter; got == nil || got.Mode != "Enabled" || got.AllowAllServiceAgentAccess || got.AllowCrossOrgVpcs {
			t.Errorf("%s: the filter is %+v", name, got)
		}
	}
}

// {} is no filter: nothing to do where there is none, and one write where there is one. What a spec says no more stays.
func TestNoFilterPlease(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "photos")
	full := inForce()
	full.Networks = []v1alpha1.BucketIPFilterNetwork{{Network: "projects/mooring-test/global/networks/default", AllowedCIDRs: []string{"10.0.0.0/8"}}}
	for _, step := range []struct {
		name          string
		spec          *v1alpha1.BucketGCP
		writes        int
		mode          string // empty for no filter
		public, other int
	}{
		{"none where there is none", filtering(v1alpha1.BucketIPFilter{}), 0, "", 0, 0},
		{"disabled where there is none", filtering(v1alpha1.BucketIPFilter{Mode: new("Disabled"), PublicCIDRs: []string{}}), 0, "", 0, 0},
		{"one", filtering(full), 1, "Enabled", 1, 1},
		{"unset", nil, 0, "Enabled", 1, 1},
		{"only the mode", filtering(v1alpha1.BucketIPFilter{Mode: new("Disabled")}), 1, "Disabled", 1, 1},
		{"one again", filtering(full), 1, "Enabled", 1, 1},
		{"none", filtering(v1alpha1.BucketIPFilter{}), 1, "Disabled", 0, 0},
	} {
		req.Spec.GCP = step.spec
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		before := c.count(localcloud.Writes)
		if len(obs.Changes) > 0 {
			if result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil || len(result.Failed) > 0 {
				t.Fatalf("%s: %v, failed %v", step.name, err, result.Failed)
			}
		}
		if n := c.count(localcloud.Writes) - before; n != step.writes {
			t.Errorf("%s: %d writes, want %d", step.name, n, step.writes)
		}
		if obs, err = x.Observe(t.Context(), req); err != nil || len(obs.Changes) != 0 {
			t.Errorf("%s: changes %v, %v", step.name, obs.Changes, err)
		}
		req.Applied = obs.Applied
		got := c.bucket(t, "photos").IpFilter
		if (got == nil) != (step.mode == "") {
			t.Fatalf("%s: the filter is %+v", step.name, got)
		}
		if got == nil {
			continue
		}
		public := 0
		if got.PublicNetworkSource != nil {
			public = len(got.PublicNetworkSource.AllowedIpCidrRanges)
		}
		if got.Mode != step.mode || public != step.public || len(got.VpcNetworkSources) != step.other {
			t.Errorf("%s: the filter is %+v", step.name, got)
		}
	}
}

// A filter that keeps Mooring out says what to do, whatever call it keeps it out of.
func TestAFilterKeepsMooringOut(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "photos")
	c.fill(t, "photos", 1)
	req.Spec.GCP = filtering(inForce())
	req.Spec.GCP.IAMBindings = []v1alpha1.BucketIAMBinding{}
	obs, err := x.Observe(t.Context(), req)
	if err != nil || !slices.ContainsFunc(obs.Changes, func(c driver.Change) bool { return strings.Contains(c.Why, exempts) }) {
		t.Fatalf("%v, %v: the change does not say whom it may keep out", obs.Changes, err)
	}
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil {
		t.Fatal(err)
	}
	says := func(err error, words ...string) {
		t.Helper()
		for _, word := range words {
			if driver.CodeOf(err) != driver.Denied || !strings.Contains(err.Error(), word) {
				t.Errorf("%v (%v); want Denied and %q", err, driver.CodeOf(err), word)
			}
		}
	}
	c.GCPCallsFrom(project, localcloud.GCPCaller{Address: outside})
	_, err = x.Observe(t.Context(), req)
	says(err, "grant Mooring's identity "+exempts, "IP filtering condition")
	if strings.Contains(err.Error(), "externalName") {
		t.Errorf("%v: the bucket is nobody else's", err)
	}

	c.GCPCallsFrom(project, localcloud.GCPCaller{Address: outside, Exempt: true})
	if obs, err = x.Observe(t.Context(), req); err != nil || len(obs.Unreadable) != 1 || obs.Unreadable[0].Field != "gcp.iamBindings" {
		t.Fatalf("unreadable %v, %v", obs.Unreadable, err)
	}
	says(obs.Unreadable[0].Err, "does not cover", "spec.gcp.ipFilter.publicCIDRs")
	bind := req
	bind.Spec.GCP = &v1alpha1.BucketGCP{IAMBindings: []v1alpha1.BucketIAMBinding{{Role: "roles/storage.objectViewer", Members: []string{"user:jane@example.com"}}}}
	result, err := x.Update(t.Context(), bind, driver.Edit{Changes: []driver.Change{{Field: "gcp.iamBindings", Entries: true}}})
	if err != nil || len(result.Failed) != 1 {
		t.Fatal(err, result.Failed)
	}
	says(result.Failed[0].Err, "does not cover")
	if message := result.Failed[0].Err.Error(); strings.Contains(message, "setIamPolicy") {
		t.Errorf("%q: the permission is there", message)
	}
	req.Deletion = &driver.Deletion{Force: true}
	_, err = x.Delete(t.Context(), req)
	says(err, "does not cover")

	// Who is exempt can open the bucket again.
	req.Deletion = nil
	req.Spec.GCP = filtering(v1alpha1.BucketIPFilter{Mode: new("Enabled"), PublicCIDRs: []string{outside.String() + "/32"}})
	if obs, err = x.Observe(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil || len(result.Failed) > 0 {
		t.Fatal(err, result.Failed)
	}
	c.GCPCallsFrom(project, localcloud.GCPCaller{Address: outside})
	if obs, err = x.Observe(t.Context(), req); err != nil || len(obs.Changes) != 0 {
		t.Errorf("changes %v, %v", obs.Changes, err)
	}
}

// A filter is not written over one that somebody else changed since it was read, though it is written as a whole.
func TestAFilterIsGuarded(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "raced")
	req.Spec.GCP = filtering(v1alpha1.BucketIPFilter{Mode: new("Disabled"), PublicCIDRs: []string{"203.0.113.0/24"}})
	obs, err := x.Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	c.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Operation: "buckets.get", Resource: req.Name}, Kind: localcloud.Latency, Times: 1,
		Hook: func(localcloud.Call) {
			c.patchBucket(t, req.Name, &storage.Bucket{IpFilter: &storage.BucketIpFilter{Mode: "Disabled", AllowAllServiceAgentAccess: true}})
		},
	})
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); driver.CodeOf(err) != driver.Busy {
		t.Errorf("got %v, want Busy", err)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil || len(result.Failed) > 0 {
		t.Errorf("the next Update: %v, failed %v", err, result.Failed)
	}
	if got := c.bucket(t, req.Name).IpFilter; !got.AllowAllServiceAgentAccess || got.PublicNetworkSource == nil {
		t.Errorf("the filter is %+v, want what the spec says and what others set beside it", got)
	}
}

// What the identity may not do fails by field, and names the permission. All else is applied.
func TestAFilterThatIsDenied(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "photos")
	lift := c.denied("buckets.patch", "ipFilter")
	req.Spec.GCP, req.Spec.Tags = filtering(inForce()), map[string]v1alpha1.TagValue{"denied": "set"}
	obs, err := x.Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes})
	if err != nil || len(result.Failed) != 2 || driver.CodeOf(result.Failed[0].Err) != driver.Denied || !strings.Contains(result.Failed[0].Err.Error(), "storage.buckets.setIpFilter") {
		t.Errorf("%v, failed %v", err, result.Failed)
	}
	lift()
	if got := c.bucket(t, "photos").Labels["denied"]; got != "set" {
		t.Errorf("another change was kept away: %q", got)
	}
}

// To take addresses out of a filter in force keeps their clients out, and the preview says so. To add some, or to change a filter that does nothing, does not.
func TestNarrowerFiltersSayWhomTheyKeepOut(t *testing.T) {
	network := func(name string, cidrs ...string) v1alpha1.BucketIPFilterNetwork {
		return v1alpha1.BucketIPFilterNetwork{Network: "projects/p/global/networks/" + name, AllowedCIDRs: cidrs}
	}
	filter := func(mode string, public []string, networks ...v1alpha1.BucketIPFilterNetwork) v1alpha1.BucketIPFilter {
		return v1alpha1.BucketIPFilter{Mode: &mode, PublicCIDRs: public, Networks: append([]v1alpha1.BucketIPFilterNetwork{}, networks...)}
	}
	two, one := []string{"198.51.100.0/24", "203.0.113.0/24"}, []string{"203.0.113.0/24"}
	for name, tt := range map[string]struct {
		from, to v1alpha1.BucketIPFilter
		says     bool
	}{
		"one less":           {filter("Enabled", two), filter("Enabled", one), true},
		"a part of one":      {filter("Enabled", one), filter("Enabled", []string{"203.0.113.0/25"}), true},
		"one more":           {filter("Enabled", one), filter("Enabled", two), false},
		"one around it":      {filter("Enabled", one), filter("Enabled", []string{"203.0.0.0/16"}), false},
		"not in force":       {filter("Disabled", two), filter("Disabled", one), false},
		"a network less":     {filter("Enabled", one, network("n", "10.0.0.0/8")), filter("Enabled", one), true},
		"another network":    {filter("Enabled", one, network("n", "10.0.0.0/8")), filter("Enabled", one, network("m", "10.0.0.0/8")), true},
		"less of a network":  {filter("Enabled", one, network("n", "10.0.0.0/8")), filter("Enabled", one, network("n", "10.1.0.0/16")), true},
		"a network more":     {filter("Enabled", one), filter("Enabled", one, network("n", "10.0.0.0/8")), false},
		"not in force there": {filter("Disabled", one, network("n", "10.0.0.0/8")), filter("Disabled", one), false},
	} {
		c := newCloud(t, localcloud.Durations{})
		x, req := c.madeBucket(t, "photos")
		req.Spec.GCP = filtering(tt.from)
		c.converge(t, req)
		from := req.Spec
		req.Spec.GCP = filtering(tt.to)
		obs, err := x.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		raw := func(spec v1alpha1.BucketParameters) json.RawMessage {
			text, err := json.Marshal(spec)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		preview, err := gcp.New(gcp.Options{}).Preview("Bucket", raw(from), raw(req.Spec), nil)
		if err != nil {
			t.Fatal(err)
		}
		for how, changes := range map[string][]driver.Change{"observed": obs.Changes, "previewed": preview} {
			if len(changes) != 1 || changes[0].Effect != driver.Online || strings.Contains(changes[0].Why, exempts) != tt.says {
				t.Errorf("%s, %s: %+v", name, how, changes)
			}
		}
	}
}

// What Cloud Storage would refuse is refused before anybody sent it, and so is what would keep everybody out.
func TestFiltersThatCannotBe(t *testing.T) {
	many := make([]string, 201)
	for i := range many {
		many[i] = fmt.Sprintf("203.0.%d.0/24", i)
	}
	network := func(cidrs ...string) v1alpha1.BucketIPFilter {
		return v1alpha1.BucketIPFilter{Mode: new("Enabled"), Networks: []v1alpha1.BucketIPFilterNetwork{{Network: "projects/p/global/networks/n", AllowedCIDRs: cidrs}}}
	}
	public := func(cidrs ...string) v1alpha1.BucketIPFilter {
		return v1alpha1.BucketIPFilter{Mode: new("Enabled"), PublicCIDRs: cidrs}
	}
	for name, tt := range map[string]struct {
		filter v1alpha1.BucketIPFilter
		says   string // empty if it can be
	}{
		"addresses of both sorts":                {public("203.0.113.0/24", "2001:db8::/32", "203.0.113.7/32"), ""},
		"an address within a network":            {public("203.0.113.7/24"), "write 203.0.113.0/24 for the whole network, or 203.0.113.7/32 for the one address"},
		"the same in a VPC network":              {network("2001:db8::7/64"), "write 2001:db8::/64 for the whole network, or 2001:db8::7/128"},
		"too long a prefix":                      {public("203.0.113.0/33"), "no network in CIDR notation"},
		"too many":                               {public(many...), "has 201 networks"},
		"nobody":                                 {v1alpha1.BucketIPFilter{Mode: new("Enabled"), PublicCIDRs: []string{}, Networks: []v1alpha1.BucketIPFilterNetwork{}}, "lets nobody in"},
		"nobody, where the filter does not work": {v1alpha1.BucketIPFilter{Mode: new("Disabled"), PublicCIDRs: []string{}}, ""},
	} {
		raw, err := json.Marshal(v1alpha1.BucketParameters{GCP: filtering(tt.filter)})
		if err != nil {
			t.Fatal(err)
		}
		refusals, err := gcp.New(gcp.Options{}).Check("Bucket", driver.Draft{Spec: raw, Location: location})
		if err != nil || tt.says == "" != (len(refusals) == 0) || tt.says != "" && !strings.Contains(refusals[0].Message, tt.says) {
			t.Errorf("%s: %v, %v; want %q", name, refusals, err, tt.says)
		}
	}
	// Where no webhook refused it, the write is, and sends nothing.
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "photos")
	req.Spec.GCP = filtering(public("203.0.113.7/24"))
	before := c.count(localcloud.Writes)
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.observed(t, req).Changes})
	if err != nil || len(result.Failed) != 2 || !strings.Contains(result.Failed[0].Err.Error(), "write 203.0.113.0/24 for the whole network") || c.count(localcloud.Writes) != before {
		t.Errorf("%v, failed %v", err, result.Failed)
	}
	// A bucket that has a filter without addresses gets none that is in force.
	req.Spec.GCP = filtering(v1alpha1.BucketIPFilter{Mode: new("Enabled")})
	obs, err := x.Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil || len(result.Failed) != 1 || !strings.Contains(result.Failed[0].Err.Error(), "lets nobody in") {
		t.Errorf("%v, failed %v", err, result.Failed)
	}
}
