package storage

import (
	"cmp"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// siteEndCost is what it costs that a bucket is no web site any more.
var siteEndCost = driver.Cost{
	Text:   "whoever asks a load balancer, or a host name that leads to the bucket, for a folder gets no index document from then on; the objects stay",
	Source: "https://cloud.google.com/storage/docs/static-website",
}

// documentEffect is what another document does.
func documentEffect(from *string, to string, _ *bucket) (driver.Effect, string) {
	return portable.WebsiteEffect(from, to)
}

// websiteRows are what a bucket serves as a web site. https://cloud.google.com/storage/docs/static-website
var websiteRows = table.Table[v1alpha1.BucketParameters, bucket, parameters]{
	table.Field("website.indexDocument", portable.WantedIndex,
		func(b *bucket) *string { return &siteOf(b).MainPageSuffix },
		func(p *parameters, v string) { p.MainPageSuffix = &v },
	).Reported(func(b *bucket) *string { return resource.Present(siteOf(b).MainPageSuffix) }).
		Equal(func(want, have string) bool { return want == have }, "`website: {}` is no web site").
		EffectOf(documentEffect, portable.WebsiteEffects(siteEndCost)...),

	table.Field("website.errorDocument", portable.WantedErrorDocument,
		func(b *bucket) *string { return &siteOf(b).NotFoundPage },
		func(p *parameters, v string) { p.NotFoundPage = &v },
	).Reported(func(b *bucket) *string { return resource.Present(siteOf(b).NotFoundPage) }).
		EffectOf(documentEffect, portable.WebsiteEffects(siteEndCost)...),
}

// redirectLack is what S3 does by itself. https://cloud.google.com/load-balancing/docs/https/setting-up-traffic-management
var redirectLack = driver.Lack{
	Field: "website.redirectAllRequestsTo", Why: "a bucket of Cloud Storage redirects nothing", Instead: "remove the field, and let a load balancer redirect",
}

// siteOf returns the web site of a bucket; an empty one if there is none.
func siteOf(b *bucket) *storage.BucketWebsite {
	return cmp.Or(b.Website, &storage.BucketWebsite{})
}

// changedSite is what a patch says of the web site: what it leaves out stays, and an empty one ends it.
func changedSite(p *parameters) *storage.BucketWebsite {
	site := &storage.BucketWebsite{}
	if p.MainPageSuffix != nil {
		site.MainPageSuffix = *p.MainPageSuffix
	}
	if p.NotFoundPage != nil {
		site.NotFoundPage = *p.NotFoundPage
	}
	return site
}

// newSite is what a creation says of the web site: nothing if there is to be none.
func newSite(p *parameters) *storage.BucketWebsite {
	if site := changedSite(p); *site != (storage.BucketWebsite{}) {
		return site
	}
	return nil
}
