package alerts

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
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

// patience is how long anything may take on a machine that others use too.
const patience = time.Minute

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// A stage is what all causes share, one after the other.
type stage struct {
	*system.Environment
	user *rest.Config
	s3   *s3.Client
	rds  *rds.Client
	// stopped is where the cloud's clock stands, in Unix nanoseconds; 0 if it goes.
	stopped atomic.Int64
	// seen are the labels of the metrics that managers of the stage have shown.
	seen map[string][]string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	const short = 50 * time.Millisecond
	s := &stage{seen: map[string][]string{}}
	s.Environment = system.NewEnvironment(t, cluster.Options{}, localcloud.Options{
		ListenersOnly: true, InstanceQuota: -1, Now: s.cloudNow, Durations: localcloud.Durations{Create: short, Modify: short, Delete: short, Snapshot: short},
	})
	var err error
	if s.user, err = s.Cluster.User(system.User, cluster.Administrators); err != nil {
		t.Fatal(err)
	}
	id, secret := s.Cloud.AWSKeys(system.AWSAccount)
	cfg := awssdk.Config{
		Region: system.AWSRegion, Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""), BaseEndpoint: awssdk.String(s.Cloud.AWSEndpoint()),
	}
	s.s3, s.rds = s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true }), rds.NewFromConfig(cfg)
	return s
}

func (s *stage) cloudNow() time.Time {
	if at := s.stopped.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Now()
}

// A scene is a namespace, a manager and its clock, for one cause.
type scene struct {
	*testing.T
	*stage
	namespace string
	manager   *system.Manager
	// ahead is how far the manager's clock is ahead.
	ahead atomic.Int64
	// broken: the API server refuses to store statuses. slow: it takes its time.
	broken, slow atomic.Bool
	// over is closed when the scene ends: nobody waits for an answer any more.
	over chan struct{}
}

func (s *stage) scene(t *testing.T, namespace string) *scene {
	t.Helper()
	c := &scene{T: t, stage: s, namespace: namespace, over: make(chan struct{})}
	c.must(s.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	t.Cleanup(c.end)
	return c
}

// stop stops the cloud's clock until the scene ends: nothing is finished there any more.
func (c *scene) stop() {
	c.stopped.Store(time.Now().UnixNano())
	c.Cleanup(func() { c.stopped.Store(0) })
}

// end takes all away that the next scene could see. What is in the cloud stays there; nobody looks at it any more.
func (c *scene) end() {
	c.Cloud.Faults.Reset()
	close(c.over)
	ctx := context.WithoutCancel(c.Context())
	if c.manager != nil {
		c.manager.Kill()
	}
	for _, list := range []client.ObjectList{&v1alpha1.BucketList{}, &v1alpha1.DatabaseList{}} {
		c.must(c.Client.List(ctx, list, client.InNamespace(c.namespace)))
		objects, err := meta.ExtractList(list)
		c.must(err)
		for _, o := range objects {
			object := o.(client.Object)
			before := object.DeepCopyObject().(client.Object)
			object.SetFinalizers(nil)
			c.must(client.IgnoreNotFound(c.Client.Patch(ctx, object, client.MergeFrom(before))))
			c.must(client.IgnoreNotFound(c.Client.Delete(ctx, object)))
		}
	}
}

func (c *scene) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// start starts the scene's manager.
func (c *scene) start(o controllers.Options, mo controllers.ManagerOptions) {
	c.Helper()
	life := &system.KillSwitch{}
	o.Drivers, o.Now, o.MetricsObjectLimit = c.Drivers(life, 5*time.Second), c.now, 1000
	if o.SyncPeriod == 0 {
		o.SyncPeriod = 2 * time.Second
	}
	if o.Workers == 0 {
		o.Workers = 8
	}
	o.Settle = 300 * time.Millisecond
	cfg := rest.CopyConfig(c.user)
	cfg.Wrap(c.weather)
	var err error
	c.manager, err = system.Start(c.Context(), cfg, life, o, mo)
	c.must(err)
	if mo.Lease == nil {
		c.until("it leads", func() bool { return c.scrape().sum("mooring_leader", "") == 1 })
	}
}

// weather is how the API server fares.
func (c *scene) weather(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPatch && c.broken.Load() {
			return &http.Response{
				StatusCode: http.StatusInternalServerError, Header: http.Header{}, Body: http.NoBody, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			}, nil
		}
		if r.Method == http.MethodPatch && c.slow.Load() {
			select {
			case <-r.Context().Done():
			case <-c.over:
			}
			return nil, errors.New("no answer")
		}
		return next.RoundTrip(r)
	})
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// scrape returns what the manager shows; nothing if it has ended.
func (c *scene) scrape() scrape {
	c.Helper()
	if c.manager.Ended() {
		return newScrape(c.now(), nil)
	}
	families, err := prometheus.Gatherers{c.manager.Metrics, metrics.Registry}.Gather()
	c.must(err)
	for _, f := range families {
		labels := []string{}
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		c.seen[f.GetName()] = labels
	}
	return newScrape(c.now(), families)
}

