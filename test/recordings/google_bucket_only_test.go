package recordings

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// storageOnly adds to a specification what a request asks for of the settings that only Cloud Storage has.
func storageOnly(request map[string]any, spec *v1alpha1.BucketParameters) {
	block := &v1alpha1.BucketGCP{}
	if spec.GCP != nil {
		block = spec.GCP.DeepCopy()
	}
	if class := stringAt(request, "storageClass"); class != "" {
		block.StorageClass = &class
	}
	if seconds, err := strconv.ParseInt(stringAt(request, "softDeletePolicy", "retentionDurationSeconds"), 10, 64); err == nil {
		block.SoftDeleteDays = new(int32(seconds / (24 * 60 * 60)))
	}
	if uniform, ok := at(request, "iamConfiguration", "uniformBucketLevelAccess", "enabled").(bool); ok {
		block.UniformAccess = &uniform
	}
	if enabled, ok := at(request, "autoclass", "enabled").(bool); ok {
		block.Autoclass = &v1alpha1.BucketAutoclass{Enabled: &enabled}
		if terminal := stringAt(request, "autoclass", "terminalStorageClass"); terminal != "" {
			block.Autoclass.TerminalStorageClass = &terminal
		}
	}
	if rpo := stringAt(request, "rpo"); rpo != "" {
		block.RPO = &rpo
	}
	if mode := stringAt(request, "ipFilter", "mode"); mode != "" {
		block.IPFilter = filterOf(request)
	}
	if !reflect.ValueOf(block).Elem().IsZero() {
		spec.GCP = block
	}
}

// plainStorage is what the driver says of these settings where the cloud reports nothing.
func plainStorage() *v1alpha1.BucketGCP {
	return &v1alpha1.BucketGCP{Autoclass: &v1alpha1.BucketAutoclass{Enabled: new(false)}, DefaultEventBasedHold: new(false), HierarchicalNamespace: new(false)}
}

// filterOf is the filter that a request or an answer has. All have the same members.
func filterOf(request map[string]any) *v1alpha1.BucketIPFilter {
	f := &v1alpha1.BucketIPFilter{Mode: new(stringAt(request, "ipFilter", "mode"))}
	texts := func(list any) (out []string) {
		for _, text := range list.([]any) {
			out = append(out, text.(string))
		}
		return out
	}
	f.PublicCIDRs = texts(at(request, "ipFilter", "publicNetworkSource", "allowedIpCidrRanges"))
	for _, source := range objects(at(request, "ipFilter", "vpcNetworkSources")) {
		f.Networks = append(f.Networks, v1alpha1.BucketIPFilterNetwork{
			Network: strings.TrimPrefix(stringAt(source, "network"), "https://www.googleapis.com/compute/v1/"), AllowedCIDRs: texts(source["allowedIpCidrRanges"]),
		})
	}
	f.AllowCrossOrgNetworks = new(at(request, "ipFilter", "allowCrossOrgVpcs").(bool))
	f.AllowAllServiceAgents = new(at(request, "ipFilter", "allowAllServiceAgentAccess").(bool))
	return f
}
