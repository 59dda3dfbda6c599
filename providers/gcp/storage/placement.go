package storage

import (
	"regexp"
	"slices"
	"strings"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// defaultRPO is the objective of all buckets that have no other one. Those in one region report none.
const (
	defaultRPO = "DEFAULT"
	turboRPO   = "ASYNC_TURBO"
)

var storageRPOs = map[string]storage.RPO{defaultRPO: storage.RPODefault, turboRPO: storage.RPOAsyncTurbo}

// placementRows are how soon objects are in both regions of a dual-region, and which regions these are.
var placementRows = table.Table[v1alpha1.BucketParameters, bucket, parameters]{
	table.Field("gcp.rpo",
		func(p *v1alpha1.BucketParameters) *string { return gcpOf(p).RPO },
		func(b *bucket) *string {
			if b.RPO == storage.RPOAsyncTurbo {
				return new(turboRPO)
			}
			return new(defaultRPO)
		},
		func(p *parameters, v string) { p.RPO = &v },
	).Equal(func(want, have string) bool { return want == have }, "a bucket in one region is DEFAULT").
		Reported(func(b *bucket) *string { return resource.Present(b.RPO.String()) }),

	table.Set("gcp.customPlacementConfig.dataLocations", dataLocations,
		func(b *bucket) (regions []string) {
			if b.CustomPlacementConfig == nil {
				return nil
			}
			for _, r := range b.CustomPlacementConfig.DataLocations {
				regions = append(regions, strings.ToLower(r))
			}
			return regions
		},
		func(p *parameters, v []string) { p.DataLocations = v },
	).Immutable("create another Bucket in these regions and move the objects there"),
}

func dataLocations(s *v1alpha1.BucketParameters) []string {
	if block := gcpOf(s).CustomPlacementConfig; block != nil {
		return block.DataLocations
	}
	return nil
}

// newRPO is what a creation says of the objective: nothing of the default, which a bucket in one region may not take.
func newRPO(p *parameters, attrs *storage.BucketAttrs) {
	if *p.RPO == turboRPO {
		attrs.RPO = storage.RPOAsyncTurbo
	}
}

// newPlacement is what a creation says of the regions.
// https://cloud.google.com/storage/docs/json_api/v1/buckets (customPlacementConfig)
func newPlacement(p *parameters, attrs *storage.BucketAttrs) {
	if len(p.DataLocations) == 0 {
		return
	}
	attrs.CustomPlacementConfig = &storage.CustomPlacementConfig{}
	for _, r := range p.DataLocations {
		attrs.CustomPlacementConfig.DataLocations = append(attrs.CustomPlacementConfig.DataLocations, strings.ToUpper(r))
	}
}

// dualRegion is the name of a dual-region that Google made. https://cloud.google.com/storage/docs/locations#location-dr
var dualRegion = regexp.MustCompile(`^(asia|eur|nam)[0-9]+$`)

// checkPlacement refuses turbo replication in what is no dual-region, and regions of one's own in what is no multi-region.
func checkPlacement(spec *v1alpha1.BucketParameters, location string) (problems []error) {
	if spec.Location != nil {
		location = *spec.Location
	}
	turbo, custom := gcpOf(spec).RPO, len(dataLocations(spec)) > 0
	single, dual := resource.IsRegion(location), dualRegion.MatchString(location)
	if custom && (single || dual) {
		problems = append(problems, table.Fields{"gcp.customPlacementConfig.dataLocations", "location"}.Refuse(
			"spec.gcp.customPlacementConfig.dataLocations names two regions, and the bucket is to be in %s: set spec.location to the multi-region that both are in, for example eu", location))
	}
	if turbo != nil && *turbo == turboRPO && !custom && !dual && location != "" {
		problems = append(problems, table.Fields{"gcp.rpo", "gcp.customPlacementConfig.dataLocations", "location"}.Refuse(
			"spec.gcp.rpo ASYNC_TURBO is for dual-regions, and the bucket is in %s: set spec.gcp.rpo to DEFAULT, or create the bucket in a dual-region", location))
	}
	return problems
}

// checkNew refuses what Cloud Storage is known to refuse of a new bucket.
func checkNew(s *session.Session, req *request) error {
	location, err := s.LocationOf(req.Spec.Location, req.Location)
	if err != nil {
		return err
	}
	return table.Together(slices.Concat(checkPlacement(&req.Spec, location), checkBindings(&req.Spec, nil), checkFilter(&req.Spec), []error{checkRetention(&req.Spec), checkNotifications(&req.Spec), checkLifecycle(&req.Spec)})...)
}

// multiRegions are the multi-regions and the predefined dual-regions of Cloud Storage, of the same date.
// https://cloud.google.com/storage/docs/locations#location-mr
// https://cloud.google.com/storage/docs/locations#location-dr
var multiRegions = strings.Fields("asia eu us asia1 eur4 eur5 eur7 eur8 nam4")
