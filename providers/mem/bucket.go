package mem

import (
	"context"
	"maps"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// A Bucket is a bucket in the cloud.
type Bucket struct {
	Account  driver.AccountID
	Name     string
	ID       string
	Location string
	// Labels are everybody's, the mark among them.
	Labels        map[string]string
	Versioning    v1alpha1.Versioning // empty if it never was versioned
	PublicAccess  v1alpha1.PublicAccess
	EncryptionKey string // empty for the cloud's own
	// Objects is how many objects are in it.
	Objects int
}

func (b *Bucket) clone() *Bucket {
	out := *b
	out.Labels = maps.Clone(b.Labels)
	return &out
}

// forceBatch is how many objects one forced Delete removes.
const forceBatch = 1000

// bucketTable makes patches on the next state of the bucket itself: this cloud has one call for everything.
var bucketTable = table.Table[v1alpha1.BucketParameters, Bucket, Bucket]{
	table.Field("location",
		func(s *v1alpha1.BucketParameters) *string { return s.Location },
		func(b *Bucket) *string { return &b.Location },
		func(b *Bucket, v string) { b.Location = v },
	).Immutable("create another Bucket with the new location and move the data"),
	table.Field("versioning",
		func(s *v1alpha1.BucketParameters) *v1alpha1.Versioning { return s.Versioning },
		func(b *Bucket) *v1alpha1.Versioning { return unlessZero(b.Versioning) },
		func(b *Bucket, v v1alpha1.Versioning) { b.Versioning = v },
	),
	table.Field("publicAccess",
		func(s *v1alpha1.BucketParameters) *v1alpha1.PublicAccess { return s.PublicAccess },
		func(b *Bucket) *v1alpha1.PublicAccess { return &b.PublicAccess },
		func(b *Bucket, v v1alpha1.PublicAccess) { b.PublicAccess = v },
	).Safe(v1alpha1.PublicAccessBlocked),
	table.Field("encryption.key",
		driver.WantedKey,
		func(b *Bucket) *string { return &b.EncryptionKey },
		func(b *Bucket, v string) { b.EncryptionKey = v },
	).Reported(func(b *Bucket) *string { return unlessZero(b.EncryptionKey) }),
	table.Entries("tags",
		func(s *v1alpha1.BucketParameters) map[string]string { return plain(s.Tags) },
		func(b *Bucket) map[string]string { return driver.WithoutMark(b.Labels) },
		func(b *Bucket, d table.Delta) { merge(&b.Labels, d) },
	),
}

// unlessZero returns a pointer to v, or nil if v is zero: the cloud has none.
func unlessZero[V comparable](v V) *V {
	var zero V
	if v == zero {
		return nil
	}
	return &v
}

// plain returns tags as plain strings; nil stays nil, which is unmanaged.
func plain(tags map[string]v1alpha1.TagValue) map[string]string {
	if tags == nil {
		return nil
	}
	out := make(map[string]string, len(tags))
	for k, v := range tags {
		out[k] = string(v)
	}
	return out
}

// merge makes a change to labels; those of others stay.
func merge(labels *map[string]string, d table.Delta) {
	if *labels == nil {
		*labels = map[string]string{}
	}
	maps.Copy(*labels, d.Set)
	for _, k := range d.Remove {
		delete(*labels, k)
	}
}

// marked writes a mark, and removes what is left of an earlier one.
func marked(labels map[string]string, mark driver.Mark) map[string]string {
	out := driver.WithoutMark(labels)
	maps.Copy(out, mark.Labels())
	return out
}

// bucket returns the bucket of that name in whatever account, or nil.
func (c *Cloud) bucket(name string) *Bucket {
	if s := c.buckets[key{name: name}]; s != nil {
		return s.now
	}
	return nil
}

type bucketRequest = table.Request[v1alpha1.BucketParameters]

// buckets implements table.External.
type buckets struct{ session }

// Preview is what driver.Driver says of a preview.
func (buckets) Preview(from, to v1alpha1.BucketParameters, applied driver.Applied) []driver.Change {
	return bucketTable.Preview(&from, &to, applied, &Bucket{})
}

// bucketConsequences says what people should know before they create or delete a bucket.
func bucketConsequences() driver.Consequences {
	return driver.Consequences{Noun: "storage bucket", Contents: "all objects"}
}

// Docs returns what the reference says of each row.
func (buckets) Docs() []driver.Field { return bucketTable.Docs() }

func (s buckets) call(ctx context.Context, op Op, name string, act func(call *Call, h hits) error) error {
	return s.session.call(ctx, Call{Account: s.account, Op: op, Kind: KindBucket, Name: name}, act)
}

// own returns the bucket of that name; nil if there is none, and an error if it is another account's.
func (s buckets) own(call *Call) (*Bucket, error) {
	b := s.cloud.bucket(call.Name)
	if b != nil && b.Account != s.account {
		return nil, fail(call, driver.Denied, "the bucket belongs to another account")
	}
	return b, nil
}

// Observe implements table.External.
func (s buckets) Observe(ctx context.Context, req bucketRequest) (driver.Observation, error) {
	var obs driver.Observation
	err := s.call(ctx, OpObserve, req.Name, func(call *Call, h hits) error {
		b, err := s.own(call)
		if err != nil {
			return err
		}
		if slot := s.cloud.buckets[key{name: req.Name}]; h.main.Kind == Stale && slot != nil {
			b = slot.before
		}
		if b == nil {
			obs = driver.Observation{State: driver.Absent, Applied: bucketTable.Applied(&req.Spec, nil, nil)}
			return nil
		}
		obs = driver.Observation{
			State: driver.Ready, Available: true, ID: b.ID, Location: b.Location, Mark: driver.MarkFrom(b.Labels),
			Unreadable: h.unreadable(call),
			Endpoint:   driver.Endpoint{Bucket: b.Name, Region: b.Location, URL: "https://buckets.mem.invalid"},
		}
		return compare(bucketTable, &req, b, &obs)
	})
	return orZero(obs, err)
}

// Create implements table.External.
func (s buckets) Create(ctx context.Context, req bucketRequest) (driver.Result, error) {
	var result driver.Result
	err := s.call(ctx, OpCreate, req.Name, func(call *Call, _ hits) error {
		if b := s.cloud.bucket(req.Name); b != nil {
			return fail(call, driver.Conflict, "a bucket of that name exists")
		}
		b := &Bucket{
			Account: s.account, Name: req.Name, Location: s.locationOf(req.Spec.Location, req.Location),
			PublicAccess: v1alpha1.PublicAccessBlocked,
		}
		if err := bucketTable.Fill(&req.Spec, b); err != nil {
			return fail(call, driver.Invalid, "%v", err)
		}
		b.ID, b.Labels = s.cloud.next("bucket"), marked(b.Labels, req.Mark)
		at(s.cloud.buckets, key{name: req.Name}).put(b)
		result.ID = b.ID
		return nil
	})
	return orZero(result, err)
}

// Update implements table.External.
func (s buckets) Update(ctx context.Context, req bucketRequest, changes []driver.Change) (driver.Result, error) {
	var result driver.Result
	if possible, failed := sift(changes); len(possible) == 0 {
		return driver.Result{Failed: failed}, nil
	}
	err := s.call(ctx, OpUpdate, req.Name, func(call *Call, h hits) error {
		b, err := s.own(call)
		if err != nil {
			return err
		}
		if b == nil {
			return fail(call, driver.NotFound, "no such bucket")
		}
		next := b.clone()
		result.ID = b.ID
		result.Failed = apply(call, h, changes, func(c driver.Change) error {
			if c.Field == driver.FieldMark {
				next.Labels = marked(next.Labels, req.Mark)
				return nil
			}
			return bucketTable.Patch(&req.Spec, b, []driver.Change{c}, next)
		})
		at(s.cloud.buckets, key{name: req.Name}).put(next)
		return nil
	})
	return orZero(result, err)
}

// Delete implements table.External.
func (s buckets) Delete(ctx context.Context, req bucketRequest) (driver.Result, error) {
	done := driver.Result{}
	err := s.call(ctx, OpDelete, req.Name, func(call *Call, _ hits) error {
		b, err := s.own(call)
		if b == nil || err != nil {
			return err
		}
		force := req.Deletion != nil && req.Deletion.Force
		switch {
		case b.Objects > 0 && !force:
			return fail(call, driver.NotEmpty, "the bucket is not empty")
		case b.Objects > forceBatch:
			next := b.clone()
			next.Objects -= forceBatch
			at(s.cloud.buckets, key{name: req.Name}).put(next)
			done.Unfinished = true
		default:
			at(s.cloud.buckets, key{name: req.Name}).put(nil)
		}
		return nil
	})
	return orZero(done, err)
}
