package alerts

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard())
	os.Exit(cluster.Run(m))
}

// An environment is what all causes share, one after the other.
type environment struct {
	*system.Environment
	user *rest.Config
	// aws is what people do in AWS beside Mooring.
	aws *system.Cloud
	// cloudClock is the cloud's.
	cloudClock system.Clock
	// metricsSeen are the labels of the metrics that managers of the environment have shown.
	metricsSeen map[string][]string
}

func newEnvironment(t *testing.T) *environment {
	t.Helper()
	const short = 50 * time.Millisecond
	s := &environment{metricsSeen: map[string][]string{}}
	s.Environment = system.NewEnvironment(t, cluster.Options{}, localcloud.Options{
		ListenersOnly: true, InstanceQuota: -1, Now: s.cloudClock.Now, MetricDelay: -1, Durations: localcloud.Durations{Create: short, Modify: short, Delete: short, Snapshot: short},
	})
	var err error
	if s.user, err = s.Cluster.User(system.User, cluster.Administrators); err != nil {
		t.Fatal(err)
	}
	s.aws = system.NewCloud(s.Cloud, "aws")
	return s
}

// A fixture is a namespace, a manager and its clock, for one cause.
type fixture struct {
	*system.Fixture
	of      *environment
	manager *system.Manager
	// clock is the manager's.
	clock system.Clock
	// broken: the API server refuses to store statuses. slow: it takes its time.
	broken, slow atomic.Bool
	// ended is closed when the fixture ends: nobody waits for an answer any more.
	ended chan struct{}
}

func (s *environment) fixture(t *testing.T, namespace string) *fixture {
	t.Helper()
	c := &fixture{
		Fixture: &system.Fixture{T: t, Environment: s.Environment, Namespace: namespace}, of: s, ended: make(chan struct{}),
	}
	c.Must(s.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	t.Cleanup(c.end)
	return c
}

// stopCloudClock stops the cloud's clock until the fixture ends: nothing is finished there any more.
func (c *fixture) stopCloudClock() {
	c.of.cloudClock.Stop()
	c.Cleanup(c.of.cloudClock.Resume)
}

// end takes all away that the next fixture could see. What is in the cloud stays there; nobody looks at it any more.
func (c *fixture) end() {
	c.Cloud.Faults.Reset()
	close(c.ended)
	ctx := context.WithoutCancel(c.Context())
	if c.manager != nil {
		c.manager.Kill()
	}
	for _, list := range []client.ObjectList{&v1alpha1.BucketList{}, &v1alpha1.DatabaseList{}} {
		c.Must(c.Client.List(ctx, list, client.InNamespace(c.Namespace)))
		objects, err := meta.ExtractList(list)
		c.Must(err)
		for _, o := range objects {
			object := o.(client.Object)
			before := object.DeepCopyObject().(client.Object)
			object.SetFinalizers(nil)
			c.Must(client.IgnoreNotFound(c.Client.Patch(ctx, object, client.MergeFrom(before))))
			c.Must(client.IgnoreNotFound(c.Client.Delete(ctx, object)))
		}
	}
}

// start starts the fixture's manager.
func (c *fixture) start(o controllers.Options, mo controllers.ManagerOptions) {
	c.Helper()
	life := &system.KillSwitch{}
	o.Drivers, o.Now, o.MetricsObjectLimit = c.Drivers(life, time.Minute), c.clock.Now, 1000
	if o.SyncPeriod == 0 {
		o.SyncPeriod = 2 * time.Second
	}
	if o.Workers == 0 {
		o.Workers = 8
	}
	o.ConsistencyWindow = 300 * time.Millisecond
	cfg := rest.CopyConfig(c.of.user)
	cfg.Wrap(c.disturbRequests)
	var err error
	c.manager, err = system.Start(c.Context(), cfg, life, o, mo)
	c.Must(err)
	if mo.Lease == nil {
		c.Eventually("it leads", func() bool { return c.scrape().sum("mooring_leader", "") == 1 })
	}
}

// disturbRequests makes the API server refuse or delay requests.
func (c *fixture) disturbRequests(next http.RoundTripper) http.RoundTripper {
	return system.RoundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPatch && c.broken.Load() {
			return &http.Response{
				StatusCode: http.StatusInternalServerError, Header: http.Header{}, Body: http.NoBody, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			}, nil
		}
		if r.Method == http.MethodPatch && c.slow.Load() {
			select {
			case <-r.Context().Done():
			case <-c.ended:
			}
			return nil, errors.New("no answer")
		}
		return next.RoundTrip(r)
	})
}

// scrape returns what the manager shows; nothing if it has ended.
func (c *fixture) scrape() scrape {
	c.Helper()
	if c.manager.Ended() {
		return newScrape(c.clock.Now(), nil)
	}
	families, err := prometheus.Gatherers{c.manager.Metrics, metrics.Registry}.Gather()
	c.Must(err)
	for _, f := range families {
		labels := []string{}
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		c.of.metricsSeen[f.GetName()] = labels
	}
	return newScrape(c.clock.Now(), families)
}

func ref(config string) *v1alpha1.ProviderConfigReference {
	return &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: config}
}

// bucket makes a bucket in AWS.
func (c *fixture) bucket(name string, change func(*v1alpha1.Bucket)) *v1alpha1.Bucket {
	c.Helper()
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: name}}
	b.Spec.ProviderConfigRef = ref("aws")
	b.Spec.Tags = map[string]v1alpha1.TagValue{"team": "a"}
	if change != nil {
		change(b)
	}
	c.Must(c.Client.Create(c.Context(), b))
	return b
}

// database makes a database in AWS.
func (c *fixture) database(name string, change func(*v1alpha1.Database)) *v1alpha1.Database {
	c.Helper()
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: name}}
	d.Spec.ProviderConfigRef, d.Spec.DeletionPolicy = ref("aws"), v1alpha1.DeletionDelete
	d.Spec.Engine, d.Spec.AWS = new(v1alpha1.EnginePostgres), &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
	if change != nil {
		change(d)
	}
	c.Must(c.Client.Create(c.Context(), d))
	return d
}

// delete deletes an object, and waits for its end if that is to come.
func (c *fixture) delete(o client.Object, ends bool) {
	c.Helper()
	c.Must(c.Client.Delete(c.Context(), o))
	if ends {
		c.Eventually(o.GetName()+" is gone", func() bool {
			return apierrors.IsNotFound(c.Client.Get(c.Context(), client.ObjectKeyFromObject(o), o))
		})
	}
}
