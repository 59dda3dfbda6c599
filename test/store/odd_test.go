package store_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/store"
)

type request = table.Request[v1alpha1.BucketParameters]

// An altered store is versitygw behind a front that makes it differ as others do.
type altered struct {
	*store.Store
	front   *store.Front
	now     time.Time
	buckets table.External[v1alpha1.BucketParameters]
}

func newAltered(t *testing.T, o store.Options) *altered {
	t.Helper()
	s := store.Start(t, o)
	w := &altered{Store: s, front: store.NewFront(t, s), now: time.Now()}
	owner := store.Tenant
	if o.NoTags {
		owner = store.Root // to whom all belongs whose owner is not written down either
	}
	w.buckets = table.Of[v1alpha1.BucketParameters](w.open(t, owner), "Bucket")
	return w
}

func (w *altered) open(t *testing.T, owner string) driver.Session {
	t.Helper()
	session, err := aws.New(aws.Options{Now: func() time.Time { return w.now }}).Open(t.Context(), driver.Opening{
		Config: driver.Config{Account: w.Account(), Location: w.Region, Endpoint: w.front.Endpoint}, Credentials: w.Keys(owner),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Identity(t.Context()); err != nil {
		t.Fatal(err)
	}
	return session
}

func asked(name string, spec v1alpha1.BucketParameters) request {
	var req request
	req.Name, req.Spec, req.Mark = name, spec, driver.Mark{Cluster: "c1", Namespace: "shop", Name: name, UID: "u1"}
	return req
}

// calls returns the calls since before, as METHOD about.
func (w *altered) calls(before int) (all []string) {
	for _, c := range w.front.Calls()[before:] {
		all = append(all, strings.TrimSpace(c.Method+" "+c.About))
	}
	return all
}

// A bucket gets its mark however a store takes tags: with the creation, ignored there (as the sources of MinIO do), or refused there (as those of Ceph do).
// Where it takes no Object Lock either, the bucket is made without, and the retention is what the store lacks.
func TestMarkOfANewBucket(t *testing.T) {
	for name, tt := range map[string]struct {
		faults []store.Fault
		want   []string
	}{
		"with the creation": {nil, []string{"GET tagging", "PUT", "GET tagging"}},
		"tags are malformed": {[]store.Fault{{Writes: true, Says: "<Tags>", Status: 400, Code: "MalformedXML"}},
			[]string{"GET tagging", "PUT", "PUT", "GET tagging", "PUT tagging", "GET tagging"}},
		"tags are not implemented": {[]store.Fault{{Writes: true, Says: "<Tags>", Status: 501, Code: "NotImplemented"}},
			[]string{"GET tagging", "PUT", "PUT", "GET tagging", "PUT tagging", "GET tagging"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newAltered(t, store.Options{})
			for _, f := range tt.faults {
				t.Cleanup(w.front.Fail(f))
			}
			req, before := asked("photos", v1alpha1.BucketParameters{}), len(w.front.Calls())
			if _, err := w.buckets.Create(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, w.calls(before)); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if seen, err := w.buckets.Observe(t.Context(), req); err != nil || seen.Mark != req.Mark {
				t.Errorf("the mark is %+v, %v", seen.Mark, err)
			}
		})
	}
}

// A store that answers well and keeps no tags, or does not let them be written, leaves a bucket without a mark: that is said, and not that nothing was made.
func TestMarkThatIsNotKept(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T) *altered{
		"tags are forgotten": func(t *testing.T) *altered { return newAltered(t, store.Options{NoTags: true}) },
		"tags are denied": func(t *testing.T) *altered {
			w := newAltered(t, store.Options{})
			t.Cleanup(w.front.Fail(store.Fault{Writes: true, Says: "<Tags>", Status: 400, Code: "MalformedXML"}))
			t.Cleanup(w.front.Fail(store.Fault{Writes: true, About: "tagging", Status: 403, Code: "AccessDenied"}))
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := prepare(t)
			req := asked("photos", v1alpha1.BucketParameters{})
			_, err := w.buckets.Create(t.Context(), req)
			if driver.CodeOf(err) != driver.Internal || !strings.Contains(err.Error(), "can't mark it as its own") {
				t.Errorf("got %v (%v)", err, driver.CodeOf(err))
			}
			if seen, err := w.buckets.Observe(t.Context(), req); err != nil || seen.State != driver.Ready || !seen.Mark.Zero() {
				t.Errorf("afterwards: %v with mark %+v, %v", seen.State, seen.Mark, err)
			}
		})
	}
}

