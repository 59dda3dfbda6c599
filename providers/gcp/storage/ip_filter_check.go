package storage

import (
	"errors"
	"net/http"
	"net/netip"
	"regexp"

	"google.golang.org/api/googleapi"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/table"
)

const (
	// bypassPage says who gets past a filter, and for which calls.
	bypassPage = "https://cloud.google.com/storage/docs/bypass-ip-filter"
	// keepsOut is what a filter does when it gets into force.
	keepsOut = "clients at other addresses stay out, and Mooring too, unless its own, which it does not know, are listed: list them, or grant its identity storage.buckets.exemptFromIpFilter (" + bypassPage + ")"
	// letsNobodyIn is said of a filter without addresses.
	letsNobodyIn = "a filter that is Enabled and names no address lets nobody in: add entries to spec.gcp.ipFilter.publicCIDRs or networks, or set spec.gcp.ipFilter.mode to Disabled"
	// mostRanges is how many ranges a filter can have. https://cloud.google.com/storage/docs/ip-filtering-overview
	mostRanges = 200
)

// exemptCalls are those that storage.buckets.exemptFromIpFilter covers.
var exemptCalls = []string{"buckets.get", "buckets.patch", "buckets.delete"}

// addAddresses is what to add to a filter that keeps Mooring out.
const addAddresses = "the addresses that Mooring calls from to spec.gcp.ipFilter.publicCIDRs"

// filterWords are those of a refusal by a filter: "There is an IP filtering condition that is preventing access to the resource".
// https://github.com/googleapis/google-cloud-php/pull/9286
var filterWords = regexp.MustCompile("IP filtering")

// keptOut reports whether a filter keeps Mooring out.
func keptOut(err error) bool {
	answer, ok := errors.AsType[*googleapi.Error](err)
	return ok && answer.Code == http.StatusForbidden && filterWords.MatchString(answer.Message)
}

// checkFilter refuses addresses that Cloud Storage refuses, as a system test of Google's has it of those that are not the first of their network, and a filter
// that lets nobody in. https://github.com/googleapis/google-cloud-php/pull/9286
func checkFilter(spec *v1alpha1.BucketParameters) (problems []error) {
	f := filterIn(spec)
	all := len(f.PublicCIDRs)
	for _, cidr := range f.PublicCIDRs {
		problems = append(problems, checkRange(fieldFilterPublic, cidr))
	}
	for _, n := range f.Networks {
		all += len(n.AllowedCIDRs)
		for _, cidr := range n.AllowedCIDRs {
			problems = append(problems, checkRange(fieldFilterNetworks, cidr))
		}
	}
	if all > mostRanges {
		problems = append(problems, table.Fields{fieldFilterPublic, fieldFilterNetworks}.Refuse("spec.gcp.ipFilter has %d networks in publicCIDRs and networks, and a filter can have %d: "+
			"put several into one that contains them", all, mostRanges))
	}
	if f.Mode != nil && *f.Mode == filterEnabled && f.PublicCIDRs != nil && f.Networks != nil && all == 0 {
		problems = append(problems, table.Fields{fieldFilterMode, fieldFilterPublic, fieldFilterNetworks}.Refuse("%s", letsNobodyIn))
	}
	return problems
}

// checkRange refuses what is no network in CIDR notation; nil if it is one.
func checkRange(field, cidr string) error {
	prefix, err := netip.ParsePrefix(cidr)
	switch {
	case err != nil:
		return table.Fields{field}.Refuse("spec.%s has %q, which is no network in CIDR notation: write it as 203.0.113.0/24 or 2001:db8::/32", field, cidr)
	case prefix.Masked() != prefix:
		return table.Fields{field}.Refuse("spec.%s has %q, and Cloud Storage refuses an address that is not the first of its network: write %s for the whole network, or %s for the one address",
			field, cidr, prefix.Masked(), netip.PrefixFrom(prefix.Addr(), prefix.Addr().BitLen()))
	}
	return nil
}
