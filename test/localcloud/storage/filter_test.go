package storage_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// filterOf is the body of a request with a filter.
func filterOf(filter string) string { return `{"ipFilter":` + filter + `}` }

func TestStorageFilters(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	const path = "/storage/v1/b/acme-filtered"
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-filtered","location":"us-east1"}`, nil), 0, "")
	var b raw.Bucket
	if sdk.WantGCP(t, g.Send(t, "GET", path, "", &b), 0, ""); b.IpFilter != nil {
		t.Errorf("a new bucket has the filter %+v", b.IpFilter)
	}
	const vpc = `{"network":"projects/acme/global/networks/default","allowedIpCidrRanges":["10.0.0.0/8"]}`
	for _, bad := range []string{
		`{}`, `{"mode":"enabled"}`,
		`{"mode":"Disabled","publicNetworkSource":{"allowedIpCidrRanges":["1.2.3.4/24"]}}`,
		`{"mode":"Disabled","publicNetworkSource":{"allowedIpCidrRanges":["1.2.3.4"]}}`,
		`{"mode":"Disabled","vpcNetworkSources":[{"network":"default","allowedIpCidrRanges":["10.0.0.0/8"]}]}`,
		`{"mode":"Disabled","vpcNetworkSources":[` + vpc + `,` + vpc + `]}`,
		`{"mode":"Disabled","publicNetworkSource":{"allowedIpCidrRanges":["1.2.3.0/24"` + strings.Repeat(`,"1.2.3.0/24"`, 200) + `]}}`,
	} {
		sdk.WantGCP(t, g.Send(t, "PATCH", path, filterOf(bad), nil), 400, "invalid")
	}
	const good = `{"mode":"Disabled","publicNetworkSource":{"allowedIpCidrRanges":["1.2.3.0/24","2001:db8::/32"]},"vpcNetworkSources":[` + vpc + `]}`
	sdk.WantGCP(t, g.Send(t, "PATCH", path, filterOf(good), nil), 0, "")
	sdk.WantGCP(t, g.Send(t, "PATCH", path, filterOf("null"), &b), 0, "")
	if b.IpFilter == nil || b.IpFilter.Mode != "Disabled" {
		t.Errorf("a bucket lost its filter and has %+v", b.IpFilter)
	}
}

func TestStorageFiltersKeepOut(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	const path = "/storage/v1/b/acme-filtered"
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-filtered","location":"us-east1"}`, nil), 0, "")
	sdk.WantGCP(t, g.Send(t, "PATCH", path, filterOf(`{"mode":"Enabled","publicNetworkSource":{"allowedIpCidrRanges":["203.0.113.0/24"]}}`), nil), 0, "")
	inside, outside := netip.MustParseAddr("203.0.113.7"), netip.MustParseAddr("198.51.100.1")
	for name, tt := range map[string]struct {
		caller          localcloud.GCPCaller
		bucket, objects int
	}{
		"nobody said where":  {localcloud.GCPCaller{}, 0, 0},
		"inside":             {localcloud.GCPCaller{Address: inside}, 0, 0},
		"outside":            {localcloud.GCPCaller{Address: outside}, 403, 403},
		"outside and exempt": {localcloud.GCPCaller{Address: outside, Exempt: true}, 0, 403},
	} {
		g.GCPCallsFrom("acme", tt.caller)
		reason := map[int]string{403: "forbidden"}
		t.Log(name)
		sdk.WantGCP(t, g.Send(t, "GET", path, "", nil), tt.bucket, reason[tt.bucket])
		sdk.WantGCP(t, g.Send(t, "PATCH", path, `{}`, nil), tt.bucket, reason[tt.bucket])
		sdk.WantGCP(t, g.Send(t, "GET", path+"/o", "", nil), tt.objects, reason[tt.objects])
		sdk.WantGCP(t, g.Send(t, "GET", path+"/iam", "", nil), tt.objects, reason[tt.objects])
		sdk.WantGCP(t, g.Send(t, "GET", path+"/notificationConfigs", "", nil), tt.objects, reason[tt.objects])
	}
	var b raw.Bucket
	g.GCPCallsFrom("acme", localcloud.GCPCaller{Blind: true})
	if sdk.WantGCP(t, g.Send(t, "GET", path, "", &b), 0, ""); b.IpFilter != nil {
		t.Errorf("who may not see the filter sees %+v", b.IpFilter)
	}
	var may raw.TestIamPermissionsResponse
	sdk.WantGCP(t, g.Send(t, "GET", path+"/iam/testPermissions?permissions=storage.buckets.get&permissions=storage.buckets.getIpFilter", "", &may), 0, "")
	if !slices.Equal(may.Permissions, []string{"storage.buckets.get"}) {
		t.Errorf("who may not see the filter may %v", may.Permissions)
	}
	sdk.WantGCP(t, g.Send(t, "GET", path+"/iam/testPermissions", "", nil), 400, "required")
	g.GCPCallsFrom("acme", localcloud.GCPCaller{})
	sdk.WantGCP(t, g.Send(t, "PATCH", path, filterOf(`{"mode":"Disabled"}`), nil), 0, "")
	g.GCPCallsFrom("acme", localcloud.GCPCaller{Address: outside})
	sdk.WantGCP(t, g.Send(t, "GET", path+"/o", "", nil), 0, "")
	sdk.WantGCP(t, g.Send(t, "DELETE", path, "", nil), 0, "")
}
