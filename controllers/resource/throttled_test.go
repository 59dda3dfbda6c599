package resource

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// A throttling cloud takes so many calls a second, and refuses the others. All that it has is as declared, until it is edited.
type throttling struct {
	obedient
	driver.Driver

	mu        sync.Mutex
	host      driver.Host
	perSecond float64
	burst     float64
	tokens    float64
	filled    time.Time
	// taken and refused count calls.
	taken, refused int
	// began are the names of objects in the order in which their observations began; set are the tags that were set.
	began []string
	set   map[string]string
}

func (c *throttling) Open(_ context.Context, with driver.Opening) (driver.Session, error) {
	c.host = with.Host
	return c, nil
}

// call makes one call.
func (c *throttling) call(ctx context.Context, operation string) error {
	_, end := c.host.Begin(ctx, "third", operation)
	time.Sleep(50 * time.Millisecond)
	c.mu.Lock()
	now := time.Now()
	c.tokens, c.filled = min(c.burst, c.tokens+now.Sub(c.filled).Seconds()*c.perSecond), now
	taken := c.tokens >= 1
	if taken {
		c.tokens--
		c.taken++
	} else {
		c.refused++
	}
	c.mu.Unlock()
	if !taken {
		end(driver.Call{Failed: true, Code: driver.Throttled, Status: 429})
		return &driver.Error{Code: driver.Throttled, Op: operation, Message: "too many calls"}
	}
	end(driver.Call{Status: 200})
	return nil
}

func (c *throttling) Observe(ctx context.Context, _ string, req driver.Request, _ driver.Secrets) (driver.Observation, error) {
	c.mu.Lock()
	c.began = append(c.began, req.Mark.Name)
	c.mu.Unlock()
	if err := c.call(ctx, "get"); err != nil {
		return driver.Observation{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := driver.Observation{State: driver.Ready, Available: true, ID: "id-" + req.Name, Mark: req.Mark, Location: "eu-central-1"}
	if want := wantedTag(req); want != c.set[req.Name] {
		seen.Changes = []driver.Change{{Field: "tags", From: c.set[req.Name], To: want, Effect: driver.Online}}
	}
	return seen, nil
}

func wantedTag(req driver.Request) string {
	spec, err := driver.SpecOf[v1alpha1.BucketParameters](req.Spec)
	if err != nil {
		panic(err)
	}
	return string(spec.Tags["edited"])
}

func (c *throttling) Update(ctx context.Context, _ string, req driver.Request, _ driver.Edit, _ driver.Secrets) (driver.Result, error) {
	if err := c.call(ctx, "patch"); err != nil {
		return driver.Result{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set[req.Name] = wantedTag(req)
	return driver.Result{}, nil
}

// A crowd is many objects of one account, with the reconciler, its queue and its workers.
type crowd struct {
	*Reconciler
	cloud    *throttling
	queue    priorityqueue.PriorityQueue[reconcile.Request]
	recorder *events.FakeRecorder
	mu       sync.Mutex
	writes   int
}

func newCrowd(t *testing.T, cloud *throttling, objects int) *crowd {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	all := teamConfig()
	for i := range objects {
		b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: fmt.Sprintf("b%03d", i), UID: types.UID(fmt.Sprintf("uid-%d", i)), Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource},
		}}
		b.Spec.ExternalName, b.Spec.ProviderConfigRef = b.Name, &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}
		b.Status.ExternalName, b.Status.ExternalID, b.Status.Provider, b.Status.AppliedGeneration = b.Name, "id-"+b.Name, "aws", 1
		b.Status.AccountID, b.Status.Location, b.Status.Origin = "111111111111", "eu-central-1", v1alpha1.OriginCreated
		b.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)}
		all = append(all, b)
	}
	c := &crowd{cloud: cloud, recorder: events.NewFakeRecorder(100000)}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(all...).WithStatusSubresource(&v1alpha1.Bucket{}).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, next client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			c.mu.Lock()
			c.writes++
			c.mu.Unlock()
			return next.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}).Build()
	limiters := account.New(10, time.Now, nil)
	c.Reconciler = &Reconciler{
		Settings: Settings{
			Client: api, Reader: api, Recorder: c.recorder, Deadline: time.Minute, RecordDeadline: time.Minute, Now: time.Now, ClusterID: "here",
			Cadence: retry.DefaultCadence(time.Minute), Namespace: "mooring-system", Limiters: limiters,
			Credentials: identity.New(identity.Options{
				Client: api, Reader: api, Limiters: limiters, Now: time.Now, Refresh: time.Hour, Drivers: map[string]driver.Driver{"aws": cloud},
			}),
		},
		Kind: kind.Bucket(),
	}
	c.queue = priorityqueue.New[reconcile.Request]("buckets")
	if err := c.Source().Start(t.Context(), c.queue); err != nil {
		t.Fatal(err)
	}
	return c
}

