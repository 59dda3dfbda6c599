package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	folders "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// buckets manages buckets of Cloud Storage.
type buckets struct {
	*session.Caller
	storage *storage.Client
	payers  sync.Map         // the names of the buckets whose calls have to name a project that pays
	bare    sync.Map         // the names of the buckets that are known to have no filter, since Mooring may see it
	folders *folders.Service // of Cloud Storage too: its newer client has no managed folders
}

type adapter = table.Adapter[v1alpha1.BucketParameters, bucket, parameters]

type request = table.Request[v1alpha1.BucketParameters]

// newAdapter returns what manages buckets. One read tells all of a bucket, and one patch, guarded by its metageneration, changes all.
func newAdapter(s *session.Session) *adapter {
	b := &buckets{Caller: s.To(api)}
	b.Made(b.connect())
	return &adapter{
		Table: fields, Lacks: lacks, Noun: "bucket", ReadCall: "buckets.get",
		Read: func(ctx context.Context, req *request, _ *driver.Observation) (*bucket, error) {
			ctx, filter := overhear(ctx)
			attrs, err := b.read(ctx, req)
			if err != nil || attrs == nil {
				return nil, session.UnlessNotFound(err)
			}
			return &bucket{BucketAttrs: *attrs, filter: filter.heard}, nil
		},
		State: b.state,
		Tags:  func(p *parameters) *table.Delta { return &p.Labels },
		Make:  b.create, Taken: insertion,
		Creatable: func(req *request) error { return checkNew(b.Session, req) },
		Parts: []table.Part[v1alpha1.BucketParameters, bucket, parameters]{
			{Write: b.patch, Taken: patch, Refuses: session.RefusesValue, Steps: true, Versioned: true},
			{Fields: []string{"gcp.iamBindings"}, Read: policies{b}.read, Write: policies{b}.write, Taken: table.Names{"IAMBindings"}, Blind: true},
			notificationPart(b),
			{Fields: filterFields, Hidden: filters{b}.hidden, Write: filters{b}.write, Taken: table.Names{"IPFilter"}, Follows: true}, // the last, as it may keep Mooring out
		},
		New:     &bucket{bindings: bindingsOf(nil), notifications: &[]notified{}},
		Guarded: true, Whole: session.RefusesAll,
		Listing: &table.Listing[bucket]{Read: b.list, Lacks: append([]string{"gcp.iamBindings", "gcp.notifications"}, filterFields...)},
		Remove:  b.remove,
	}
}

// namePatterns is what Cloud Storage asks of the name of a new bucket. https://cloud.google.com/storage/docs/buckets#naming
var namePatterns = []driver.NamePattern{
	{Match: `^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$`,
		Rule: "Cloud Storage accepts names of lower-case letters, digits, dots, hyphens and underscores that begin and end with a letter or digit"},
	{Match: `^[^.]{1,63}(\.[^.]{1,63})*$`, Rule: "Cloud Storage accepts names of 3 to 63 characters; in a name with dots, each part may have up to 63"},
	{Never: `^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$`, Rule: "Cloud Storage does not accept a name that looks like an IP address"},
	{Never: `^goog|g[o0][o0]g[l1]e`, Rule: `Cloud Storage does not accept a name that begins with "goog", or contains "google" or a close misspelling of it`},
}

// Kind is what the driver has of buckets.
var Kind = table.Kind[*session.Session]{
	Name: "Bucket",
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Google Cloud Storage", Name: driver.NameRule{MaxLength: 63, Patterns: namePatterns}, Fields: fields.Docs(), Lacks: lacks, Known: driver.Known{Locations: slices.Concat(resource.Regions, multiRegions)}, Consequences: consequences(), Restore: howToRestore,
			Capabilities: driver.Capabilities{Contents: true, List: true}, Ownership: driver.OwnedByTags,
			Connection: driver.Connection{Type: "gcs", Scheme: "gs"},
			Reserved:   []driver.Reserved{portable.LockedRetention("nobody can delete the objects before their period ends, nor the bucket with them, nor unlock the policy, and the project pays for them until then")},
			Exempt:     map[string]string{"forceDestroy": "it says how to delete the bucket, and is nothing that the bucket has"},
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, preview)
	},
	Check:   checkDraft,
	Tags:    resource.MostLabels,
	Handler: func(s *session.Session) table.Handler { return table.Handle(newAdapter(s)) },
}

