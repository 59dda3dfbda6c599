package fieldedit

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// fullStorage are the settings that only Cloud Storage has, for a bucket in a region.
func fullStorage() *v1alpha1.BucketGCP {
	return &v1alpha1.BucketGCP{
		StorageClass: new("STANDARD"), SoftDeleteDays: new(int32(14)), UniformAccess: new(true),
		Autoclass: &v1alpha1.BucketAutoclass{Enabled: new(true)}, DefaultEventBasedHold: new(false), HierarchicalNamespace: new(false),
		IAMBindings:   iamBindings(),
		Notifications: pubsubNotifications(),
		IPFilter: &v1alpha1.BucketIPFilter{
			Mode: new("Enabled"), PublicCIDRs: []string{"2001:db8::/32", "203.0.113.0/24"}, Networks: filterNetworks(),
			AllowCrossOrgNetworks: new(true), AllowAllServiceAgents: new(true),
		},
	}
}

// storageOnlyFields are the edits of these settings.
var storageOnlyFields = []drivertest.Field{
	bindingsField,
	{Name: "gcp.softDeleteDays", To: 30, DriftEffect: driver.LosesBackups},
	{Name: "gcp.uniformAccess", To: false, DriftEffect: driver.Interrupts},
	{Name: "gcp.autoclass.enabled", To: false, Stuck: "a bucket of another class keeps it"},
	{Name: "gcp.autoclass.terminalStorageClass", To: "NEARLINE", With: "gcp.autoclass.enabled", Given: map[string]any{"gcp.autoclass.terminalStorageClass": "ARCHIVE"}},
	{Name: "gcp.rpo", To: "DEFAULT", Given: map[string]any{"gcp.rpo": "ASYNC_TURBO", "location": "eur4", "encryption.key": nil}},
	{Name: "gcp.customPlacementConfig.dataLocations", To: []string{"europe-west1", "europe-west4"}, Effect: driver.Impossible, Given: map[string]any{
		"gcp.customPlacementConfig.dataLocations": []string{"europe-west1", "europe-west3"}, "location": "eu", "encryption.key": nil}},
	{Name: "gcp.hierarchicalNamespace", To: true, Effect: driver.Impossible},
	pubsubField(),
	{Name: "gcp.ipFilter.mode", To: "Disabled"},
	{Name: "gcp.ipFilter.publicCIDRs", To: []string{"198.51.100.0/24"}, Same: []any{[]string{"203.0.113.0/24", "2001:0DB8:0::/32"}}},
	{Name: "gcp.ipFilter.networks", To: []filterNetwork{{Network: "projects/mooring-test/global/networks/other", AllowedCIDRs: []string{"10.0.0.0/8"}}}, Same: []any{sameFilterNetworks()}},
	{Name: "gcp.ipFilter.allowCrossOrgNetworks", To: false},
	{Name: "gcp.ipFilter.allowAllServiceAgents", To: false},
	{Name: "gcp.defaultEventBasedHold", To: true, Effect: driver.Interrupts, DriftEffect: driver.Online},
}

// storageOnlySteps are what else can be changed to what.
var storageOnlySteps = []Step{
	{Field: "gcp.softDeleteDays", To: 0, Effect: driver.LosesBackups},
	{Field: "gcp.softDeleteDays", From: 30, To: 7, Effect: driver.LosesBackups},
	{Field: "gcp.softDeleteDays", From: 0, To: 90, Effect: driver.Online},
	{Field: "gcp.uniformAccess", From: false, To: true, Effect: driver.Interrupts},
	{Field: "gcp.defaultEventBasedHold", From: true, To: false, Effect: driver.Online},
}

type filterNetwork = v1alpha1.BucketIPFilterNetwork

// filterNetworks are VPC networks that a bucket can be reached from.
func filterNetworks() []filterNetwork {
	return []filterNetwork{
		{Network: "projects/mooring-test/global/networks/default", AllowedCIDRs: []string{"10.128.0.0/20", "10.132.0.0/20"}},
		{Network: "projects/mooring-test/global/networks/shop", AllowedCIDRs: []string{"fd20::/20"}},
	}
}

// sameFilterNetworks are the same in other words.
func sameFilterNetworks() []filterNetwork {
	return []filterNetwork{
		{Network: "https://www.googleapis.com/compute/v1/projects/mooring-test/global/networks/shop", AllowedCIDRs: []string{"FD20:0::/20"}},
		{Network: "projects/mooring-test/global/networks/default", AllowedCIDRs: []string{"10.132.0.0/20", "10.128.0.0/20"}},
	}
}
