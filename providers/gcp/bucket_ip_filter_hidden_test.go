package gcp_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// blind makes the identity one that may set filters and not see them.
func (c *cloud) blind(is bool) { c.GCPCallsFrom(project, localcloud.GCPCaller{Blind: is}) }

// filterOfOthers is a filter with all that a spec may leave to others.
func filterOfOthers() *storage.BucketIpFilter {
	return &storage.BucketIpFilter{
		Mode: "Enabled", AllowAllServiceAgentAccess: true, AllowCrossOrgVpcs: true,
		PublicNetworkSource: &storage.BucketIpFilterPublicNetworkSource{AllowedIpCidrRanges: []string{"198.51.100.0/24"}},
		VpcNetworkSources:   []*storage.BucketIpFilterVpcNetworkSources{{Network: "projects/mooring-test/global/networks/default", AllowedIpCidrRanges: []string{"10.0.0.0/8"}}},
	}
}

// namesSight reports whether errors are denials that say which permission is missing.
func namesSight(errs []driver.FieldError) bool {
	return len(errs) > 0 && !slices.ContainsFunc(errs, func(e driver.FieldError) bool {
		return !strings.HasPrefix(e.Field, "gcp.ipFilter.") || driver.CodeOf(e.Err) != driver.Denied || !strings.Contains(e.Err.Error(), "grant Mooring's identity storage.buckets.getIpFilter")
	})
}

// A filter that Mooring may not see is not taken for none: whatever the spec says of it, it can't be compared, and is not written. All else is.
func TestAFilterThatIsHidden(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "photos")
	c.patchBucket(t, "photos", &storage.Bucket{IpFilter: filterOfOthers()})
	c.blind(true)
	for name, spec := range map[string]*v1alpha1.BucketGCP{
		"none":     filtering(v1alpha1.BucketIPFilter{}),
		"disabled": filtering(v1alpha1.BucketIPFilter{Mode: new("Disabled")}),
		"another":  filtering(inForce()),
	} {
		for range 2 {
			req.Spec.GCP, req.Spec.Tags = spec, map[string]v1alpha1.TagValue{"beside": v1alpha1.TagValue(name)}
			obs, err := x.Observe(t.Context(), req)
			if err != nil || !namesSight(obs.Unreadable) || len(obs.Unreadable) != 5 {
				t.Fatalf("%s: unreadable %v, %v", name, obs.Unreadable, err)
			}
			if slices.ContainsFunc(obs.Changes, func(c driver.Change) bool { return strings.HasPrefix(c.Field, "gcp.") }) {
				t.Errorf("%s: changes %v of what is not known", name, obs.Changes)
			}
			before := c.count(localcloud.Writes)
			result, err := x.Update(t.Context(), req, driver.Edit{Changes: append(obs.Changes, driver.Change{Field: "gcp.ipFilter.mode"})})
			if err != nil || len(result.Failed) != 1 || !namesSight(result.Failed) {
				t.Errorf("%s: %v, failed %v", name, err, result.Failed)
			}
			if n := c.count(localcloud.Writes) - before; n != len(obs.Changes) {
				t.Errorf("%s: %d writes for the changes %v", name, n, obs.Changes)
			}
		}
		if got := c.bucket(t, "photos").Labels["beside"]; got != name {
			t.Errorf("%s: another change was kept away: %q", name, got)
		}
	}
	req.Spec.GCP = nil // who declares no filter needs no sight of it
	if obs, err := x.Observe(t.Context(), req); err != nil || len(obs.Unreadable) != 0 {
		t.Errorf("unset: unreadable %v, %v", obs.Unreadable, err)
	}
	c.blind(false) // a grant counts at once
	req.Spec.GCP = filtering(v1alpha1.BucketIPFilter{})
	if obs, err := x.Observe(t.Context(), req); err != nil || len(obs.Unreadable) != 0 || len(obs.Changes) != 5 {
		t.Errorf("granted: changes %v, unreadable %v, %v", obs.Changes, obs.Unreadable, err)
	}
}

// Whether there is a filter takes a call of its own only where a spec declares one and none is shown, and only once.
func TestOneCallTellsThatThereIsNoFilter(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x, req := c.madeBucket(t, "photos")
	for i, step := range []struct {
		spec  *v1alpha1.BucketGCP
		calls int
	}{
		{nil, 1},
		{filtering(v1alpha1.BucketIPFilter{}), 2},
		{filtering(v1alpha1.BucketIPFilter{Mode: new("Disabled")}), 1},
	} {
		req.Spec.GCP = step.spec
		before := c.count(localcloud.Any)
		if obs, err := x.Observe(t.Context(), req); err != nil || len(obs.Changes) != 0 {
			t.Errorf("%d: changes %v, %v", i, obs.Changes, err)
		}
		if n := c.count(localcloud.Any) - before; n != step.calls {
			t.Errorf("%d: a look took %d calls, want %d", i, n, step.calls)
		}
	}
	// A filter that was there is there, so one that is not shown any more is hidden.
	c.patchBucket(t, "photos", &storage.Bucket{IpFilter: filterOfOthers()})
	if _, err := x.Observe(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	c.blind(true)
	if obs, err := x.Observe(t.Context(), req); err != nil || !namesSight(obs.Unreadable) {
		t.Errorf("unreadable %v, %v", obs.Unreadable, err)
	}
}

// Where a filter that others made comes to be hidden after Mooring saw that there was none, only what the spec declares is sent, and once.
func TestAFilterThatComesToBeHidden(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, tt := range map[string]struct {
		spec   v1alpha1.BucketIPFilter
		public []string
	}{
		"ranges":    {inForce(), []string{"203.0.113.0/24"}},
		"no ranges": {v1alpha1.BucketIPFilter{Mode: new("Disabled"), PublicCIDRs: []string{}, AllowCrossOrgNetworks: new(false)}, nil},
	} {
		name = strings.ReplaceAll(name, " ", "-")
		x, req := c.madeBucket(t, name)
		req.Spec.GCP = filtering(tt.spec)
		if _, err := x.Observe(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		c.patchBucket(t, name, &storage.Bucket{IpFilter: filterOfOthers()})
		c.blind(true)
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "gcp.ipFilter.publicCIDRs"}}})
		if complains := *tt.spec.Mode == "Enabled"; err != nil || complains != namesSight(result.Failed) {
			t.Errorf("%s: %v, failed %v", name, err, result.Failed)
		}
		c.blind(false)
		got := c.bucket(t, name)
		if f := got.IpFilter; f.Mode != *tt.spec.Mode || !f.AllowAllServiceAgentAccess || len(f.VpcNetworkSources) != 1 || f.AllowCrossOrgVpcs != (tt.spec.AllowCrossOrgNetworks == nil) {
			t.Errorf("%s: the filter is %+v, want what others set in it beside what the spec says", name, f)
		}
		var public []string
		if f := got.IpFilter.PublicNetworkSource; f != nil {
			public = f.AllowedIpCidrRanges
		}
		if !slices.Equal(public, tt.public) {
			t.Errorf("%s: it lets %v in, want %v", name, public, tt.public)
		}
	}
}
