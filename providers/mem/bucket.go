package mem

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// KindBucket is the kind of buckets.
const KindBucket Kind = "Bucket"

// A Bucket is a bucket in the cloud.
type Bucket struct {
	Object
	// Spec are its fields but for the tags, in the words of the spec. Versioning is nil if it never was versioned.
	Spec v1alpha1.BucketParameters
	// Objects is how many objects are in it.
	Objects int
}

func (b *Bucket) clone() *Bucket {
	out := *b
	out.Labels, out.Spec = maps.Clone(b.Labels), *b.Spec.DeepCopy()
	return &out
}

func (b *Bucket) object() *Object                  { return &b.Object }
func (b *Bucket) spec() *v1alpha1.BucketParameters { return &b.Spec }

// Buckets returns the buckets of a cloud.
func Buckets(c *Cloud) *Objects[Bucket] {
	return objectsOf(c, storage[Bucket]{kind: KindBucket, global: true, object: (*Bucket).object, clone: (*Bucket).clone})
}

// bucketKind is what the driver has of buckets.
var bucketKind = table.Kind[session]{
	Name: string(KindBucket),
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Memory", Name: driver.NameRule{MaxLength: 63}, Fields: bucketTable.Docs(), Exempt: maps.Clone(bucketExempt),
			Capabilities: driver.Capabilities{Contents: true, List: true}, Ownership: driver.OwnedByTags,
			Connection:   driver.Connection{Type: "s3", Scheme: "s3"},
			Consequences: driver.Consequences{Noun: "storage bucket", Contents: "all objects"},
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, func(from, to v1alpha1.BucketParameters, applied driver.Applied) []driver.Change {
			return bucketTable.Preview(&from, &to, applied, &Bucket{})
		})
	},
	Handler: func(s session) table.Handler { return table.Handle(newBuckets(s)) },
}

// bucketExempt are the fields without a row.
var bucketExempt = map[string]string{"forceDestroy": "it says how to delete the bucket, and is nothing that the bucket has"}

var bucketFields = fields[v1alpha1.BucketParameters, Bucket]{asked: (*Bucket).spec, live: (*Bucket).spec}

// bucketTable has the fields of a bucket. Those that are not here are plain.
var bucketTable = bucketFields.table(bucketExempt,
	plain[string](bucketFields, "location").Immutable("create another Bucket with the new location and move the data"),
	plain[v1alpha1.PublicAccess](bucketFields, "publicAccess").Safe(v1alpha1.PublicAccessBlocked),
	table.Field("encryption.key", portable.WantedBucketKey,
		func(b *Bucket) *string { return new(b.key()) },
		func(p *params[v1alpha1.BucketParameters], v string) {
			p.Spec.Encryption = &v1alpha1.Encryption{Key: &v}
		},
	).Reported(func(b *Bucket) *string { return unlessZero(b.key()) }).Refers(driver.ReferenceKey),
	table.Field("website.indexDocument", portable.WantedIndex,
		func(b *Bucket) *string { return new(value(portable.WantedIndex(&b.Spec))) },
		func(p *params[v1alpha1.BucketParameters], v string) {
			fieldpath.Set(&p.Spec, "website.indexDocument", v)
		},
	).Reported(func(b *Bucket) *string { return unlessZero(value(portable.WantedIndex(&b.Spec))) }),
	table.Field("logging.bucket", portable.WantedLogBucket,
		func(b *Bucket) *string { return new(value(portable.WantedLogBucket(&b.Spec))) },
		func(p *params[v1alpha1.BucketParameters], v string) { fieldpath.Set(&p.Spec, "logging.bucket", v) },
	).Reported(func(b *Bucket) *string { return unlessZero(value(portable.WantedLogBucket(&b.Spec))) }).Refers(driver.ReferenceBucket),
	table.Written(table.Field("retention.days", portable.WantedRetentionDays,
		func(b *Bucket) *int32 { return new(value(portable.WantedRetentionDays(&b.Spec))) },
		func(p *params[v1alpha1.BucketParameters], v int32) { fieldpath.Set(&p.Spec, "retention.days", v) },
	).Reported(func(b *Bucket) *int32 { return unlessZero(value(portable.WantedRetentionDays(&b.Spec))) }), portable.RetentionText),
	plainRules[v1alpha1.CORSRule](bucketFields, "cors"),
	plainRules[v1alpha1.LifecycleRule](bucketFields, "lifecycle"),
	table.RefersIn(plainRules[v1alpha1.BucketNotificationAWS](bucketFields, "aws.notifications.queues"), "arn", driver.ReferenceQueue),
	table.RefersIn(plainRules[v1alpha1.BucketNotificationAWS](bucketFields, "aws.notifications.topics"), "arn", driver.ReferenceTopic),
	table.RefersIn(plainRules[v1alpha1.BucketNotificationAWS](bucketFields, "aws.notifications.functions"), "arn", driver.ReferenceFunction),
	plain[string](bucketFields, "aws.replication.role").Refers(driver.ReferenceRole),
	table.AndIn(table.RefersIn(plainRules[v1alpha1.ReplicationRuleAWS](bucketFields, "aws.replication.rules"), "bucket", driver.ReferenceBucket), "encryptionKey", driver.ReferenceKey),
	plainRules[v1alpha1.BucketMetricsAWS](bucketFields, "aws.metrics"),
	plainRules[v1alpha1.BucketIntelligentTieringAWS](bucketFields, "aws.intelligentTiering"),
	table.RefersIn(plainRules[v1alpha1.BucketAnalyticsAWS](bucketFields, "aws.analytics"), "export.bucket", driver.ReferenceBucket),
	table.AndIn(table.RefersIn(plainRules[v1alpha1.BucketInventoryAWS](bucketFields, "aws.inventory"), "destination.bucket", driver.ReferenceBucket), "destination.encryption.keyARN", driver.ReferenceKey),
	plainRules[v1alpha1.PolicyStatement](bucketFields, "aws.policy").Refers(driver.ReferencePrincipal),
	plainRules[v1alpha1.BucketIAMBinding](bucketFields, "gcp.iamBindings").Refers(driver.ReferencePrincipal),
	table.RefersIn(plainRules[v1alpha1.BucketNotificationGCP](bucketFields, "gcp.notifications"), "topic", driver.ReferenceTopic),
	table.RefersIn(plainRules[v1alpha1.BucketIPFilterNetwork](bucketFields, "gcp.ipFilter.networks"), "network", driver.ReferenceNetwork),
	tags(func(s *v1alpha1.BucketParameters) map[string]v1alpha1.TagValue { return s.Tags }, (*Bucket).object),
)

