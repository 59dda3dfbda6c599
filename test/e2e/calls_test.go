package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// What an object costs in calls, by the ledger: until it is as declared, to look at it again, and to delete it; and in requests to
// Kubernetes, by its audit log. Nothing is looked at here by the clock, and clouds take no time, so that the numbers are exact.
func TestCallsOfALife(t *testing.T) {
	t.Parallel()
	s := newIdleEnvironment(t, localcloud.Options{ListenersOnly: true, InstanceQuota: -1}, 1)
	s.StartManager(t, controllers.Options{SyncPeriod: 24 * time.Hour}, nil)
	w := s.fixture(t)
	bucket := []string{"patch buckets", "patch buckets/status", "patch buckets/status"}
	database := []string{
		"get secrets login", "patch databases", "patch databases/status", "create secrets password", // before the server is created
		"get secrets password", "create secrets login", "patch databases/status",
	}
	recheck := []string{"get secrets login"}
	for _, tt := range []struct {
		name, cloud string
		object      func(*fixture, *system.Cloud) client.Object
		// create and recheck are how many calls it takes; delete are the calls up to that which deletes.
		create, recheck int
		delete          string
		// group and groupAgain are the calls by the name of its DB parameter group, likewise.
		group, groupAgain int
		// requests are those to Kubernetes until it is as declared, again those to look at it again.
		requests []string
		again    []string
	}{
		{ // eighteen aspects: those are written that a new bucket has otherwise, and only the others are read after that. A re-check reads each
			name: "bucket", cloud: "aws", create: 22, recheck: 19, delete: "GetBucketTagging DeleteBucket", requests: bucket,
			object: func(w *fixture, c *system.Cloud) client.Object {
				return throughOpenClass(w, c, w.bucket(c, "aws-full", system.FullBucket(c)))
			},
		},
		{
			name: "bare bucket", cloud: "aws", create: 3, recheck: 1, delete: "GetBucketTagging DeleteBucket", requests: bucket,
			object: func(w *fixture, c *system.Cloud) client.Object {
				return w.bucket(c, "aws-bare", v1alpha1.BucketParameters{})
			},
		},
		{
			name: "bucket", cloud: "gcp", create: 6, recheck: 3, // bindings and notifications have reads of their own, and the filter a write
			delete: "buckets.get buckets.delete", requests: bucket,
			object: func(w *fixture, c *system.Cloud) client.Object {
				return throughOpenClass(w, c, w.bucket(c, "gcp-full", system.FullBucket(c)))
			},
		},
		{
			name: "database", cloud: "aws", create: 3, recheck: 1, delete: "DescribeDBInstances DeleteDBInstance", requests: database, again: recheck,
			object: func(w *fixture, c *system.Cloud) client.Object {
				return connected(throughOpenClass(w, c, w.database(c, "aws", system.FullDatabase(c))))
			},
		},
		{
			name: "bare database", cloud: "gcp", create: 4, recheck: 2, // for who asks, its administrator is looked for
			delete: "instances.get instances.delete", requests: database, again: recheck,
			object: func(w *fixture, c *system.Cloud) client.Object {
				return connected(w.database(c, "gcp-bare", system.MinimalDatabase(c)))
			},
		},
		{ // its parameters are a call more, by the name of its DB parameter group, and so is its deletion: it may be about the group only by now
			name: "database with parameters", cloud: "aws", create: 3, recheck: 1, delete: "DescribeDBInstances DescribeDBInstances DeleteDBInstance", requests: database, again: recheck, group: 3, groupAgain: 1,
			object: func(w *fixture, c *system.Cloud) client.Object { return connected(w.parametrised(c, "aws-parameters")) },
		},
		{ // its initial database has a call of its own, which has to wait for the server: before it the server's id is stored. Who asks has that looked for, too
			name: "database", cloud: "gcp", create: 8, recheck: 3, delete: "instances.get instances.delete",
			requests: slices.Concat(database[:5], []string{"patch databases/status", "get secrets password"}, database[5:]), again: recheck,
			object: func(w *fixture, c *system.Cloud) client.Object {
				return connected(throughOpenClass(w, c, w.database(c, "gcp", system.FullDatabase(c))))
			},
		},
	} {
		w.run(tt.cloud+" "+tt.name, func(w *fixture) {
			c := system.NewCloud(s.Cloud, tt.cloud)
			o := tt.object(w, c)
			since := w.requests(o)
			w.create(o)
			name := w.ready(o).Status.ExternalName
			w.Eventually("the last write is answered", func() bool { return len(since()) >= len(tt.requests) })
			if got := since(); !slices.Equal(got, tt.requests) {
				w.Errorf("the requests to Kubernetes until it was as declared are %q, want %q", got, tt.requests)
			}
			calls := func() (made []string) {
				for _, call := range c.Ledger.Calls(localcloud.Filter{Resource: name}) {
					made = append(made, call.Operation)
				}
				return made
			}
			ofGroup := func() int { return w.callsForGroups(c, name) }
			if got := ofGroup(); got != tt.group {
				w.Errorf("it took %d calls by its group until it was as declared, want %d", got, tt.group)
			}
			created := calls()
			until := created
			if again := len(created) - tt.recheck; tt.recheck > 1 && again == tt.create && slices.Contains([]string{"GetBucketTagging", "buckets.get"}, created[again]) {
				until = created[:again] // on a busy machine its class may be read late, and it is looked at once more
			}
			if len(until) != tt.create {
				w.Errorf("it took %d calls until it was as declared, want %d: %q", len(created), tt.create, created)
			}
			since = w.requests(o)
			edit(w, o, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationReconcile: "now"}) })
			w.Eventually("it is looked at", func() bool {
				return len(calls()) >= len(created)+tt.recheck && ofGroup() >= tt.group+tt.groupAgain && len(since()) >= len(tt.again)
			})
			if got := since(); !slices.Equal(got, tt.again) {
				w.Errorf("the requests to Kubernetes to look at it again are %q, want %q", got, tt.again)
			}
			if got := ofGroup() - tt.group; got != tt.groupAgain {
				w.Errorf("it took %d calls by its group to look at it again, want %d", got, tt.groupAgain)
			}
			w.delete(o)
			w.awaitDeleted(o)
			got := strings.Join(calls()[len(created)+tt.recheck:], " ")
			if !strings.HasPrefix(got, tt.delete+" ") {
				w.Errorf("after %d calls to look at it again, it is deleted by %q, want %q first", tt.recheck, got, tt.delete)
			}
		})
	}
}

