package storage

import (
	"time"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

// storageOnly returns a spec with a setting that only Cloud Storage has.
func storageOnly(set func(*v1alpha1.BucketGCP)) v1alpha1.BucketParameters {
	block := &v1alpha1.BucketGCP{}
	set(block)
	return v1alpha1.BucketParameters{GCP: block}
}

func softDeleted(days int32) v1alpha1.BucketParameters {
	return storageOnly(func(b *v1alpha1.BucketGCP) { b.SoftDeleteDays = &days })
}

func softDeletes(d time.Duration) bucket {
	return bucket{BucketAttrs: storage.BucketAttrs{SoftDeletePolicy: &storage.SoftDeletePolicy{RetentionDuration: d}}}
}

func uniform(on bool) v1alpha1.BucketParameters {
	return storageOnly(func(b *v1alpha1.BucketGCP) { b.UniformAccess = &on })
}

func uniformly(on bool, locked time.Time) bucket {
	return bucket{BucketAttrs: storage.BucketAttrs{UniformBucketLevelAccess: storage.UniformBucketLevelAccess{Enabled: on, LockedTime: locked}}}
}

func autoclass(on bool, terminal string) v1alpha1.BucketParameters {
	return storageOnly(func(b *v1alpha1.BucketGCP) {
		b.Autoclass = &v1alpha1.BucketAutoclass{Enabled: &on, TerminalStorageClass: resource.Present(terminal)}
	})
}

func held(on bool) v1alpha1.BucketParameters {
	return storageOnly(func(b *v1alpha1.BucketGCP) { b.DefaultEventBasedHold = &on })
}

func filtered(f v1alpha1.BucketIPFilter) v1alpha1.BucketParameters {
	return storageOnly(func(b *v1alpha1.BucketGCP) { b.IPFilter = &f })
}

// storageOnlyEffects are what changes of the settings do that only Cloud Storage has.
var storageOnlyEffects = []tabletest.Example[v1alpha1.BucketParameters, bucket]{
	tabletest.Of("gcp.softDeleteDays", softDeleted(14), softDeletes(7*oneDay), driver.Online),
	tabletest.Of("gcp.softDeleteDays", softDeleted(7), softDeletes(0), driver.Online),
	tabletest.Of("gcp.softDeleteDays", softDeleted(0), softDeletes(7*oneDay), driver.LosesBackups),
	tabletest.Of("gcp.softDeleteDays", softDeleted(7), softDeletes(14*oneDay), driver.LosesBackups),
	// days that are no whole ones, of another tool
	tabletest.Of("gcp.softDeleteDays", softDeleted(7), softDeletes(7*oneDay+time.Hour), driver.LosesBackups),
	tabletest.Of("gcp.softDeleteDays", softDeleted(8), softDeletes(7*oneDay+time.Hour), driver.Online),
	tabletest.Of("gcp.uniformAccess", uniform(true), uniformly(false, time.Time{}), driver.Interrupts),
	tabletest.Of("gcp.uniformAccess", uniform(false), uniformly(true, time.Time{}), driver.Online),
	tabletest.Of("gcp.uniformAccess", uniform(false), uniformly(true, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), driver.Impossible),
	tabletest.Of("gcp.autoclass.enabled", autoclass(true, ""), bucket{}, driver.Online),
	tabletest.Of("gcp.autoclass.terminalStorageClass", autoclass(true, "ARCHIVE"), bucket{}, driver.Online),
	tabletest.Of("gcp.rpo", storageOnly(func(b *v1alpha1.BucketGCP) { b.RPO = new("ASYNC_TURBO") }), bucket{}, driver.Online),
	tabletest.Of("gcp.customPlacementConfig.dataLocations", storageOnly(func(b *v1alpha1.BucketGCP) {
		b.CustomPlacementConfig = &v1alpha1.BucketCustomPlacement{DataLocations: []string{"europe-west1", "europe-west4"}}
	}), bucket{}, driver.Impossible),
	tabletest.Of(fieldFilterMode, filtered(v1alpha1.BucketIPFilter{Mode: new("Enabled")}), bucket{}, driver.Online),
	tabletest.Of(fieldFilterPublic, filtered(v1alpha1.BucketIPFilter{PublicCIDRs: []string{"203.0.113.0/24"}}), bucket{}, driver.Online),
	tabletest.Of(fieldFilterNetworks, filtered(v1alpha1.BucketIPFilter{Networks: []filterNetwork{{Network: "n"}}}), bucket{}, driver.Online),
	tabletest.Of(filterFields[3], filtered(v1alpha1.BucketIPFilter{AllowCrossOrgNetworks: new(true)}), bucket{}, driver.Online),
	tabletest.Of(filterFields[4], filtered(v1alpha1.BucketIPFilter{AllowAllServiceAgents: new(true)}), bucket{}, driver.Online),
	tabletest.Of("gcp.notifications", storageOnly(func(b *v1alpha1.BucketGCP) { b.Notifications = []notified{{Topic: "t"}} }), bucket{}, driver.Online),
	tabletest.Of("gcp.defaultEventBasedHold", held(true), bucket{}, driver.Interrupts),
	tabletest.Of("gcp.defaultEventBasedHold", held(false), bucket{BucketAttrs: storage.BucketAttrs{DefaultEventBasedHold: true}}, driver.Online),
	tabletest.Of("gcp.hierarchicalNamespace", storageOnly(func(b *v1alpha1.BucketGCP) { b.HierarchicalNamespace = new(true) }), bucket{}, driver.Impossible),
}
