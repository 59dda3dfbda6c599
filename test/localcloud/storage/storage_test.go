package storage_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/iam"
	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestBucketLifecycle(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	ctx := context.Background()
	b := g.Storage.Bucket("acme-logs")
	if _, err := b.Attrs(ctx); !errors.Is(err, storage.ErrBucketNotExist) {
		t.Fatalf("got %v, want %v", err, storage.ErrBucketNotExist)
	}
	g.CreateBucket(t, "acme-logs", &storage.BucketAttrs{Location: "europe-west1", Labels: map[string]string{"a": "1", "b": "2"}})
	attrs, err := b.Attrs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if attrs.Location != "EUROPE-WEST1" || attrs.LocationType != "region" || attrs.MetaGeneration != 1 || attrs.StorageClass != "STANDARD" ||
		attrs.SoftDeletePolicy.RetentionDuration.Hours() != 7*24 || attrs.PublicAccessPrevention != storage.PublicAccessPreventionInherited ||
		attrs.UniformBucketLevelAccess.Enabled || !attrs.Created.Equal(g.Clock.Now()) {
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
	sdk.WantGCP(t, err, 412, "conditionNotMet")
	sdk.WantGCP(t, b.If(storage.BucketConditions{MetagenerationMatch: 1}).Delete(ctx), 412, "conditionNotMet")
	sdk.WantGCP(t, b.Create(ctx, "acme", nil), 409, "conflict")
	sdk.WantGCP(t, b.Delete(ctx), 0, "")
	if _, err := b.Attrs(ctx); !errors.Is(err, storage.ErrBucketNotExist) {
		t.Fatalf("got %v, want %v", err, storage.ErrBucketNotExist)
	}
	inserts := g.Ledger.Calls(localcloud.Filter{Service: "storage", Operation: "buckets.insert", Account: "acme", Resource: "acme-logs", Write: localcloud.Writes})
	if len(inserts) != 2 || !inserts[0].Committed || inserts[1].Committed {
		t.Errorf("the ledger has %+v, want an insert that was committed and one that was refused", inserts)
	}
	if n := g.Ledger.Count(localcloud.Filter{Service: "token", Account: "acme", Write: localcloud.Reads}); n != 1 {
		t.Errorf("the ledger counts %d tokens", n)
	}
}

func TestBucketInsertRules(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	tests := []struct {
		body string
		want int
	}{
		{`{"name":"plain"}`, 0},
		{`{"name":"ok","location":"nowhere"}`, 400}, // too short as well
		{`{"name":"good-1","location":"us-central1"}`, 0},
		{`{"name":"good-2","location":"EUR4","rpo":"ASYNC_TURBO"}`, 0},
		{`{"name":"good-3","location":"EU","rpo":"ASYNC_TURBO"}`, 400},
		{`{"name":"good-4","location":"mars-north1"}`, 400},
		{`{"name":"Upper"}`, 400},
		{`{"name":"under_score"}`, 0},
		{`{"name":"-dash"}`, 400},
		{`{"name":"goog-x"}`, 400},
		{`{"name":"my-google-bucket"}`, 400},
		{`{"name":"10.0.0.1"}`, 400},
		{`{"name":"` + strings.Repeat("x", 63) + `"}`, 0},
		{`{"name":"` + strings.Repeat("x", 64) + `"}`, 400},
		{`{"name":"l1","labels":{"team":"shop"}}`, 400},
		{`{"name":"lab1","labels":{"team":"shop_1-x"}}`, 0},
		{`{"name":"lab2","labels":{"Team":"shop"}}`, 400},
		{`{"name":"lab3","labels":{"team":"Shop"}}`, 400},
		{`{"name":"lab4","labels":{"a/b":"c"}}`, 400},
		{`{"name":"lab5","labels":{"a":"` + strings.Repeat("x", 64) + `"}}`, 400},
		{`{"name":"lab6","labels":{"1a":"c"}}`, 400},
		{`{"name":"key1","location":"us-east1","encryption":{"defaultKmsKeyName":"projects/p/locations/us-east1/keyRings/r/cryptoKeys/k"}}`, 0},
		{`{"name":"key2","location":"us-east1","encryption":{"defaultKmsKeyName":"projects/p/locations/us-west1/keyRings/r/cryptoKeys/k"}}`, 400},
		{`{"name":"key3","location":"us-east1","encryption":{"defaultKmsKeyName":"my-key"}}`, 400},
		{`{"name":"key4","location":"EU","encryption":{"defaultKmsKeyName":"projects/p/locations/europe/keyRings/r/cryptoKeys/k"}}`, 0},
		{`{"name":"class1","storageClass":"nearline"}`, 0},
		{`{"name":"class2","storageClass":"FROZEN"}`, 400},
		{`{"name":"soft1","softDeletePolicy":{"retentionDurationSeconds":"0"}}`, 0},
		{`{"name":"soft2","softDeletePolicy":{"retentionDurationSeconds":"3600"}}`, 400},
		{`{"name":"hns1","hierarchicalNamespace":{"enabled":true}}`, 400},
		{`{"name":"hns2","hierarchicalNamespace":{"enabled":true},"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}}`, 0},
		{`{"name":"pap1","iamConfiguration":{"publicAccessPrevention":"enforced"}}`, 0},
		{`{"name":"pap2","iamConfiguration":{"publicAccessPrevention":"sometimes"}}`, 400},
		{`{"name":"life1","lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"age":30}}]}}`, 0},
		{`{"name":"life2","lifecycle":{"rule":[{"action":{"type":"Explode"},"condition":{"age":30}}]}}`, 400},
	}
	for _, test := range tests {
		t.Run(test.body, func(t *testing.T) {
			sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", test.body, nil), test.want, "")
		})
	}
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b", `{"name":"nowhere"}`, nil), 400, "required")
}

func TestBucketPatchMerges(t *testing.T) {
	tests := []struct {
		name, patch string
		want        int
		check       func(b *raw.Bucket) bool
	}{
		{"nothing", `{}`, 0, func(b *raw.Bucket) bool { return b.Labels["a"] == "1" && b.Metageneration == 1 }},
		{"label added", `{"labels":{"b":"2"}}`, 0, func(b *raw.Bucket) bool { return len(b.Labels) == 2 }},
		{"label removed", `{"labels":{"a":null}}`, 0, func(b *raw.Bucket) bool { return len(b.Labels) == 0 }},
		{"labels removed", `{"labels":null}`, 0, func(b *raw.Bucket) bool { return len(b.Labels) == 0 }},
		{"empty labels change nothing", `{"labels":{}}`, 0, func(b *raw.Bucket) bool { return len(b.Labels) == 1 }},
		{"list replaced", `{"cors":[{"origin":["*"]}]}`, 0, func(b *raw.Bucket) bool { return len(b.Cors) == 1 && b.Cors[0].Origin[0] == "*" }},
		{"list emptied", `{"cors":[]}`, 0, func(b *raw.Bucket) bool { return b.Cors == nil }},
		{"versioning off", `{"versioning":{"enabled":false}}`, 0, func(b *raw.Bucket) bool { return b.Versioning != nil && !b.Versioning.Enabled }},
		{"sibling kept", `{"iamConfiguration":{"publicAccessPrevention":"enforced"}}`, 0, func(b *raw.Bucket) bool {
			return b.IamConfiguration.UniformBucketLevelAccess.Enabled && b.IamConfiguration.PublicAccessPrevention == "enforced"
		}},
		{"output only ignored", `{"metageneration":"77","timeCreated":"1999-01-01T00:00:00Z"}`, 0, func(b *raw.Bucket) bool { return b.Metageneration == 1 }},
		{"same location", `{"location":"us-east1"}`, 0, func(b *raw.Bucket) bool { return b.Location == "US-EAST1" }},
		{"other location", `{"location":"us-east4"}`, 400, nil},
		{"other name", `{"name":"other"}`, 400, nil},
		{"hierarchical namespace", `{"hierarchicalNamespace":{"enabled":true}}`, 400, nil},
		{"bad label", `{"labels":{"A":"1"}}`, 400, nil},
		{"unknown member", `{"label":{"a":"1"}}`, 400, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := sdk.StartGCP(t, localcloud.Options{})
			g.CreateBucket(t, "acme-logs", &storage.BucketAttrs{
				Location: "us-east1", Labels: map[string]string{"a": "1"}, VersioningEnabled: true,
				CORS: []storage.CORS{{Origins: []string{"https://a", "https://b"}}}, UniformBucketLevelAccess: storage.UniformBucketLevelAccess{Enabled: true},
			})
			g.Clock.Advance(time.Minute)
			var b raw.Bucket
			sdk.WantGCP(t, g.Send(t, "PATCH", "/storage/v1/b/acme-logs", test.patch, &b), test.want, "")
			if test.want != 0 {
				sdk.WantGCP(t, g.Send(t, "GET", "/storage/v1/b/acme-logs", "", &b), 0, "")
				if b.Metageneration != 1 {
					t.Errorf("a refused patch left metageneration %d", b.Metageneration)
				}
				return
			}
			if !test.check(&b) {
				t.Errorf("bucket is %+v", b)
			}
			updated := "2026-05-04T03:03:01.000Z"
			if b.Metageneration == 1 { // recordings: a patch that changes nothing leaves generation and time as they were
				updated = b.TimeCreated
			}
			if b.TimeCreated != "2026-05-04T03:02:01.000Z" || b.Updated != updated {
				t.Errorf("created %s, updated %s", b.TimeCreated, b.Updated)
			}
		})
	}
}

