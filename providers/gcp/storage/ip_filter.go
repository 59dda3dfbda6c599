package storage

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

type filterNetwork = v1alpha1.BucketIPFilterNetwork

const (
	fieldFilterMode     = "gcp.ipFilter.mode"
	fieldFilterPublic   = "gcp.ipFilter.publicCIDRs"
	fieldFilterNetworks = "gcp.ipFilter.networks"
)

// filterFields are the fields of a filter. They are written together or not at all: a part of a filter would keep out whom the whole lets in.
var filterFields = []string{fieldFilterMode, fieldFilterPublic, fieldFilterNetworks, "gcp.ipFilter.allowCrossOrgNetworks", "gcp.ipFilter.allowAllServiceAgents"}

// The modes of a filter. A bucket without one is as one whose filter is disabled; once it had one it keeps it.
// https://github.com/GoogleCloudPlatform/magic-modules/pull/12576
const (
	filterEnabled  = "Enabled"
	filterDisabled = "Disabled"
)

// filterApart is why no other call takes the filter.
const filterApart = "Google's newer client does not have it, so it has a call of its own"

// filterRows are from where a bucket can be reached. Like publicAccess they are Online in both directions: what somebody opened is to be closed at once.
var filterRows = table.Table[v1alpha1.BucketParameters, bucket, parameters]{
	table.None(table.Field(fieldFilterMode,
		func(p *v1alpha1.BucketParameters) *string { return filterIn(p).Mode },
		func(b *bucket) *string {
			if b.filter == nil {
				return nil
			}
			return new(cmp.Or(b.filter.Mode, filterDisabled))
		},
		func(p *parameters, v string) { p.filter().mode = &v }).
		Equal(func(want, have string) bool { return want == have }, "`ipFilter: {}` or Disabled where there is no filter").
		EffectOf(func(_ *string, to string, _ *bucket) (driver.Effect, string) {
			if to == filterEnabled {
				return driver.Online, keepsOut
			}
			return driver.Online, ""
		}, table.Always(driver.Online)...), filterDisabled),
	table.Set(fieldFilterPublic,
		func(p *v1alpha1.BucketParameters) []string { return filterIn(p).PublicCIDRs },
		func(b *bucket) []string { return publicRanges(b.filter) },
		func(p *parameters, v []string) { p.filter().public = &v }).
		Equal(sameRanges, "another order, or the same network of IPv6 in other words").
		EffectOf(func(from *[]string, to []string, have *bucket) (driver.Effect, string) {
			return narrowing(have, from != nil && !covers(to, *from))
		}, table.Always(driver.Online)...),
	table.RefersIn(table.Alike(table.None(table.Rules(fieldFilterNetworks,
		func(p *v1alpha1.BucketParameters) []filterNetwork { return filterIn(p).Networks },
		haveFilterNetworks,
		func(p *parameters, v []filterNetwork) { p.filter().networks = &v },
		func(n filterNetwork) filterNetwork { return n }, ""), []filterNetwork{}),
		sameFilterNetworks, "another order, the same network as a URL, or the same addresses in other words").
		EffectOf(func(from *[]filterNetwork, to []filterNetwork, have *bucket) (driver.Effect, string) {
			return narrowing(have, from != nil && !coversNetworks(to, *from))
		}, table.Always(driver.Online)...), "network", driver.ReferenceNetwork),
	filterSwitch(filterFields[3],
		func(f *v1alpha1.BucketIPFilter) *bool { return f.AllowCrossOrgNetworks },
		func(f *raw.BucketIpFilter) *bool { return &f.AllowCrossOrgVpcs },
		func(p *filterParams, v *bool) { p.crossOrg = v }),
	filterSwitch(filterFields[4],
		func(f *v1alpha1.BucketIPFilter) *bool { return f.AllowAllServiceAgents },
		func(f *raw.BucketIpFilter) *bool { return &f.AllowAllServiceAgentAccess },
		func(p *filterParams, v *bool) { p.agents = v }),
}