// work reconciles what is in the queue.
func (c *crowd) work(ctx context.Context) {
	reconciler := c.ByName()
	for {
		item, _, shutdown := c.queue.GetWithPriority()
		if shutdown {
			return
		}
		result, err := reconciler.Reconcile(ctx, item)
		if err != nil {
			panic(err)
		}
		c.queue.Done(item)
		if result.RequeueAfter > 0 {
			c.queue.AddWithOpts(priorityqueue.AddOpts{After: result.RequeueAfter, Priority: result.Priority}, item)
		}
	}
}

// edit edits an object, and returns how many other observations began before its own, and how long the write took.
func (c *crowd) edit(t *testing.T, name string) (others int, took time.Duration) {
	t.Helper()
	b := &v1alpha1.Bucket{}
	key := client.ObjectKey{Namespace: "shop", Name: name}
	if err := c.Client.Get(t.Context(), key, b); err != nil {
		t.Fatal(err)
	}
	b.Spec.Tags = map[string]v1alpha1.TagValue{"edited": "yes"}
	b.Generation++
	if err := c.Client.Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	c.cloud.mu.Lock()
	before := len(c.cloud.began)
	c.cloud.mu.Unlock()
	c.queue.AddWithOpts(priorityqueue.AddOpts{}, reconcile.Request{NamespacedName: key})
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		c.cloud.mu.Lock()
		done, calls := c.cloud.set[name] == "yes", c.cloud.began[before:]
		c.cloud.mu.Unlock()
		if done || time.Since(began) > 5*time.Minute {
			for _, other := range calls {
				if other == name {
					return others, time.Since(began)
				}
				others++
			}
			return others, time.Since(began)
		}
	}
}

// 300 objects that are observed each minute, in an account that takes 180 calls a minute: nearly all of those are made and useful, edits come first, and
// nothing is written or told of objects that are only late.
func TestAnAccountThatThrottles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := &throttling{Driver: mem.New(mem.Options{}).Driver(), perSecond: 3, burst: 180, tokens: 180, filled: time.Now(), set: map[string]string{}}
		c := newCrowd(t, cloud, 300)
		var workers sync.WaitGroup
		for range 20 {
			workers.Go(func() { c.work(t.Context()) })
		}
		for i := range 300 {
			c.queue.Add(reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: fmt.Sprintf("b%03d", i)}})
		}
		time.Sleep(5 * time.Minute) // all were observed, and are Ready
		for len(c.recorder.Events) > 0 {
			<-c.recorder.Events
		}
		c.mu.Lock()
		c.writes = 0
		c.mu.Unlock()
		cloud.mu.Lock()
		cloud.taken, cloud.refused = 0, 0
		cloud.mu.Unlock()

		const span = 20 * time.Minute
		time.Sleep(span)
		cloud.mu.Lock()
		taken, refused := cloud.taken, cloud.refused
		cloud.mu.Unlock()
		allowed := cloud.perSecond * span.Seconds()
		if useful := float64(taken) / allowed; useful < 0.95 {
			t.Errorf("%d calls of %.0f were made: %.2f", taken, allowed, useful)
		}
		if float64(refused) > 0.03*float64(taken) {
			t.Errorf("%d calls were refused, %d taken", refused, taken)
		}
		c.mu.Lock()
		if c.writes > 0 {
			t.Errorf("%d status writes for objects that are as declared", c.writes)
		}
		c.mu.Unlock()
		for len(c.recorder.Events) > 0 {
			t.Errorf("an Event: %s", <-c.recorder.Events)
		}
		c.areReady(t)
		for i := range 8 {
			time.Sleep(30 * time.Second) // what the edit before began is finished first
			others, took := c.edit(t, fmt.Sprintf("b%03d", i*31))
			if others > 0 {
				t.Errorf("edit %d: %d other objects came first", i, others)
			}
			if took > 10*time.Second {
				t.Errorf("edit %d was not sent for %s", i, took)
			}
		}
		c.queue.ShutDown()
		workers.Wait()
	})
}

