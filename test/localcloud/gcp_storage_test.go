package localcloud

import (
	"context"
	"testing"

	"cloud.google.com/go/storage"
)

func TestBucketLifecycle(t *testing.T) {
	g := startGCP(t, Options{})
	ctx := context.Background()
	b := g.storage.Bucket("acme-logs")
	_, err := b.Attrs(ctx)
	if err != storage.ErrBucketNotExist {
		wantStatus(t, err, 404, "notFound")
	}
	if err := b.Create(ctx, "acme", &storage.BucketAttrs{Location: "europe-west1", Labels: map[string]string{"a": "1", "b": "2"}}); err != nil {
		t.Fatal(err)
	}
	attrs, err := b.Attrs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if attrs.Location != "EUROPE-WEST1" || attrs.LocationType != "region" || attrs.MetaGeneration != 1 || attrs.StorageClass != "STANDARD" ||
		attrs.SoftDeletePolicy.RetentionDuration.Hours() != 7*24 || attrs.PublicAccessPrevention != storage.PublicAccessPreventionInherited {
		t.Fatalf("attributes are %+v", attrs)
	}
	change := storage.BucketAttrsToUpdate{VersioningEnabled: true}
	change.DeleteLabel("a")
	change.SetLabel("c", "3")
	attrs, err = b.If(storage.BucketConditions{MetagenerationMatch: 1}).Update(ctx, change)
	if err != nil {
		t.Fatal(err)
	}
	if !attrs.VersioningEnabled || len(attrs.Labels) != 2 || attrs.Labels["c"] != "3" || attrs.MetaGeneration != 2 {
		t.Fatalf("attributes are %+v", attrs)
	}
	_, err = b.If(storage.BucketConditions{MetagenerationMatch: 1}).Update(ctx, change)
	wantStatus(t, err, 412, "conditionNotMet")
	err = b.Create(ctx, "acme", nil)
	wantStatus(t, err, 409, "conflict")
	if err := b.Delete(ctx); err != nil {
		t.Fatal(err)
	}
	if n := g.Ledger.Count(Filter{Service: "storage", Operation: "buckets.insert", Account: "acme", Resource: "acme-logs", Write: Writes}); n != 2 {
		t.Errorf("the ledger counts %d inserts", n)
	}
}
