package docs

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// verifyReads holds the tables of docs/sizing.md to what a resync of buckets and databases in AWS reads, by the local cloud's ledger.
func (r *reader) verifyReads() {
	r.Helper()
	page := read(r.T, filepath.Join(root(r.T), "docs", "sizing.md"))
	r.place(`{apiVersion: mooring.dev/v1alpha1, kind: Bucket, metadata: {name: plain, namespace: shop}, spec: {externalName: shop-plain, providerConfigRef: {kind: ClusterProviderConfig, name: aws}}}
---
{apiVersion: mooring.dev/v1alpha1, kind: Bucket, metadata: {name: two, namespace: shop}, spec: {externalName: shop-two, providerConfigRef: {kind: ClusterProviderConfig, name: aws}, versioning: Enabled, publicAccess: Blocked}}
---
{apiVersion: mooring.dev/v1alpha1, kind: Database, metadata: {name: plain, namespace: shop}, spec: {externalName: shop-plain-db, className: postgres-standard}}`)
	for _, of := range []struct{ kind, name, resource, first, row string }{
		{"Bucket", "plain", "shop-plain", "GetBucketTagging", "1,000 buckets in S3 without such fields"},
		{"Bucket", "two", "shop-two", "GetBucketTagging", "1,000 buckets in S3 with two such fields"},
		{"Database", "plain", "shop-plain-db", "DescribeDBInstances", "1,000 Databases, or buckets in Cloud Storage"},
	} {
		r.awaitReady(of.kind, of.name)
		reads := r.readsOfAResync(of.resource, of.first)
		want := fmt.Sprintf("| %s | %d,000 | %d,000 | %d,000 |", of.row, reads*6, reads*2, reads)
		if !strings.Contains(page, "\n"+want+"\n") {
			r.Errorf("docs/sizing.md has no row %s", want)
		}
	}
	r.reset()
}

// readsOfAResync returns how many calls about a resource read it in one comparison, which begins with the call that is named.
func (r *reader) readsOfAResync(resource, first string) (reads int) {
	r.Helper()
	begun := r.Cloud.Ledger.Count(localcloud.Filter{Resource: resource, Operation: first})
	r.Eventually("two resyncs of "+resource, func() bool {
		return r.Cloud.Ledger.Count(localcloud.Filter{Resource: resource, Operation: first}) >= begun+3
	})
	for _, c := range r.Cloud.Ledger.Calls(localcloud.Filter{Resource: resource}) {
		if c.Write {
			continue
		}
		if c.Operation == first {
			if begun--; begun == -2 { // the second one that began after the count
				return reads
			}
			reads = 0
		}
		reads++
	}
	return reads
}