// People who ask for reconciliations again and again get as many as their namespace's share allows, whatever the number of objects; an edit waits for none
// of that.
func TestAskedReconciliationsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := &throttling{Driver: mem.New(mem.Options{}).Driver(), perSecond: 10000, burst: 10000, tokens: 10000, filled: time.Now(), set: map[string]string{}}
		c := newCrowd(t, cloud, 100)
		c.Cadence = retry.DefaultCadence(time.Hour)
		var workers sync.WaitGroup
		for range 20 {
			workers.Go(func() { c.work(t.Context()) })
		}
		names := make([]client.ObjectKey, 100)
		for i := range names {
			names[i] = client.ObjectKey{Namespace: "shop", Name: fmt.Sprintf("b%03d", i)}
			c.queue.Add(reconcile.Request{NamespacedName: names[i]})
		}
		time.Sleep(time.Minute)
		cloud.mu.Lock()
		cloud.began = nil
		cloud.mu.Unlock()
		const seconds = 45
		for second := range seconds {
			for _, name := range names {
				c.ask(t, name, fmt.Sprint(second))
			}
			time.Sleep(time.Second)
		}
		cloud.mu.Lock()
		asked := len(cloud.began)
		cloud.mu.Unlock()
		if most := 30 + seconds + 1; asked > most || asked < seconds {
			t.Errorf("%d reconciliations, want %d at most", asked, most)
		}
		if others, took := c.edit(t, "b099"); took > time.Second {
			t.Errorf("an edit was not sent for %s, and %d others came first", took, others)
		}
		time.Sleep(5 * time.Minute) // the last of those who asked
		cloud.mu.Lock()
		observed := map[string]bool{}
		for _, name := range cloud.began {
			observed[name] = true
		}
		cloud.mu.Unlock()
		if len(observed) != len(names) {
			t.Errorf("%d of %d objects were observed", len(observed), len(names))
		}
		c.queue.ShutDown()
		workers.Wait()
	})
}

// ask asks for the reconciliation of an object.
func (c *crowd) ask(t *testing.T, name client.ObjectKey, value string) {
	t.Helper()
	b := &v1alpha1.Bucket{}
	if err := c.Client.Get(t.Context(), name, b); err != nil {
		t.Fatal(err)
	}
	b.Annotations = map[string]string{v1alpha1.AnnotationReconcile: value}
	if err := c.Client.Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	c.queue.AddWithOpts(priorityqueue.AddOpts{}, reconcile.Request{NamespacedName: name})
}

// areReady demands that all objects are Ready.
func (c *crowd) areReady(t *testing.T) {
	t.Helper()
	all := &v1alpha1.BucketList{}
	if err := c.Client.List(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	bad := 0
	for _, b := range all.Items {
		if !meta.IsStatusConditionTrue(b.Status.Conditions, v1alpha1.ConditionReady) {
			if bad++; bad < 3 {
				t.Errorf("%s is not Ready: %+v", b.Name, b.Status.Conditions)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d are not Ready", bad, len(all.Items))
	}
}

// Once the cloud takes hardly any calls, objects are not observed for long. That is said once the stated age is passed, and not before.
func TestNotObservedAfterTheStatedAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := &throttling{Driver: mem.New(mem.Options{}).Driver(), perSecond: 100, burst: 100, tokens: 100, filled: time.Now(), set: map[string]string{}}
		c := newCrowd(t, cloud, 30)
		var workers sync.WaitGroup
		for range 20 {
			workers.Go(func() { c.work(t.Context()) })
		}
		for i := range 30 {
			c.queue.Add(reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: fmt.Sprintf("b%03d", i)}})
		}
		time.Sleep(2 * time.Minute)
		cloud.mu.Lock()
		cloud.perSecond, cloud.burst = 0.00001, 1
		cloud.mu.Unlock()
		time.Sleep(retry.StaleAfterRateLimited(time.Minute) - 2*time.Minute)
		c.areReady(t)
		time.Sleep(5 * time.Minute)
		all := &v1alpha1.BucketList{}
		if err := c.Client.List(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		for _, b := range all.Items {
			if ready := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionReady); ready.Reason != string(v1alpha1.ReasonNotObserved) {
				t.Errorf("%s after more than an hour: %+v", b.Name, ready)
				break
			}
		}
		c.queue.ShutDown()
		workers.Wait()
	})
}
