package gcp_test

import (
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

const day = 24 * 60 * 60 // seconds

// editStorageOnly is how somebody else edits a setting that only Cloud Storage has.
func editStorageOnly(t testing.TB, patch *storage.Bucket, field string, value any) {
	t.Helper()
	switch field {
	case "gcp.softDeleteDays":
		patch.SoftDeletePolicy = &storage.BucketSoftDeletePolicy{RetentionDurationSeconds: int64(value.(int)) * day, ForceSendFields: []string{"RetentionDurationSeconds"}}
	case "gcp.uniformAccess":
		patch.IamConfiguration = &storage.BucketIamConfiguration{UniformBucketLevelAccess: &storage.BucketIamConfigurationUniformBucketLevelAccess{
			Enabled: value.(bool), ForceSendFields: []string{"Enabled"}}}
	case "gcp.autoclass.enabled":
		patch.Autoclass = &storage.BucketAutoclass{Enabled: value.(bool), ForceSendFields: []string{"Enabled"}}
	case "gcp.autoclass.terminalStorageClass":
		patch.Autoclass = &storage.BucketAutoclass{TerminalStorageClass: value.(string)}
	case "gcp.rpo":
		patch.Rpo = value.(string)
	case "gcp.defaultEventBasedHold":
		patch.DefaultEventBasedHold, patch.ForceSendFields = value.(bool), []string{"DefaultEventBasedHold"}
	case "gcp.ipFilter.mode":
		patch.IpFilter = &storage.BucketIpFilter{Mode: value.(string)}
	case "gcp.ipFilter.publicCIDRs":
		patch.IpFilter = &storage.BucketIpFilter{PublicNetworkSource: &storage.BucketIpFilterPublicNetworkSource{AllowedIpCidrRanges: value.([]string)}}
	case "gcp.ipFilter.networks":
		patch.IpFilter = &storage.BucketIpFilter{ForceSendFields: []string{"VpcNetworkSources"}}
		for _, n := range value.([]v1alpha1.BucketIPFilterNetwork) {
			patch.IpFilter.VpcNetworkSources = append(patch.IpFilter.VpcNetworkSources, &storage.BucketIpFilterVpcNetworkSources{Network: n.Network, AllowedIpCidrRanges: n.AllowedCIDRs})
		}
	case "gcp.ipFilter.allowCrossOrgNetworks":
		patch.IpFilter = &storage.BucketIpFilter{AllowCrossOrgVpcs: value.(bool), ForceSendFields: []string{"AllowCrossOrgVpcs"}}
	case "gcp.ipFilter.allowAllServiceAgents":
		patch.IpFilter = &storage.BucketIpFilter{AllowAllServiceAgentAccess: value.(bool), ForceSendFields: []string{"AllowAllServiceAgentAccess"}}
	default:
		t.Fatalf("no way to edit %s", field)
	}
}
