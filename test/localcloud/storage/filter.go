package storage

import (
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// The most ranges and VPC networks of a filter. https://cloud.google.com/storage/docs/ip-filtering-overview
const mostFilterRanges, mostFilterNetworks = 200, 25

var (
	filterModes    = []string{"Enabled", "Disabled"}
	filterNetworks = regexp.MustCompile(`^(?:https://www\.googleapis\.com/compute/v1/)?projects/[^/]+/global/networks/[^/]+$`)
)

// checkFilter keeps out who calls from an address that a filter does not list. Who is exempt may read, change and delete the bucket all the same, and nothing
// else. No recording shows a refusal. The words are those that people report, and the reason is one that nobody reports.
// https://cloud.google.com/storage/docs/bypass-ip-filter https://github.com/googleapis/google-cloud-php/pull/9286
func checkFilter(r *google.Request, state *gcsState) error {
	caller, filter := r.Caller.Caller, google.Typed[storage.Bucket](state.resource).IpFilter
	if filter == nil || filter.Mode != "Enabled" || !caller.Address.IsValid() || caller.Exempt && strings.HasSuffix(r.Pattern, "/b/{bucket}") {
		return nil
	}
	if filter.PublicNetworkSource != nil {
		for _, cidr := range filter.PublicNetworkSource.AllowedIpCidrRanges {
			if netip.MustParsePrefix(cidr).Contains(caller.Address) {
				return nil
			}
		}
	}
	return google.Err(http.StatusForbidden, "forbidden", "There is an IP filtering condition that is preventing access to the resource.")
}

// settleFilter keeps a filter, once a bucket has one, whatever a patch says: it can be disabled only. No recording shows it.
// https://github.com/GoogleCloudPlatform/magic-modules/pull/12576
func settleFilter(c *change) error {
	if c.resource["ipFilter"] == nil && c.old != nil && c.old.IpFilter != nil {
		c.resource["ipFilter"] = google.Object{"mode": "Disabled"}
	}
	return nil
}

// validFilter holds a filter to its rules. No recording shows the refusals, nor their words. That a range can't name another address than its first is
// what Google's own system tests demand.
// https://cloud.google.com/storage/docs/ip-filtering-overview https://github.com/googleapis/google-cloud-php/pull/9286
func validFilter(c *change) error {
	f := c.now.IpFilter
	if f == nil {
		return nil
	}
	if !slices.Contains(filterModes, f.Mode) {
		return google.Invalid(fmt.Sprintf("Invalid IP filter mode: '%s'", f.Mode))
	}
	var ranges []string
	if f.PublicNetworkSource != nil {
		ranges = append(ranges, f.PublicNetworkSource.AllowedIpCidrRanges...)
	}
	var networks []string
	for _, source := range f.VpcNetworkSources {
		if !filterNetworks.MatchString(source.Network) || slices.Contains(networks, source.Network) {
			return google.Invalid(fmt.Sprintf("Invalid VPC network in IP filter: '%s'", source.Network))
		}
		networks, ranges = append(networks, source.Network), append(ranges, source.AllowedIpCidrRanges...)
	}
	for _, cidr := range ranges {
		if prefix, err := netip.ParsePrefix(cidr); err != nil || prefix != prefix.Masked() {
			return google.Invalid(fmt.Sprintf("Invalid CIDR range in IP filter: '%s'", cidr))
		}
	}
	if len(ranges) > mostFilterRanges || len(networks) > mostFilterNetworks {
		return google.Invalid("Too many ranges or networks in IP filter.")
	}
	return nil
}
