package storage

import (
	"cmp"
	"context"

	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// filterParams are the changes of a filter; nil is left as it is.
type filterParams struct {
	mode             *string
	public           *[]string
	networks         *[]filterNetwork
	crossOrg, agents *bool
}

// filter returns the changes of the filter, made on first use.
func (p *parameters) filter() *filterParams {
	if p.IPFilter == nil {
		p.IPFilter = &filterParams{}
	}
	return p.IPFilter
}

// over returns the whole filter that the changes make of one that is there, if one is. It says all, so that it does not matter how a patch merges.
func (p *filterParams) over(have *raw.BucketIpFilter) *raw.BucketIpFilter {
	f := &raw.BucketIpFilter{}
	if have != nil {
		*f = *have
	}
	f.Mode = cmp.Or(f.Mode, filterDisabled)
	p.put(f)
	f.ForceSendFields = []string{"AllowCrossOrgVpcs", "AllowAllServiceAgentAccess", "VpcNetworkSources"}
	if len(publicRanges(f)) == 0 {
		f.PublicNetworkSource, f.NullFields = nil, []string{"PublicNetworkSource"}
	}
	return f
}

// alone returns what the changes say, and nothing else: a patch merges, and keeps what others set in a filter that is not shown.
func (p *filterParams) alone() *raw.BucketIpFilter {
	f := &raw.BucketIpFilter{}
	p.put(f)
	for name, sent := range map[string]bool{"AllowCrossOrgVpcs": p.crossOrg != nil, "AllowAllServiceAgentAccess": p.agents != nil, "VpcNetworkSources": p.networks != nil} {
		if sent {
			f.ForceSendFields = append(f.ForceSendFields, name)
		}
	}
	if p.public != nil && len(*p.public) == 0 {
		f.PublicNetworkSource, f.NullFields = nil, []string{"PublicNetworkSource"}
	}
	return f
}

// put makes the changes.
func (p *filterParams) put(f *raw.BucketIpFilter) {
	if p.mode != nil {
		f.Mode = *p.mode
	}
	if p.public != nil {
		f.PublicNetworkSource = &raw.BucketIpFilterPublicNetworkSource{AllowedIpCidrRanges: *p.public}
	}
	if p.networks != nil {
		f.VpcNetworkSources = nil
		for _, n := range *p.networks {
			f.VpcNetworkSources = append(f.VpcNetworkSources, &raw.BucketIpFilterVpcNetworkSources{Network: n.Network, AllowedIpCidrRanges: n.AllowedCIDRs})
		}
	}
	if p.crossOrg != nil {
		f.AllowCrossOrgVpcs = *p.crossOrg
	}
	if p.agents != nil {
		f.AllowAllServiceAgentAccess = *p.agents
	}
}

// filterOf returns all that a spec says of the filter.
func filterOf(spec *v1alpha1.BucketParameters) *filterParams {
	f := filterIn(spec)
	p := &filterParams{mode: f.Mode, crossOrg: f.AllowCrossOrgNetworks, agents: f.AllowAllServiceAgents}
	if f.PublicCIDRs != nil {
		p.public = &f.PublicCIDRs
	}
	if f.Networks != nil {
		p.networks = &f.Networks
	}
	return p
}

// lets reports whether a filter names an address.
func lets(f *raw.BucketIpFilter) bool {
	return len(publicRanges(f)) > 0 || len(f.VpcNetworkSources) > 0
}

// filters writes the filters of buckets.
type filters struct{ of *buckets }

// write changes the filter, unless somebody else changed the bucket since it was read. A new bucket is nobody else's, and was not read.
func (f filters) write(ctx context.Context, req *request, have *bucket, params *parameters, changes []driver.Change) (string, error) {
	if err := table.Together(checkFilter(&req.Spec)...); err != nil { // where no webhook did
		return "", err
	}
	filter := params.IPFilter.over(have.filter)
	if have.filter == nil && have.MetaGeneration != 0 {
		if err := f.hidden(ctx, req, have); err != nil {
			return "", filterErrors(changes, driver.ErrorOf(err))
		}
		filter = filterOf(&req.Spec).alone()
	}
	if filter.Mode == filterEnabled && !lets(filter) {
		return "", session.Invalid("%s", letsNobodyIn)
	}
	answer, err := session.Do(ctx, f.of.Caller, "buckets.patch", func(ctx context.Context) (*raw.Bucket, error) {
		call := f.of.folders.Buckets.Patch(req.Name, &raw.Bucket{IpFilter: filter}).Projection("full").Context(ctx)
		if have.MetaGeneration != 0 {
			call.IfMetagenerationMatch(have.MetaGeneration)
		}
		return call.Do(f.of.payment(req.Name)...)
	})
	switch code := driver.CodeOf(err); {
	case err == nil && answer.IpFilter == nil && (filter.Mode == filterEnabled || lets(filter)):
		f.of.bare.Delete(req.Name)
		return "", filterErrors(changes, &driver.Error{Code: driver.Denied, Op: "buckets.patch",
			Message: "Cloud Storage took the filter and does not show it, so Mooring can't see whether it stays: " + grantSight})
	case code == driver.Denied && !keptOut(err): // the identity may do all else
		e := *driver.ErrorOf(err)
		e.Message = "the identity needs storage.buckets.getIpFilter and storage.buckets.setIpFilter for spec.gcp.ipFilter; Cloud Storage says: " + wordsOf(err)
		return "", filterErrors(changes, &e)
	case code == driver.Invalid:
		e := *driver.ErrorOf(err)
		e.Message = "correct spec.gcp.ipFilter (networks that exist, addresses that are the first of their network). Cloud Storage says: " + wordsOf(err)
		return "", &e
	}
	return "", err
}

// filterErrors says that none of the changes was made.
func filterErrors(changes []driver.Change, err *driver.Error) table.FieldErrors {
	var out table.FieldErrors
	for _, c := range changes {
		out = append(out, driver.FieldError{Field: c.Field, Err: err})
	}
	return out
}
