package system

import (
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// fullStorage declares all that only Cloud Storage has.
func fullStorage() *v1alpha1.BucketGCP {
	return &v1alpha1.BucketGCP{
		StorageClass: new("STANDARD"), SoftDeleteDays: new(int32(7)), UniformAccess: new(true),
		Autoclass: &v1alpha1.BucketAutoclass{Enabled: new(false)}, RPO: new("DEFAULT"), DefaultEventBasedHold: new(false), HierarchicalNamespace: new(false),
		IAMBindings:   []v1alpha1.BucketIAMBinding{},
		Notifications: []v1alpha1.BucketNotificationGCP{{Topic: "projects/mooring-test/topics/uploads", EventTypes: []string{"OBJECT_FINALIZE"}, PayloadFormat: new("JSON_API_V1")}},
		IPFilter: &v1alpha1.BucketIPFilter{
			Mode: new("Disabled"), PublicCIDRs: []string{"203.0.113.0/24"}, AllowCrossOrgNetworks: new(false), AllowAllServiceAgents: new(false),
			Networks: []v1alpha1.BucketIPFilterNetwork{{Network: "projects/" + GCPProject + "/global/networks/default", AllowedCIDRs: []string{"10.0.0.0/8"}}},
		},
	}
}

// setStorageOnly changes a setting that only Cloud Storage has.
func setStorageOnly(t testing.TB, patch *storage.Bucket, field string, value any) {
	t.Helper()
	const day = 24 * 60 * 60
	switch field {
	case "gcp.softDeleteDays":
		patch.SoftDeletePolicy = &storage.BucketSoftDeletePolicy{RetentionDurationSeconds: int64(value.(int)) * day, ForceSendFields: []string{"RetentionDurationSeconds"}}
	case "gcp.uniformAccess":
		patch.IamConfiguration = &storage.BucketIamConfiguration{UniformBucketLevelAccess: &storage.BucketIamConfigurationUniformBucketLevelAccess{
			Enabled: value.(bool), ForceSendFields: []string{"Enabled"}}}
	case "gcp.autoclass.enabled":
		patch.Autoclass = &storage.BucketAutoclass{Enabled: value.(bool), ForceSendFields: []string{"Enabled"}}
	case "gcp.autoclass.terminalStorageClass":
		patch.Autoclass = &storage.BucketAutoclass{Enabled: true, TerminalStorageClass: value.(string)}
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
		t.Fatalf("no way to set %s", field)
	}
}