// requests returns a function that returns the requests which Mooring has made to Kubernetes for an object since now. The object must be
// the only one in its namespace. Watches are left out: they are for all objects, and each ends and begins again now and then.
func (w *fixture) requests(o client.Object) func() []string {
	w.Helper()
	mark, err := w.Cluster.Audit().Mark()
	w.Must(err)
	return func() (made []string) {
		w.Helper()
		all, err := w.Cluster.Audit().Since(mark)
		w.Must(err)
		for _, r := range all.Where(cluster.By(system.Installed)) {
			of := r.Name
			switch {
			case of == "password-"+string(o.GetUID()):
				of = "password"
			case r.Namespace != w.Namespace, r.Verb == "watch":
				continue
			case aboutAnother(r, o): // the end of the object before, logged late
				continue
			case of == o.GetName():
				of = ""
			}
			made = append(made, strings.TrimSpace(strings.TrimSuffix(r.Verb+" "+r.Resource+"/"+r.Subresource, "/")+" "+of))
		}
		return made
	}
}

// aboutAnother reports whether a request is about another object, by its own name or that of an Event.
func aboutAnother(r cluster.Request, o client.Object) bool {
	switch r.Resource {
	case "buckets", "databases":
		return r.Name != "" && r.Name != o.GetName() // a list has no name, and is always told
	case "events":
		return !strings.HasPrefix(r.Name, o.GetName()+".")
	default:
		return false
	}
}

// connected has a connection Secret, and can be deleted.
func connected(d *v1alpha1.Database) *v1alpha1.Database {
	system.Connect(d, "login")
	d.Spec.DeletionProtection = new(false)
	return d
}