// A store that takes tags and can't be asked for them loses none: what is there can't be kept, so nothing is written.
func TestTagsThatCannotBeRead(t *testing.T) {
	w := newAltered(t, store.Options{})
	client := w.Client(store.Tenant)
	store.Do(t, client.CreateBucket, &s3.CreateBucketInput{Bucket: new("theirs")})
	(&backdoor{s3: client}).relabel(t, "theirs", map[string]string{"theirs": "1"})
	t.Cleanup(w.front.Fail(store.Fault{Reads: true, About: "tagging", Status: 501, Code: "NotImplemented"}))
	req := asked("theirs", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}})
	seen, err := w.buckets.Observe(t.Context(), req)
	if err != nil || len(seen.Changes) == 0 {
		t.Fatalf("differs in %v, %v", seen.Changes, err)
	}
	result, err := w.buckets.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err == nil && (len(result.Failed) == 0 || driver.CodeOf(result.Failed[0].Err) != driver.Unsupported) {
		t.Errorf("the update is done: %+v", result)
	}
	if tags := (&backdoor{s3: client}).labels(t, "theirs"); len(tags) != 1 || tags["theirs"] != "1" {
		t.Errorf("the bucket has the tags %v", tags)
	}
}

// Without Object Lock in the store, a bucket with a retention is made all the same, and the retention is what fails.
func TestRetentionInAStoreWithoutObjectLock(t *testing.T) {
	w := newAltered(t, store.Options{})
	t.Cleanup(w.front.Fail(store.Fault{Reads: true, Writes: true, About: "object-lock", Status: 501, Code: "NotImplemented"}))
	req := asked("photos", v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{Days: new(int32(7))}})
	if _, err := w.buckets.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	seen, err := w.buckets.Observe(t.Context(), req)
	if err != nil || len(seen.Unreadable) != 1 || seen.Unreadable[0].Field != "retention.days" || driver.CodeOf(seen.Unreadable[0].Err) != driver.Unsupported {
		t.Errorf("got %+v, %v", seen.Unreadable, err)
	}
}

// Only the exact answers of a store say that it lacks something. What a proxy says, and what fails, is never that, and never that nothing is set.
func TestWhatALackIs(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		code   string
		want   driver.Code
	}{
		"not implemented":          {501, "NotImplemented", driver.Unsupported},
		"method not allowed":       {405, "MethodNotAllowed", driver.Unsupported},
		"no folder for versions":   {501, "VersioningNotConfigured", driver.Unsupported},
		"bad, and not implemented": {400, "NotImplemented", driver.Unsupported},
		"501 of a proxy":           {501, "", driver.Unavailable},
		"405 of a proxy":           {405, "", driver.Internal},
		"bad":                      {400, "InvalidRequest", driver.Invalid},
		"denied":                   {403, "AccessDenied", driver.Denied},
		"a failure":                {500, "InternalError", driver.Unavailable},
		"busy":                     {503, "SlowDown", driver.Throttled},
	} {
		t.Run(name, func(t *testing.T) {
			w := newAltered(t, store.Options{})
			req := asked("photos", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningSuspended)})
			if _, err := w.buckets.Create(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.front.Fail(store.Fault{Reads: true, About: "versioning", Status: tt.status, Code: tt.code}))
			seen, err := w.buckets.Observe(t.Context(), req)
			if err != nil || len(seen.Unreadable) != 1 || driver.CodeOf(seen.Unreadable[0].Err) != tt.want {
				t.Errorf("got %+v, %v, want %v", seen.Unreadable, err, tt.want)
			}
			if strings.Contains(string(seen.Mirror), "versioning") {
				t.Errorf("the mirror shows what was not read: %s", seen.Mirror)
			}
		})
	}
}

// A store without versions says so in its own code, and nothing else of the bucket is kept from being set.
func TestVersioningInAStoreWithoutVersions(t *testing.T) {
	w := newAltered(t, store.Options{NoVersions: true})
	req := asked("photos", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled), CORS: []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}}})
	if _, err := w.buckets.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	seen, err := w.buckets.Observe(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	done, err := w.buckets.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err != nil {
		t.Fatal(err)
	}
	wrong := append(seen.Unreadable, done.Failed...)
	if len(wrong) != 1 || wrong[0].Field != "versioning" || driver.CodeOf(wrong[0].Err) != driver.Unsupported {
		t.Errorf("got %+v", wrong)
	}
	if seen, err := w.buckets.Observe(t.Context(), req); err != nil || len(seen.Changes) > 1 {
		t.Errorf("then %+v differs, %v", seen.Changes, err)
	}
}