func TestBucketLocks(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	ctx := context.Background()
	uniform := func(on bool) storage.BucketAttrsToUpdate {
		return storage.BucketAttrsToUpdate{UniformBucketLevelAccess: &storage.UniformBucketLevelAccess{Enabled: on}}
	}
	b := g.CreateBucket(t, "uniform", nil)
	for _, on := range []bool{true, false, true} {
		if _, err := b.Update(ctx, uniform(on)); err != nil {
			t.Fatal(err)
		}
	}
	g.Clock.Advance(90 * 24 * time.Hour)
	_, err := b.Update(ctx, uniform(false))
	sdk.WantGCP(t, err, 400, "")

	kept := g.CreateBucket(t, "kept", &storage.BucketAttrs{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: time.Hour}})
	shorter := storage.BucketAttrsToUpdate{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: time.Minute}}
	if _, err := kept.Update(ctx, shorter); err != nil {
		t.Fatal(err)
	}
	if err := kept.If(storage.BucketConditions{MetagenerationMatch: 2}).LockRetentionPolicy(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = kept.Update(ctx, storage.BucketAttrsToUpdate{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: time.Second}})
	sdk.WantGCP(t, err, 403, "forbidden")
	_, err = kept.Update(ctx, storage.BucketAttrsToUpdate{RetentionPolicy: &storage.RetentionPolicy{}})
	sdk.WantGCP(t, err, 403, "forbidden")
	_, err = kept.Update(ctx, storage.BucketAttrsToUpdate{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: time.Hour}})
	sdk.WantGCP(t, err, 0, "")
}