// key returns the key that the bucket is encrypted with; empty for the cloud's own.
func (b *Bucket) key() string { return value(portable.WantedBucketKey(&b.Spec)) }

type (
	bucketRequest = table.Request[v1alpha1.BucketParameters]
	bucketParams  = params[v1alpha1.BucketParameters]
	bucketAdapter = table.Adapter[v1alpha1.BucketParameters, Bucket, bucketParams]
)

// buckets manages buckets.
type buckets struct {
	manager[v1alpha1.BucketParameters, Bucket]
}

func newBuckets(s session) *bucketAdapter {
	b := &buckets{manager[v1alpha1.BucketParameters, Bucket]{session: s, objects: Buckets(s.cloud), spec: (*Bucket).spec}}
	b.update = func(_, next *Bucket, _ hits) string { b.objects.put(next); return "" }
	return &bucketAdapter{
		Table: bucketTable, Noun: "bucket", ReadCall: string(OpObserve) + string(KindBucket),
		Read: b.read, State: stateOfBucket,
		Tags: func(p *bucketParams) *table.Delta { return &p.Tags },
		Make: b.make, Taken: every,
		Parts: []table.Part[v1alpha1.BucketParameters, Bucket, bucketParams]{{Write: b.write, Taken: every, Blind: true}},
		Whole: whole, Listing: b.listing(), Remove: b.remove,
	}
}

// stateOfBucket is what a bucket says of itself.
func stateOfBucket(_ *bucketRequest, b *Bucket, o *driver.Observation) {
	location := value(b.Spec.Location)
	o.State, o.Available, o.ID, o.Location, o.Mark = driver.Ready, true, b.ID, location, driver.MarkFrom(b.Labels)
	o.Endpoint = driver.Endpoint{Name: b.Name, Region: location, URL: "https://buckets.mem.invalid"}
}

// make creates a bucket.
func (m *buckets) make(ctx context.Context, req *bucketRequest, p *bucketParams) (driver.Result, error) {
	var result driver.Result
	err := m.call(ctx, OpCreate, req.Name, func(call *Call, _ hits) error {
		if m.objects.find(m.account, req.Name) != nil {
			return fail(call, driver.Conflict, "a bucket of that name exists")
		}
		b := &Bucket{Object: Object{Account: m.account, Name: req.Name, Labels: merge(nil, p.Tags)}, Spec: p.Spec}
		b.Spec.Location = new(m.locationOf(req.Spec.Location, req.Location))
		if b.Spec.PublicAccess == nil {
			b.Spec.PublicAccess = new(v1alpha1.PublicAccessBlocked)
		}
		m.objects.put(b)
		result.ID = b.ID
		return nil
	})
	return orZero(result, err)
}

// forceBatch is how many objects one forced Delete removes.
const forceBatch = 1000

// remove deletes a bucket, or what one call can of what is in it.
func (m *buckets) remove(ctx context.Context, req *bucketRequest) (driver.Result, error) {
	done := driver.Result{}
	err := m.call(ctx, OpDelete, req.Name, func(call *Call, _ hits) error {
		b, err := m.own(call)
		if b == nil || err != nil {
			return err
		}
		force := req.Deletion != nil && req.Deletion.Force
		switch {
		case b.Objects > 0 && !force:
			return fail(call, driver.NotEmpty, "the bucket is not empty: empty it, or set spec.forceDestroy: true to delete everything in it")
		case b.Objects > forceBatch:
			next := b.clone()
			next.Objects -= forceBatch
			m.objects.put(next)
			done.Unfinished, done.Removed = true, forceBatch
		default:
			m.objects.remove(b)
		}
		return nil
	})
	return orZero(done, err)
}
