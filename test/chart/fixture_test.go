package chart

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/node"
	"github.com/mooring-dev/mooring/test/system"
)

// A fixture is a cluster with nothing of Mooring in it, a node, and a local cloud.
type fixture struct {
	*testing.T
	*system.Environment
	*helm
	// release is what helm is told to call it, name what it calls its objects, and namespace where they are.
	release, name, namespace string
	kubeconfig               string

	node *node.Node
	pods []*node.Pod
}

func newFixture(t *testing.T, helmProgram string) *fixture {
	t.Helper()
	return newFixtureNamed(t, helmProgram, release, release, namespace)
}

// newFixtureOn is newFixture with a cloud of its own kind.
func newFixtureOn(t *testing.T, helmProgram string, cloud localcloud.Options) *fixture {
	t.Helper()
	return newFixtureWith(t, helmProgram, release, release, namespace, cloud)
}

func newFixtureNamed(t *testing.T, helmProgram, release, name, namespace string) *fixture {
	t.Helper()
	return newFixtureWith(t, helmProgram, release, name, namespace, localcloud.Options{ListenersOnly: true, InstanceQuota: -1})
}

func newFixtureWith(t *testing.T, helmProgram, release, name, namespace string, cloud localcloud.Options) *fixture {
	t.Helper()
	w := &fixture{T: t, release: release, name: name, namespace: namespace, Environment: &system.Environment{Cluster: cluster.ForTest(t, cluster.Options{Bare: true, Audit: true})}}
	var err error
	if w.Cloud, err = localcloud.Start(cloud); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	scheme, err := controllers.NewScheme()
	w.Must(err)
	w.Client, err = client.NewWithWatch(w.Cluster.Config(), client.Options{Scheme: scheme})
	w.Must(err)
	w.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	w.Must(w.Cluster.WriteKubeconfig(w.kubeconfig))
	w.helm = newHelm(t, helmProgram, w.kubeconfig)
	w.node = node.New(t, w.Cluster, w.Client)
	t.Cleanup(func() {
		if t.Failed() {
			for _, p := range w.pods {
				t.Logf("%s said at last:\n%s", p.Name, tail(p.Log(), 40))
			}
		}
	})
	// Whoever installs Mooring may demand the strictest of the Pod Security Standards.
	w.Must(w.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{
		"pod-security.kubernetes.io/enforce": "restricted",
	}}}))
	return w
}

// eachHelm runs a test with each helm, one after the other, in one cluster. The test ends with nothing of Mooring in it.
func eachHelm(t *testing.T, test func(*fixture)) {
	t.Helper()
	all := newFixture(t, helms[0])
	for _, program := range helms {
		t.Run(program, func(t *testing.T) {
			w := *all
			w.T, w.helm = t, newHelm(t, program, all.kubeconfig)
			test(&w)
		})
	}
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func (w *fixture) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// Eventually waits for something.
func (w *fixture) Eventually(what string, so func() bool) {
	w.Helper()
	system.Eventually(w.T, what, so)
}

// await waits until an object is as wanted, by a watch.
func (w *fixture) await(o client.Object, what string, so func() bool) {
	w.Helper()
	system.Await(w.T, w.Client, o, o.GetName()+" is "+what, func(exists bool) bool { return exists && so() })
}

// install installs or upgrades the release, and runs what the Deployment says then.
func (w *fixture) install(chart, program, values string) {
	w.Helper()
	w.apply(chart, values)
	w.roll(program)
}

// apply installs or upgrades the release.
func (w *fixture) apply(chart, values string) (notes string) {
	w.Helper()
	return w.run(w, "upgrade", "--install", w.release, chart, "--namespace", w.namespace, "--values", valuesFile(w, values))
}

// roll runs what the Deployment says, with a program in place of the image's.
func (w *fixture) roll(program string) {
	w.Helper()
	d := &appsv1.Deployment{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: w.name}, d))
	w.node.Pull(d.Spec.Template.Spec.Containers[0].Image, program)
	w.pods = w.node.Roll(w, d, w.pods)
}