func TestBucketList(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	for i := range 5 {
		g.CreateBucket(t, fmt.Sprintf("bucket-%d", i), nil)
	}
	g.CreateBucket(t, "other", nil)
	it := g.Storage.Buckets(context.Background(), "acme")
	it.Prefix = "bucket-"
	pager := iterator.NewPager(it, 2, "")
	var pages []int
	for {
		var page []*storage.BucketAttrs
		token, err := pager.NextPage(&page)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, len(page))
		if token == "" {
			break
		}
	}
	if fmt.Sprint(pages) != "[2 2 1]" {
		t.Fatalf("pages are %v", pages)
	}
	type list struct{ Items []map[string]any }
	for projection, want := range map[string]bool{"full": true, "noAcl": false, "": false} {
		var got list
		if err := g.Send(t, "GET", "/storage/v1/b?project=acme&projection="+projection, "", &got); err != nil {
			t.Fatal(err)
		}
		if _, ok := got.Items[0]["acl"]; ok != want {
			t.Errorf("projection %q has acl %v", projection, ok)
		}
	}
	var got list
	if err := g.Send(t, "GET", "/storage/v1/b?project=acme&fields=items(name,iamConfiguration/publicAccessPrevention)", "", &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Items[0]) != 2 || fmt.Sprint(got.Items[0]["iamConfiguration"]) != "map[publicAccessPrevention:inherited]" {
		t.Errorf("partial response is %v", got.Items[0])
	}
}