func (c *scene) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// until waits for something.
func (c *scene) until(what string, done func() bool) {
	c.Helper()
	if !c.within(patience, done) {
		c.Fatalf("not so after %v: %s", patience, what)
	}
}

func (c *scene) within(patience time.Duration, done func() bool) bool {
	deadline := time.Now().Add(patience)
	for !done() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
	return true
}

func ref(config string) *v1alpha1.ProviderConfigReference {
	return &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: config}
}

// bucket makes a bucket in AWS.
func (c *scene) bucket(name string, change func(*v1alpha1.Bucket)) *v1alpha1.Bucket {
	c.Helper()
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: name}}
	b.Spec.ProviderConfigRef = ref("aws")
	b.Spec.Tags = map[string]v1alpha1.TagValue{"team": "a"}
	if change != nil {
		change(b)
	}
	c.must(c.Client.Create(c.Context(), b))
	return b
}

// database makes a database in AWS.
func (c *scene) database(name string, change func(*v1alpha1.Database)) *v1alpha1.Database {
	c.Helper()
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: name}}
	d.Spec.ProviderConfigRef, d.Spec.DeletionPolicy = ref("aws"), v1alpha1.DeletionDelete
	d.Spec.Engine, d.Spec.AWS = new(v1alpha1.EnginePostgres), &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
	if change != nil {
		change(d)
	}
	c.must(c.Client.Create(c.Context(), d))
	return d
}

func statusOf(o client.Object) *v1alpha1.ResourceStatus {
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		return &o.Status.ResourceStatus
	case *v1alpha1.Database:
		return &o.Status.ResourceStatus
	default:
		panic("no such kind")
	}
}

// is waits until an object's condition has a status and a reason, for this generation of its spec.
func (c *scene) is(o client.Object, condition string, status metav1.ConditionStatus, reason v1alpha1.Reason) {
	c.Helper()
	so := c.within(patience, func() bool {
		c.must(c.Client.Get(c.Context(), client.ObjectKeyFromObject(o), o))
		is := meta.FindStatusCondition(statusOf(o).Conditions, condition)
		return is != nil && is.Status == status && is.Reason == string(reason) && is.ObservedGeneration == o.GetGeneration()
	})
	if !so {
		c.Fatalf("%s is not %s=%s, %s after %v; it is %+v", o.GetName(), condition, status, reason, patience, statusOf(o).Conditions)
	}
}

func (c *scene) ready(o client.Object) {
	c.Helper()
	c.is(o, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonReady)
}

// edit changes an object as a person would.
func edit[T client.Object](c *scene, o T, change func(T)) {
	c.Helper()
	for {
		c.must(c.Client.Get(c.Context(), client.ObjectKeyFromObject(o), o))
		change(o)
		err := c.Client.Update(c.Context(), o)
		if !apierrors.IsConflict(err) {
			c.must(err)
			return
		}
	}
}

// delete deletes an object, and waits for its end if that is to come.
func (c *scene) delete(o client.Object, ends bool) {
	c.Helper()
	c.must(c.Client.Delete(c.Context(), o))
	if ends {
		c.until(o.GetName()+" is gone", func() bool {
			return apierrors.IsNotFound(c.Client.Get(c.Context(), client.ObjectKeyFromObject(o), o))
		})
	}
}

func (c *scene) freeAddress() string {
	c.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	c.must(err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