// verifyCABundles checks that helm left alone what Mooring wrote into the webhook's configuration. An entry that the first release did not have
// gets its caBundle from a new controller.
func (w *fixture) verifyCABundles() {
	w.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Name: w.name}, configuration))
	for _, webhook := range configuration.Webhooks {
		if webhook.Name == "verdict.mooring.dev" && len(webhook.ClientConfig.CABundle) == 0 {
			w.Error("the upgrade took the caBundle away")
		}
	}
}

// serve stands in for the Service by which the API server reaches the webhook.
func (w *fixture) serve() {
	w.Helper()
	s := &corev1.Service{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: w.name}, s))
	w.node.Serve(w, s)
}

// uninstall uninstalls the release, and ends what ran of it. It returns what helm said.
func (w *fixture) uninstall() string {
	w.Helper()
	said := w.run(w, "uninstall", w.release, "--namespace", w.namespace)
	for _, p := range w.pods {
		if err := p.Delete(); err != nil {
			w.Errorf("%s: %v", p.Name, err)
		}
	}
	w.pods = nil
	return said
}

// objects returns so many of each kind on each cloud, in a namespace.
func objects(namespace string, each int) (all []client.Object) {
	for i := range each {
		for _, target := range system.Targets {
			name := fmt.Sprintf("%s-%02d", target.Cloud, i)
			o := target.Typical(&system.Cloud{Name: target.Cloud, Config: target.Cloud}, metav1.ObjectMeta{Namespace: namespace, Name: name})
			if target.Kind == "Database" {
				target.Connect(o, name)
			}
			all = append(all, o)
		}
	}
	return all
}

// create stores objects afresh, and their namespace.
func (w *fixture) create(objects []client.Object) {
	w.Helper()
	w.Must(system.EnsureNamespace(w.Context(), w.Client, objects[0].GetNamespace()))
	for _, o := range objects {
		o.SetResourceVersion("")
		o.SetUID("")
		w.Must(w.Client.Create(w.Context(), o))
	}
}

func isReady(o client.Object) bool {
	c := meta.FindStatusCondition(system.StatusOf(o).Conditions, v1alpha1.ConditionReady)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == o.GetGeneration()
}

// ready waits until objects are.
func (w *fixture) ready(objects []client.Object) {
	w.Helper()
	for _, o := range objects {
		w.await(o, "ready", func() bool { return isReady(o) })
	}
}

// awaitObserved waits until every object was looked at once more, by whoever leads then.
func (w *fixture) awaitObserved(objects []client.Object) {
	w.Helper()
	since := time.Now()
	left := slices.Clone(objects)
	w.Eventually("all are looked at", func() bool {
		left = slices.DeleteFunc(left, func(o client.Object) bool {
			reads := w.Cloud.Ledger.Calls(localcloud.Filter{Write: localcloud.Reads, Resource: system.StatusOf(o).ExternalName})
			return slices.ContainsFunc(reads, func(c localcloud.Call) bool { return c.Time.After(since) && c.Status < http.StatusBadRequest })
		})
		return len(left) == 0
	})
}

// writes returns the writes to the cloud since there were n calls.
func (w *fixture) writes(since int) (out []string) {
	for _, c := range w.Cloud.Ledger.Calls(localcloud.Filter{})[since:] {
		if c.Write {
			out = append(out, c.Operation+" "+c.Resource)
		}
	}
	return out
}

func (w *fixture) calls() int { return w.Cloud.Ledger.Count(localcloud.Filter{}) }

// A readinessRecorder watches the objects of all kinds, and notes which were not Ready at any time.
type readinessRecorder struct {
	mu       sync.Mutex
	notReady []string
	stop     context.CancelFunc
	ended    sync.WaitGroup
	watches  atomic.Int64
}

func (w *fixture) watchReadiness() *readinessRecorder {
	w.Helper()
	ctx, stop := context.WithCancel(context.Background())
	v := &readinessRecorder{stop: stop}
	w.Cleanup(stop)
	for _, k := range kind.All() {
		list := k.NewList()
		v.ended.Go(func() {
			for ctx.Err() == nil { // the API server ends watches when a definition changes; the next begins with all there is
				events, err := w.Client.Watch(ctx, list)
				if err != nil {
					time.Sleep(50 * time.Millisecond)
					continue
				}
				v.watches.Add(1)
				for e := range events.ResultChan() {
					v.record(string(e.Type), e.Object)
				}
			}
		})
	}
	return v
}