// preview is what driver.Driver says of a preview.
func preview(from, to v1alpha1.BucketParameters, applied driver.Applied) []driver.Change {
	return fields.Preview(&from, &to, applied, &bucket{BucketAttrs: storage.BucketAttrs{RetentionPolicy: retentionIn(&from)}, filter: filterOf(&from).over(nil)})
}

// consequences says what people should know before they create or delete a bucket.
// https://cloud.google.com/storage/docs/soft-delete
func consequences() driver.Consequences {
	return driver.Consequences{Noun: "Cloud Storage bucket", Contents: "all objects and their old versions, of which soft delete keeps what the bucket's policy says"}
}

// howToRestore is how to restore a bucket. https://cloud.google.com/storage/docs/use-soft-deleted-buckets
const howToRestore = "restore it, which works as long as soft delete keeps the bucket and nobody has a bucket of its name: find its generation by " +
	"gcloud storage ls --buckets --soft-deleted --full, run gcloud storage restore gs://NAME#GENERATION, and restore its objects by the same command " +
	"(https://cloud.google.com/storage/docs/use-soft-deleted-buckets)"

// state is what a bucket says of itself.
func (b *buckets) state(_ *request, have *bucket, o *driver.Observation) {
	o.State, o.Available = driver.Ready, true
	o.ID, o.Mark, o.Location = idOf(&have.BucketAttrs), driver.MarkFrom(have.Labels), strings.ToLower(have.Location)
	o.Endpoint = driver.Endpoint{Name: have.Name, Region: o.Location, URL: b.URL()}
}

// create makes a bucket. All that is declared goes with the creation, the mark too.
func (b *buckets) create(ctx context.Context, req *request, params *parameters) (driver.Result, error) {
	location, err := b.LocationOf(req.Spec.Location, req.Location)
	if err != nil {
		return driver.Result{}, err
	}
	params.Location = location
	_, err = session.Do(ctx, b.Caller, "buckets.insert", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.storage.Bucket(req.Name).Create(ctx, b.Project, params.forCreate())
	})
	if err == nil && params.RequesterPays != nil && *params.RequesterPays {
		b.payers.Store(req.Name, true) // for the calls that follow the creation, before any read
	}
	if err == nil { // a new bucket has metageneration 1; what fails here is a difference that is observed, and told, next
		_ = b.lock(ctx, req.Name, 1, params)
	}
	return driver.Result{}, err
}

// patch changes a bucket, unless somebody else changed it since it was read. The lock of its retention comes after all else.
func (b *buckets) patch(ctx context.Context, req *request, have *bucket, params *parameters, changes []driver.Change) (string, error) {
	if err := cmp.Or(checkAutoclass(have, params), checkRetained(have, params)); err != nil {
		return "", err
	}
	metageneration := have.MetaGeneration
	if params.changesBesideLock(changes) {
		attrs, err := session.Do(ctx, b.Caller, "buckets.patch", func(ctx context.Context) (*storage.BucketAttrs, error) {
			guarded := b.handle(req.Name).If(storage.BucketConditions{MetagenerationMatch: have.MetaGeneration})
			return guarded.Update(ctx, params.forUpdate(have))
		})
		if err != nil {
			return "", err
		}
		metageneration = attrs.MetaGeneration
	}
	return "", b.lock(ctx, req.Name, metageneration, params)
}

// remove deletes a bucket. What soft delete keeps of the objects does not hold up the
// deletion: https://cloud.google.com/storage/docs/soft-delete
func (b *buckets) remove(ctx context.Context, req *request) (driver.Result, error) {
	err := b.deleteBucket(ctx, req)
	if driver.CodeOf(err) != driver.NotEmpty || req.Deletion == nil || !req.Deletion.Force {
		return driver.Result{}, session.Advise(err, "set spec.forceDestroy to true to delete its contents too, or empty it", driver.NotEmpty)
	}
	removed, emptied, err := b.purge(ctx, req)
	if err != nil {
		return driver.Result{}, err
	}
	unfinished := driver.Result{Unfinished: true, Removed: removed}
	if !emptied {
		return unfinished, nil
	}
	err = b.deleteBucket(ctx, req)
	if driver.CodeOf(err) == driver.NotEmpty { // objects are gone, and managed folders are seen now
		return unfinished, nil
	}
	return driver.Result{}, err
}

// deleteBucket deletes an empty bucket; one that is gone is no error.
func (b *buckets) deleteBucket(ctx context.Context, req *request) error {
	name := req.Name
	_, err := paying(b, name, func() (struct{}, error) {
		return session.Do(ctx, b.Caller, "buckets.delete", func(ctx context.Context) (struct{}, error) {
			return struct{}{}, b.handle(name).Delete(ctx)
		})
	})
	switch driver.CodeOf(err) {
	case driver.NotFound:
		return nil
	case driver.Conflict:
		return b.whyNotDeleted(ctx, req, err)
	}
	return err
}

