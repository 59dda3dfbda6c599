package storage

import (
	"encoding/json"
	"testing"
	"time"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfBuckets(t *testing.T) {
	tabletest.Effects(t, fields, append([]tabletest.Example[v1alpha1.BucketParameters, bucket]{
		tabletest.Of("location", v1alpha1.BucketParameters{Location: new("europe-west4")}, bucket{BucketAttrs: storage.BucketAttrs{Location: "EUROPE-WEST3"}}, driver.Impossible),
		tabletest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, bucket{}, driver.Online),
		tabletest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessBlocked)}, bucket{}, driver.Online),
		tabletest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new("projects/p/locations/l/keyRings/r/cryptoKeys/k")}},
			bucket{}, driver.Online),
		tabletest.Of("requesterPays", v1alpha1.BucketParameters{RequesterPays: new(true)}, bucket{}, driver.Interrupts),
		tabletest.Of("requesterPays", v1alpha1.BucketParameters{RequesterPays: new(false)}, bucket{BucketAttrs: storage.BucketAttrs{RequesterPays: true}}, driver.Online),
		tabletest.Of("gcp.storageClass", v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{StorageClass: new("ARCHIVE")}},
			bucket{BucketAttrs: storage.BucketAttrs{StorageClass: "STANDARD"}}, driver.Online),
		tabletest.Of("website.indexDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("i")}}, bucket{}, driver.Online),
		tabletest.Of("website.errorDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{ErrorDocument: new("e")}}, bucket{}, driver.Online),
		tabletest.Of("website.indexDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{}}, bucket{BucketAttrs: storage.BucketAttrs{Website: &storage.BucketWebsite{MainPageSuffix: "i"}}}, driver.Interrupts),
		tabletest.Of("website.errorDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{}}, bucket{BucketAttrs: storage.BucketAttrs{Website: &storage.BucketWebsite{NotFoundPage: "e"}}}, driver.Interrupts),
		tabletest.Of("logging.bucket", v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{Bucket: new("l")}}, bucket{}, driver.Online),
		tabletest.Of("logging.prefix", v1alpha1.BucketParameters{Logging: &v1alpha1.BucketLogging{Prefix: new("p")}}, bucket{}, driver.Online),
		tabletest.Of("retention.days", retained(7, nil), bucket{}, driver.Interrupts),
		tabletest.Of("retention.days", retained(7, nil), attrsRetained(8*oneDay, false), driver.Online),
		tabletest.Of("retention.days", retained(7, nil), attrsRetained(oneDay, true), driver.Irreversible),
		tabletest.Of("retention.days", retained(7, nil), attrsRetained(8*oneDay, true), driver.Impossible),
		tabletest.Of("retention.locked", retained(7, new(true)), attrsRetained(7*oneDay, false), driver.Irreversible),
		tabletest.Of("retention.locked", retained(7, new(false)), attrsRetained(7*oneDay, true), driver.Impossible),
		tabletest.Of("cors", v1alpha1.BucketParameters{CORS: []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}}}, bucket{}, driver.Online),
		tabletest.Of("lifecycle", v1alpha1.BucketParameters{Lifecycle: []v1alpha1.LifecycleRule{{Name: "a", AbortUploadsAfterDays: new(int32(1))}}}, bucket{}, driver.Online),
		tabletest.Of("lifecycle", v1alpha1.BucketParameters{Lifecycle: []v1alpha1.LifecycleRule{{Name: "a", ExpireAfterDays: new(int32(1))}}}, bucket{}, driver.Irreversible),
		tabletest.Of("gcp.iamBindings", storageOnly(func(b *v1alpha1.BucketGCP) {
			b.IAMBindings = []v1alpha1.BucketIAMBinding{{Role: "roles/storage.objectViewer", Members: []string{"allUsers"}}}
		}), bucket{}, driver.Online),
		tabletest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, bucket{}, driver.Online),
	}, storageOnlyEffects...))
}

// retained is a spec with a retention.
func retained(days int32, locked *bool) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Days: &days, Locked: locked}}
}

func attrsRetained(period time.Duration, locked bool) bucket {
	return bucket{BucketAttrs: storage.BucketAttrs{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: period, IsLocked: locked}}}
}

// A mirror can't tell a period of no whole days. What an edit of it does depends on whether the policy is locked.
func TestRetentionOfNoWholeDaysIsPreviewed(t *testing.T) {
	for from, want := range map[string]map[string]driver.Effect{
		`{"retention":{"days":-1,"locked":true}}`: {
			`{"retention":{"days":7,"locked":true}}`: driver.Irreversible, `{"retention":{}}`: driver.Impossible,
		},
		`{"retention":{"days":-1,"locked":false}}`: {
			`{"retention":{"days":7,"locked":false}}`: driver.Interrupts, `{"retention":{}}`: driver.Online,
		},
	} {
		for to, effect := range want {
			changes, err := Kind.Preview(json.RawMessage(from), json.RawMessage(to), nil)
			if err != nil || len(changes) == 0 || changes[0].Field != "retention.days" || changes[0].Effect != effect {
				t.Errorf("from %s to %s: %v, %v, want %s", from, to, changes, err, effect)
			}
		}
	}
}