func (v *readinessRecorder) record(event string, object runtime.Object) {
	o, ok := object.(client.Object)
	if !ok {
		return // the end of the watch
	}
	if event == "DELETED" || !isReady(o) && !system.WaitsForSlot(system.StatusOf(o).Conditions) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.notReady = append(v.notReady, fmt.Sprintf("%s %T %s: %+v", event, o, o.GetName(), system.StatusOf(o).Conditions))
	}
}

// end ends the recorder, and returns what was seen.
func (v *readinessRecorder) end() []string {
	v.stop()
	v.ended.Wait()
	return v.notReady
}

// loseCRDs takes the CustomResourceDefinitions away while nothing runs, and with them all objects of these kinds. Finalizers
// do not hold them: somebody has cut those.
func (w *fixture) loseCRDs() {
	w.Helper()
	lists := []client.ObjectList{&v1alpha1.ProviderConfigList{}, &v1alpha1.ClusterProviderConfigList{}}
	for _, k := range kind.All() {
		lists = append(lists, k.NewList())
	}
	for _, list := range lists {
		w.Must(w.Client.List(w.Context(), list))
		w.Must(meta.EachListItem(list, func(item runtime.Object) error {
			o := item.(client.Object)
			before := o.DeepCopyObject().(client.Object)
			o.SetFinalizers(nil)
			return w.Client.Patch(w.Context(), o, client.MergeFrom(before))
		}))
	}
	definitions := &apiextensionsv1.CustomResourceDefinitionList{}
	w.Must(w.Client.List(w.Context(), definitions))
	for _, d := range definitions.Items {
		w.Must(w.Client.Delete(w.Context(), &d))
	}
	w.awaitNoCRDs()
}

// awaitNoCRDs waits for the end of CustomResourceDefinitions that are being deleted. In one deletion of some 40 the API server misses that a
// definition may go, and looks again after five minutes, or when the definition changes: so it is changed.
func (w *fixture) awaitNoCRDs() {
	w.Helper()
	definitions := &apiextensionsv1.CustomResourceDefinitionList{}
	ctx, stop := context.WithCancel(w.Context())
	var touching sync.WaitGroup
	touching.Go(func() { w.touchCRDs(ctx) })
	defer touching.Wait()
	defer stop()
	system.AwaitList(w.T, w.Client, definitions, "the definitions are gone", func() bool { return len(definitions.Items) == 0 })
}

// touchCRDs changes an annotation of all definitions every 3 seconds.
func (w *fixture) touchCRDs(ctx context.Context) {
	every := time.NewTicker(3 * time.Second)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-every.C:
			definitions := &apiextensionsv1.CustomResourceDefinitionList{}
			if err := w.Client.List(ctx, definitions); err != nil {
				continue // The test waits for the definitions itself, and says why it can't read them.
			}
			for _, d := range definitions.Items {
				change := fmt.Appendf(nil, `{"metadata":{"annotations":{"changed":%q}}}`, now.String())
				_ = w.Client.Patch(ctx, &d, client.RawPatch(types.MergePatchType, change))
			}
		}
	}
}

// test runs helm test. Its Pod runs as all others.
func (w *fixture) test() {
	w.Helper()
	stop := make(chan struct{})
	var runner sync.WaitGroup
	runner.Go(func() {
		p := &corev1.Pod{}
		for w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: w.name + "-check"}, p) != nil {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
		run := w.node.RunStored(w, p)
		p.Status.Phase = corev1.PodSucceeded
		if err := run.Wait(); err != nil {
			p.Status.Phase = corev1.PodFailed
			w.Errorf("helm test: %v:\n%s", err, run.Log())
		}
		w.Logf("helm test says:\n%s", run.Log())
		if err := w.Client.Status().Update(w.Context(), p); err != nil {
			w.Error(err)
		}
	})
	w.run(w, "test", w.release, "--namespace", w.namespace, "--timeout", "2m")
	close(stop)
	runner.Wait()
	// Without it there would be no log for helm to show: none of a kubelet's can be had here.
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: w.name + "-check"}, &corev1.Pod{}))
}