func TestBucketPolicy(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	ctx := context.Background()
	b := g.CreateBucket(t, "acme-logs", nil)
	policy, err := b.IAM().Policy(ctx)
	if err != nil {
		t.Fatal(err)
	}
	stale := *policy
	if !policy.HasRole("projectOwner:acme", "roles/storage.legacyBucketOwner") {
		t.Fatalf("policy is %v", policy.InternalProto)
	}
	policy.Add("allUsers", "roles/storage.objectViewer")
	sdk.WantGCP(t, b.IAM().SetPolicy(ctx, policy), 0, "")
	sdk.WantGCP(t, b.IAM().SetPolicy(ctx, &stale), 412, "conditionNotMet")
	policy, err = b.IAM().Policy(ctx)
	if err != nil || !policy.HasRole(iam.AllUsers, "roles/storage.objectViewer") {
		t.Fatalf("policy is %v, %v", policy, err)
	}
	policy.Remove(iam.AllUsers, "roles/storage.objectViewer")
	sdk.WantGCP(t, b.IAM().SetPolicy(ctx, policy), 0, "")
	if _, err := b.Update(ctx, storage.BucketAttrsToUpdate{PublicAccessPrevention: storage.PublicAccessPreventionEnforced}); err != nil {
		t.Fatal(err)
	}
	if policy, err = b.IAM().Policy(ctx); err != nil {
		t.Fatal(err)
	}
	policy.Add(iam.AllUsers, "roles/storage.objectViewer")
	sdk.WantGCP(t, b.IAM().SetPolicy(ctx, policy), 412, "")
	conditional := `{"version":3,"bindings":[{"role":"roles/storage.objectViewer","members":["user:a@b.c"],"condition":{"expression":"true","title":"t"}}]}`
	sdk.WantGCP(t, g.Send(t, "PUT", "/storage/v1/b/acme-logs/iam", conditional, nil), 400, "") // ACLs count
	uniform := storage.BucketAttrsToUpdate{UniformBucketLevelAccess: &storage.UniformBucketLevelAccess{Enabled: true}, PublicAccessPrevention: storage.PublicAccessPreventionInherited}
	if _, err := b.Update(ctx, uniform); err != nil {
		t.Fatal(err)
	}
	crowd := func(members int) string {
		return `{"bindings":[{"role":"roles/storage.objectViewer","members":["user:a@b.c"` + strings.Repeat(`,"user:a@b.c"`, members-1) + `]}]}`
	}
	for body, want := range map[string]int{
		conditional: 0,
		crowd(1500): 0,
		crowd(1501): 400,
		`{"version":3,"bindings":[{"role":"roles/storage.legacyBucketReader","members":["user:a@b.c"],"condition":{"expression":"true","title":"t"}}]}`: 400,
		`{"version":3,"bindings":[{"role":"roles/storage.objectViewer","members":["allUsers"],"condition":{"expression":"true","title":"t"}}]}`:         400,
		`{"version":3,"bindings":[{"role":"roles/storage.objectViewer","members":["user:a@b.c"],"condition":{"expression":"true"}}]}`:                   400,
		`{"bindings":[{"role":"roles/storage.objectViewer","members":["user:a@example.com"]}]}`:                                                         0,
		`{"bindings":[{"role":"roles/storage.objectViewer","members":["a@example.com"]}]}`:                                                              400,
		`{"bindings":[{"role":"reader","members":["user:a@example.com"]}]}`:                                                                             400,
		`{"bindings":[{"role":"roles/storage.objectViewer","members":["user:a@example.com"],"condition":{"expression":"true","title":"t"}}]}`:           400,
		`{"version":1,"bindings":[{"role":"roles/storage.objectViewer","members":["user:a@example.com"]}],"etag":"CAE="}`:                               412,
	} {
		sdk.WantGCP(t, g.Send(t, "PUT", "/storage/v1/b/acme-logs/iam", body, nil), want, "")
	}
}

func TestBucketWithObjects(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	ctx := context.Background()
	b := g.CreateBucket(t, "acme-logs", &storage.BucketAttrs{VersioningEnabled: true})
	write := func(name, content string) {
		t.Helper()
		w := b.Object(name).NewWriter(ctx)
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write("a/b c", "one")
	write("a/b c", "two")
	write("d", "three")
	sdk.WantGCP(t, b.Delete(ctx), 409, "conflict")
	sdk.WantGCP(t, b.Object("d").Delete(ctx), 0, "")
	if _, err := b.Object("d").Attrs(ctx); !errors.Is(err, storage.ErrObjectNotExist) {
		t.Fatalf("got %v, want %v", err, storage.ErrObjectNotExist)
	}
	sdk.WantGCP(t, b.Delete(ctx), 409, "conflict") // a noncurrent version is left
	count := 0
	for it := b.Objects(ctx, &storage.Query{Versions: true}); ; count++ {
		o, err := it.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		sdk.WantGCP(t, b.Object(o.Name).Generation(o.Generation).Delete(ctx), 0, "")
	}
	if count != 3 {
		t.Errorf("saw %d versions, want 3", count)
	}
	sdk.WantGCP(t, b.Delete(ctx), 0, "")

	kept := g.CreateBucket(t, "kept", &storage.BucketAttrs{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: time.Hour}})
	b = kept
	write("x", "y")
	sdk.WantGCP(t, kept.Object("x").Delete(ctx), 403, "retentionPolicyNotMet")
	g.Clock.Advance(time.Hour)
	sdk.WantGCP(t, kept.Object("x").Delete(ctx), 0, "")
}