// filterSwitch makes the row of what a filter has or has not.
func filterSwitch(name string, want func(*v1alpha1.BucketIPFilter) *bool, have func(*raw.BucketIpFilter) *bool, set func(*filterParams, *bool),
) *table.Scalar[v1alpha1.BucketParameters, bucket, parameters, bool] {
	return table.None(table.Field(name,
		func(p *v1alpha1.BucketParameters) *bool { return want(filterIn(p)) },
		func(b *bucket) *bool {
			if b.filter == nil {
				return nil
			}
			return have(b.filter)
		},
		func(p *parameters, v bool) { set(p.filter(), &v) }), false)
}

// filterIn returns what a spec says of the filter: of `ipFilter: {}`, that there is none.
func filterIn(p *v1alpha1.BucketParameters) *v1alpha1.BucketIPFilter {
	f := gcpOf(p).IPFilter
	switch {
	case f == nil:
		return &v1alpha1.BucketIPFilter{}
	case f.Mode == nil && f.PublicCIDRs == nil && f.Networks == nil && f.AllowCrossOrgNetworks == nil && f.AllowAllServiceAgents == nil:
		return &v1alpha1.BucketIPFilter{
			Mode: new(filterDisabled), PublicCIDRs: []string{}, Networks: []filterNetwork{}, AllowCrossOrgNetworks: new(false), AllowAllServiceAgents: new(false),
		}
	}
	return f
}

func publicRanges(f *raw.BucketIpFilter) []string {
	if f == nil || f.PublicNetworkSource == nil {
		return nil
	}
	return f.PublicNetworkSource.AllowedIpCidrRanges
}

func haveFilterNetworks(b *bucket) *[]filterNetwork {
	if b.filter == nil {
		return nil
	}
	list := []filterNetwork{}
	for _, n := range b.filter.VpcNetworkSources {
		list = append(list, filterNetwork{Network: resource.NetworkPath(n.Network), AllowedCIDRs: n.AllowedIpCidrRanges})
	}
	return &list
}

// rangeOf returns addresses as all are written that mean the same.
func rangeOf(cidr string) string {
	if prefix, err := netip.ParsePrefix(cidr); err == nil {
		return prefix.Masked().String()
	}
	return cidr
}

// rangesOf returns all of them, sorted.
func rangesOf(cidrs []string) []string {
	var out []string
	for _, cidr := range cidrs {
		out = append(out, rangeOf(cidr))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// covers reports whether all of some ranges are within others.
func covers(outer, inner []string) bool {
	return !slices.ContainsFunc(inner, func(cidr string) bool {
		in, err := netip.ParsePrefix(cidr)
		return err != nil || !slices.ContainsFunc(outer, func(cidr string) bool {
			out, err := netip.ParsePrefix(cidr)
			return err == nil && out.Bits() <= in.Bits() && out.Contains(in.Addr())
		})
	})
}

// coversNetworks is covers for VPC networks.
func coversNetworks(outer, inner []filterNetwork) bool {
	in := map[string][]string{}
	for _, n := range outer {
		in[resource.NetworkPath(n.Network)] = n.AllowedCIDRs
	}
	return !slices.ContainsFunc(inner, func(n filterNetwork) bool { return !covers(in[resource.NetworkPath(n.Network)], n.AllowedCIDRs) })
}

// narrowing is what a change of the addresses does: it keeps out whom a filter in force let in.
func narrowing(have *bucket, narrower bool) (driver.Effect, string) {
	if narrower && have.filter != nil && have.filter.Mode == filterEnabled {
		return driver.Online, keepsOut
	}
	return driver.Online, ""
}

func sameRanges(want, have []string) bool { return slices.Equal(rangesOf(want), rangesOf(have)) }

func sameFilterNetworks(want, have []filterNetwork) bool {
	return slices.Equal(filterNetworkTexts(want), filterNetworkTexts(have))
}

// filterNetworkTexts returns each network and its addresses, sorted.
func filterNetworkTexts(list []filterNetwork) []string {
	var out []string
	for _, n := range list {
		out = append(out, resource.NetworkPath(n.Network)+" "+strings.Join(rangesOf(n.AllowedCIDRs), " "))
	}
	slices.Sort(out)
	return out
}