// whyNotDeleted tells a bucket that is not empty from one that somebody changes at the same time: Cloud
// Storage has one reason for both.
func (b *buckets) whyNotDeleted(ctx context.Context, req *request, refusal error) error {
	e := &driver.Error{Code: driver.NotEmpty, Op: "buckets.delete", Message: "the bucket is not empty", Err: errors.Unwrap(refusal)}
	objects, _, err := b.listVersions(ctx, req.Name, 1)
	if err != nil || len(objects) > 0 {
		return e
	}
	managed, _, err := b.listFolders(ctx, req.Name, 1)
	var inside []string
	if err == nil && len(managed) == 0 {
		inside, _, err = hierarchyOf(b, req).list(ctx, 1)
	}
	switch {
	case err != nil:
		return err
	case len(managed) > 0:
		e.Message = "the bucket has no objects, but managed folders"
	case len(inside) > 0:
		e.Message = "the bucket has no objects, but folders"
	default:
		e.Code, e.Message = driver.Busy, "the bucket is empty, but Cloud Storage does not delete it now"
	}
	return e
}

func (b *buckets) read(ctx context.Context, req *request) (*storage.BucketAttrs, error) {
	attrs, err := billing{b}.attributes(ctx, req, func() (*storage.BucketAttrs, error) {
		return session.Do(ctx, b.Caller, "buckets.get", func(ctx context.Context) (*storage.BucketAttrs, error) {
			return b.handle(req.Name).Attrs(ctx)
		})
	})
	if attrs != nil {
		forgetFutureLock(attrs, b.Now())
	}
	switch {
	case err == nil && !attrs.RequesterPays:
		b.payers.Delete(req.Name)
	case b.payer(req.Name) != "":
		return attrs, session.Advise(err, payerAdvice, driver.Denied)
	}
	return attrs, session.Advise(err, "either the credentials lack storage.buckets.get, or the bucket belongs to somebody else, because all of Google Cloud shares names; in that case choose another spec.externalName", driver.Denied)
}

// idOf tells a bucket from a later one of the same name. Cloud Storage gives buckets no id of their
// own; the time of creation does as well.
func idOf(attrs *storage.BucketAttrs) string {
	return attrs.Created.UTC().Format(time.RFC3339Nano)
}

// list returns a page of the project's buckets in all locations, with all that a read of one bucket has. Cloud Storage has no filter by
// labels. The permission is storage.buckets.list for the project, and storage.buckets.getIamPolicy, because Google's library asks for
// the full projection. https://cloud.google.com/storage/docs/json_api/v1/buckets/list
func (b *buckets) list(ctx context.Context, req driver.ListRequest) ([]table.Found[bucket], string, error) {
	type page struct {
		found []table.Found[bucket]
		next  string
	}
	p, err := session.Do(ctx, b.Caller, "buckets.list", func(ctx context.Context) (p page, err error) {
		it := b.storage.Buckets(ctx, b.Project)
		it.PageInfo().Token, it.PageInfo().MaxSize = req.Page, session.ListPage
		for more := true; more; more = it.PageInfo().Remaining() > 0 { // what came with the first answer
			attrs, err := it.Next()
			if errors.Is(err, iterator.Done) {
				break
			}
			if err != nil {
				return page{}, err
			}
			forgetFutureLock(attrs, b.Now())
			p.found = append(p.found, table.Found[bucket]{Name: attrs.Name, Have: &bucket{BucketAttrs: *attrs}})
		}
		p.next = it.PageInfo().Token
		return p, nil
	})
	return p.found, p.next, err
}

// connect makes the clients.
func (b *buckets) connect() (err error) {
	options := b.Options("/storage/v1/")
	if b.folders, err = folders.NewService(context.Background(), options...); err != nil {
		return err
	}
	if client := b.HTTPClient(); client != nil {
		options = append(options, option.WithHTTPClient(&http.Client{Transport: &overhearing{client.Transport}}))
	}
	if b.storage, err = storage.NewClient(context.Background(), append(options, storage.WithDisabledClientMetrics())...); err != nil {
		return err
	}
	// Each call is made once. Who calls again, and when, is for the controller to say: it knows the
	// budget of the account, and looks before it writes.
	b.storage.SetRetry(storage.WithPolicy(storage.RetryNever))
	return nil
}