func TestBucketFaults(t *testing.T) {
	for kind, want := range map[localcloud.FaultKind]int{localcloud.Throttled: 429, localcloud.ServerError: 500, localcloud.Denied: 403, localcloud.Conflict: 412} {
		t.Run(string(kind), func(t *testing.T) {
			g := sdk.StartGCP(t, localcloud.Options{})
			b := g.CreateBucket(t, "acme-logs", nil)
			lift := g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "buckets.patch", Account: "acme", Resource: "acme-logs"}, Kind: kind})
			_, err := b.Update(context.Background(), storage.BucketAttrsToUpdate{VersioningEnabled: true})
			sdk.WantGCP(t, err, want, "")
			lift()
			attrs, err := b.Attrs(context.Background())
			if err != nil || attrs.MetaGeneration != 1 {
				t.Fatalf("attributes are %+v, %v", attrs, err)
			}
		})
	}
}

func TestBucketResponseLost(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "buckets.insert"}, Kind: localcloud.ResponseLost, Times: 1})
	b := g.Storage.Bucket("acme-logs")
	if err := b.Create(context.Background(), "acme", nil); err == nil {
		t.Fatal("got a response")
	}
	sdk.WantGCP(t, b.Create(context.Background(), "acme", nil), 409, "conflict")
}

func TestBucketStaleReads(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	ctx := context.Background()
	old := g.CreateBucket(t, "old", nil)
	if _, err := old.Update(ctx, storage.BucketAttrsToUpdate{VersioningEnabled: true}); err != nil {
		t.Fatal(err)
	}
	fresh := g.CreateBucket(t, "fresh", nil)
	gone := g.CreateBucket(t, "gone", nil)
	if err := gone.Delete(ctx); err != nil {
		t.Fatal(err)
	}
	g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Service: "storage", Write: localcloud.Reads}, Kind: localcloud.Stale})
	if attrs, err := old.Attrs(ctx); err != nil || attrs.VersioningEnabled {
		t.Errorf("old: %+v, %v", attrs, err)
	}
	if _, err := fresh.Attrs(ctx); !errors.Is(err, storage.ErrBucketNotExist) {
		t.Errorf("fresh: %v", err)
	}
	if _, err := gone.Attrs(ctx); err != nil {
		t.Errorf("gone: %v", err)
	}
	if _, err := fresh.Update(ctx, storage.BucketAttrsToUpdate{VersioningEnabled: true}); err != nil {
		t.Errorf("writes are never stale: %v", err)
	}
	var names []string
	for it := g.Storage.Buckets(ctx, "acme"); ; {
		b, err := it.Next()
		if err != nil {
			break
		}
		names = append(names, b.Name)
	}
	if fmt.Sprint(names) != "[gone old]" {
		t.Errorf("list shows %v", names)
	}
}

func TestBucketRates(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{RateLimits: true})
	ctx := context.Background()
	first, second := g.Storage.Bucket("first"), g.Storage.Bucket("second")
	sdk.WantGCP(t, first.Create(ctx, "acme", nil), 0, "")
	sdk.WantGCP(t, second.Create(ctx, "acme", nil), http.StatusTooManyRequests, "rateLimitExceeded")
	g.Clock.Advance(2 * time.Second)
	sdk.WantGCP(t, second.Create(ctx, "acme", nil), 0, "")
	change := storage.BucketAttrsToUpdate{VersioningEnabled: true}
	for _, step := range []struct {
		bucket *storage.BucketHandle
		after  time.Duration
		want   int
	}{{first, 0, 0}, {second, 0, 0}, {first, 0, 429}, {first, time.Second, 0}} {
		g.Clock.Advance(step.after)
		_, err := step.bucket.Update(ctx, change)
		sdk.WantGCP(t, err, step.want, "")
	}
}