// A store may answer a read as if nothing was set, and lack the write, as the sources of MinIO do. The same write is not sent again, and another one is.
func TestAWriteThatAStoreLacks(t *testing.T) {
	w := newAltered(t, store.Options{})
	t.Cleanup(w.front.Fail(store.Fault{Writes: true, About: "website", Status: 501, Code: "NotImplemented"}))
	req := asked("photos", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled), Website: &v1alpha1.BucketWebsite{IndexDocument: new("index.html")}})
	if _, err := w.buckets.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	writes := func() int {
		before := len(w.front.Calls())
		seen, err := w.buckets.Observe(t.Context(), req)
		if err != nil || len(seen.Unreadable) > 0 {
			t.Fatal(err, seen.Unreadable)
		}
		done, err := w.buckets.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
		if err != nil || len(done.Failed) != 1 || done.Failed[0].Field != "website.indexDocument" || driver.CodeOf(done.Failed[0].Err) != driver.Unsupported {
			t.Errorf("failed: %+v, %v", done.Failed, err)
		}
		return count(w.front.Calls()[before:], func(c store.Call) bool { return c.About == "website" && c.Write() })
	}
	first, second := writes(), writes()
	req.Spec.Website.IndexDocument = new("home.html")
	if got, want := []int{first, second, writes(), writes()}, []int{0, 0, 1, 0}; !cmp.Equal(got, want) { // the creation has tried it already
		t.Errorf("writes are %v, want %v", got, want)
	}
}

// A store is asked again for what it lacks after a minute, because the answer may have been a slip, and then after an hour: it may be a newer release by then.
func TestALackIsRememberedForAnHour(t *testing.T) {
	w := newAltered(t, store.Options{})
	req := asked("photos", v1alpha1.BucketParameters{RequesterPays: new(true)})
	if _, err := w.buckets.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	looks := func() int {
		before := len(w.front.Calls())
		if _, err := w.buckets.Observe(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		return count(w.front.Calls()[before:], func(c store.Call) bool { return c.About == "requestPayment" })
	}
	got := []int{looks(), looks()}
	for _, passes := range []time.Duration{59 * time.Second, 2 * time.Second, 59 * time.Minute, 2 * time.Minute, 59 * time.Minute, 2 * time.Minute} {
		w.now = w.now.Add(passes)
		got = append(got, looks())
	}
	if want := []int{1, 0, 0, 1, 0, 1, 0, 1}; !cmp.Equal(got, want) {
		t.Errorf("calls are %v, want %v", got, want)
	}
}

// Each call says whose bucket it expects: a bucket of another owner is out of reach, even for who may use it.
func TestExpectedOwner(t *testing.T) {
	w := newAltered(t, store.Options{})
	if _, err := w.buckets.Create(t.Context(), asked("photos", v1alpha1.BucketParameters{})); err != nil {
		t.Fatal(err)
	}
	root := table.Of[v1alpha1.BucketParameters](w.open(t, store.Root), "Bucket") // who may do everything in versitygw
	if _, err := root.Observe(t.Context(), asked("photos", v1alpha1.BucketParameters{})); driver.CodeOf(err) != driver.Denied {
		t.Errorf("Observe: got %v, want Denied", err)
	}
	deleted := asked("photos", v1alpha1.BucketParameters{})
	deleted.Deletion = &driver.Deletion{}
	if _, err := root.Delete(t.Context(), deleted); driver.CodeOf(err) != driver.Denied {
		t.Errorf("Delete: got %v, want Denied", err)
	}
	store.Do(t, w.Client(store.Tenant).HeadBucket, &s3.HeadBucketInput{Bucket: new("photos")})
}

// The names of buckets stand in the host name where the config says so.
func TestAddressing(t *testing.T) {
	for addressing, want := range map[v1alpha1.S3Addressing]string{"": "store.example.com:80", v1alpha1.S3AddressingPath: "store.example.com:80", v1alpha1.S3AddressingVirtualHost: "photos.store.example.com:80"} {
		called := ""
		transport := &http.Transport{DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			called = address
			return nil, net.ErrClosed
		}}
		session, err := aws.New(aws.Options{HTTPClient: &http.Client{Transport: transport}}).Open(t.Context(), driver.Opening{
			Config: driver.Config{Location: "us-east-1", Endpoint: "http://store.example.com", Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{
				Region: "us-east-1", S3Compatible: &v1alpha1.S3CompatibleStore{Addressing: addressing}}}},
			Credentials: (&store.Store{}).Keys(store.Tenant),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Of[v1alpha1.BucketParameters](session, "Bucket").Observe(t.Context(), asked("photos", v1alpha1.BucketParameters{})); err == nil || called != want {
			t.Errorf("%q: called %q, want %q; %v", addressing, called, want, err)
		}
	}
}
