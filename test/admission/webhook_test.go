package admission

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/test/system"
)

const (
	objection = `is invalid: [spec.tags: Forbidden: too colourful, spec.location: Required value: say where]`
	warning   = "tags are about to go"
)

// A stub is a validator that does what it is told, and remembers what it was asked.
type stub struct {
	does atomic.Value // func(context.Context) (admission.Result, error)
	mu   sync.Mutex
	seen []admission.Review
}

type act func(context.Context) (admission.Result, error)

func (s *stub) Validate(ctx context.Context, r admission.Review) (admission.Result, error) {
	s.mu.Lock()
	s.seen = append(s.seen, r)
	s.mu.Unlock()
	return s.does.Load().(act)(ctx)
}

func (s *stub) asked() []admission.Review {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

// The acts of a validator.
var (
	accepts act = func(context.Context) (admission.Result, error) { return admission.Result{}, nil }
	warns   act = func(context.Context) (admission.Result, error) {
		return admission.Result{Warnings: []string{warning}}, nil
	}
	refuses act = func(context.Context) (admission.Result, error) {
		return admission.Result{Warnings: []string{warning}, Refusals: field.ErrorList{
			field.Forbidden(field.NewPath("spec", "tags"), "too colourful"), field.Required(field.NewPath("spec", "location"), "say where"),
		}}, nil
	}
	fails  act = func(context.Context) (admission.Result, error) { return admission.Result{}, errors.New("no cache") }
	panics act = func(context.Context) (admission.Result, error) { panic("a mistake") }
	hangs  act = func(context.Context) (admission.Result, error) { select {} }
)

// serve runs a server until stop, or the end of the test, and makes the API server ask it.
func serve(t *testing.T, validator admission.Validator, c clock.Clock) (stop func()) {
	t.Helper()
	address := system.FreeAddress(t)
	if err := admission.Apply(t.Context(), shared.Client, "https://"+address+"/"); err != nil {
		t.Fatal(err)
	}
	mgr, err := controllers.NewManager(shared.Cluster.Config(), controllers.ManagerOptions{Unnamed: true, MetricsAddress: "0", HealthAddress: "0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := admission.Add(mgr, admission.Options{Address: address, Namespace: system.Namespace, Validator: validator, Clock: c}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	t.Cleanup(func() { unask(t) })
	return stop
}

// unask makes the API server ask nobody, and certificates be made anew.
func unask(t *testing.T) {
	t.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	configuration.Name = admission.DefaultName
	for _, o := range []client.Object{configuration, secretInHome(admission.SecretName)} {
		if err := shared.Client.Delete(context.WithoutCancel(t.Context()), o); client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	}
}

// listening returns an administrator's client, and the warnings that it is given.
func listening(t *testing.T) (client.Client, *system.Warnings) {
	t.Helper()
	c, w, err := system.WithWarnings(shared.Cluster.Config(), client.Options{Scheme: shared.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

// awaitValidation waits until the API server asks the validator.
func awaitValidation(t *testing.T, validator *stub) {
	t.Helper()
	validator.does.Store(refuses)
	system.Retry(t, "the webhook to be asked", func() error {
		err := shared.Client.Create(t.Context(), object(t, "Bucket", `{spec: {}}`), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), objection) {
			return fmt.Errorf("not refused: %w", err)
		}
		return nil
	})
	validator.asked()
}

func TestWebhook(t *testing.T) {
	validator := &stub{}
	stop := serve(t, validator, nil)
	awaitValidation(t, validator)

	t.Run("who is asked about what", func(t *testing.T) { whatIsAsked(t, validator) })
	const unchecked = "Mooring could not check this in advance"
	for _, tc := range []struct {
		name    string
		does    act
		want    string // words of a refusal
		warning string
	}{
		{"accepts", accepts, "", ""},
		{"warns", warns, "", warning},
		{"refuses", refuses, objection, warning},
		{"fails", fails, "", unchecked},
		{"panics", panics, "", unchecked},
		{"hangs", hangs, "", unchecked},
	} {
		t.Run("a validator that "+tc.name, func(t *testing.T) {
			validator.does.Store(accepts)
			doomed := doomed(t)
			c, said := listening(t)
			validator.does.Store(tc.does)
			for _, kind := range []string{"Bucket", "Database", "BucketClass", "DatabaseClass"} {
				text := `{spec: {}}`
				if strings.HasSuffix(kind, "Class") {
					text = `{spec: {providerConfigRef: {name: platform}}}`
				}
				answered(t, c.Create(t.Context(), object(t, kind, text), client.DryRunAll), tc.want)
				if got := said.Take(); len(got) != min(1, len(tc.warning)) || !strings.Contains(strings.Join(got, ""), tc.warning) {
					t.Errorf("%s: warnings %q, want %q", kind, got, tc.warning)
				}
			}
			unhindered(t, doomed)
		})
	}

	validator.does.Store(accepts)
	object := doomed(t)
	stop()
	t.Run("a server that is down", func(t *testing.T) {
		passes(t)
		unhindered(t, object)
	})
}

// whatIsAsked: edits are validated with what was before, dry runs are known for such, and the rest does not even
// reach the validator.
func whatIsAsked(t *testing.T, validator *stub) {
	validator.does.Store(accepts)
	o := stored(t, "Bucket", `{spec: {}}`, `{status: {externalName: some-name}}`)
	for _, tc := range []struct {
		name, edit string
		dryRun     bool
		want       int
	}{
		{"an edit that is tried", `{spec: {tags: {a: b}}}`, true, 1},
		{"an edit", `{spec: {tags: {a: b}}}`, false, 1},
		{"the same again", `{spec: {tags: {a: b}}}`, false, 0},
		{"a label", `{metadata: {labels: {a: b}}}`, false, 0},
		{"a finalizer", `{metadata: {finalizers: [mooring.dev/cloud-resource]}}`, false, 0},
		{"the default class", `{metadata: {annotations: {mooring.dev/is-default-class: "true"}}}`, false, 1},
		{"a pause", `{metadata: {annotations: {mooring.dev/paused: "true"}}}`, false, 1},
		{"consent to a takeover", `{metadata: {annotations: {mooring.dev/adopt-from: bank/ledger}}}`, false, 1},
		{"another annotation", `{metadata: {annotations: {example.org/note: "true"}}}`, false, 0},
	} {
		settled(t, o)
		validator.asked()
		var opts []client.PatchOption
		if tc.dryRun {
			opts = append(opts, client.DryRunAll)
		}
		if err := shared.Client.Patch(t.Context(), o.DeepCopy(), merge(t, tc.edit), opts...); err != nil {
			t.Fatal(err)
		}
		asked := validator.asked()
		if len(asked) != tc.want {
			t.Errorf("%s: asked %d times, want %d", tc.name, len(asked), tc.want)
		}
		for _, r := range asked {
			if r.Old == nil || r.DryRun != tc.dryRun || r.Object.GetNamespace() != shop || r.Object.GetName() != o.GetName() {
				t.Errorf("%s: asked %+v", tc.name, r)
			}
		}
	}
	settled(t, o)
	validator.asked()
	for range 2 { // the second time it is being deleted already
		if err := shared.Client.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		settled(t, o)
	}
	if asked := validator.asked(); len(asked) != 1 || asked[0].Object != nil || asked[0].Old.GetName() != o.GetName() {
		t.Errorf("of a deletion it was asked %+v", asked)
	}
	for _, tc := range []struct {
		edit string
		want int // of what is being deleted
	}{
		{`{metadata: {annotations: {mooring.dev/approve: x}}}`, 0}, {`{metadata: {annotations: {mooring.dev/paused: null}}}`, 1},
		{`{spec: {tags: {c: d}}}`, 1}, {`{metadata: {finalizers: null}}`, 0},
	} {
		settled(t, o)
		if err := shared.Client.Patch(t.Context(), o.DeepCopy(), merge(t, tc.edit)); err != nil {
			t.Error(err)
		}
		asked := validator.asked()
		if len(asked) != tc.want || slices.ContainsFunc(asked, func(r admission.Review) bool { return !r.Deleting }) {
			t.Errorf("%s of what is being deleted: asked %+v, want to be asked %d times", tc.edit, asked, tc.want)
		}
	}
}

// TestWarningsArrive: the API server cuts long warnings once all have more than 4096 characters, and drops those with control characters or
// invalid UTF-8. What the webhook sends arrives as it is sent, the first ones whole, in whatever language.
func TestWarningsArrive(t *testing.T) {
	validator := &stub{}
	warnings := []string{"Köln → 東京: Größe \"ändert\" sich", "first line\nsecond\x1b line", "invalid \xff UTF-8"}
	for i := range 30 {
		warnings = append(warnings, fmt.Sprintf("%02d%s", i, strings.Repeat("ä", 300)))
	}
	validator.does.Store(act(func(context.Context) (admission.Result, error) { return admission.Result{Warnings: warnings}, nil }))
	serve(t, validator, clock.RealClock{})
	c, heard := listening(t)
	var got []string
	system.Retry(t, "the webhook to be asked", func() error {
		heard.Take()
		if err := c.Create(t.Context(), object(t, "Bucket", `{spec: {}}`), client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		if got = heard.Take(); len(got) == 0 {
			return errors.New("no warnings")
		}
		return nil
	})
	for i, text := range got {
		_, got[i], _ = strings.Cut(text, ": ") // behind the object that it is about
	}
	want := []string{warnings[0], "first line second line", "invalid \uFFFD UTF-8"}
	if len(got) < 10 || !slices.Equal(got[:3], want) || !strings.HasPrefix(got[3], "00ä") || !strings.HasSuffix(got[3], "…") || !strings.HasSuffix(got[len(got)-1], " more warnings are left out") {
		t.Errorf("%d warnings arrived: %q", len(got), got)
	}
}

// settled waits until the API server's own cache has an object's last version. Until then it may try an edit on the
// version before, ask about that, and begin anew.
func settled(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	system.Retry(t, "the API server's cache", func() error {
		last, cached := o.DeepCopy(), o.DeepCopy()
		if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(o), last); err != nil {
			return err
		}
		atAll := &client.GetOptions{Raw: &metav1.GetOptions{ResourceVersion: "0"}}
		if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(o), cached, atAll); err != nil {
			return err
		}
		if last.GetResourceVersion() != cached.GetResourceVersion() {
			return fmt.Errorf("it has %s of %s", cached.GetResourceVersion(), last.GetResourceVersion())
		}
		return nil
	})
}

// passes: a creation is stored, whoever is asked.
func passes(t *testing.T) {
	t.Helper()
	answered(t, shared.Client.Create(t.Context(), object(t, "Bucket", `{spec: {}}`), client.DryRunAll), "")
}

// doomed makes an object that a finalizer holds.
func doomed(t *testing.T) *unstructured.Unstructured {
	return stored(t, "Bucket", `{metadata: {finalizers: [mooring.dev/cloud-resource]}, spec: {}}`, "")
}

// unhindered takes an object through all that must work whatever the webhook does, to its end. The API server calls the webhook about
// the deletion and its edit, and about nothing else.
func unhindered(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	patch := func(text string) func() error {
		return func() error { return shared.Client.Patch(t.Context(), o.DeepCopy(), merge(t, text)) }
	}
	status := func(text string) func() error {
		return func() error { return shared.Client.Status().Patch(t.Context(), o.DeepCopy(), merge(t, text)) }
	}
	for _, try := range []struct {
		what string
		// asks: the webhook is asked about it, and again if the API server finds that its cache was behind.
		asks bool
		do   func() error
	}{
		{"write status", false, status(`{status: {externalName: some-name}}`)},
		{"label", false, patch(`{metadata: {labels: {a: b}}}`)},
		{"delete", true, func() error { return shared.Client.Delete(t.Context(), o.DeepCopy()) }},
		{"write the status of what is being deleted", false, status(`{status: {externalName: ""}}`)},
		{"edit what is being deleted", true, func() error {
			settled(t, o)
			return patch(`{spec: {forceDestroy: true}}`)()
		}},
		{"let it go", false, patch(`{metadata: {finalizers: null}}`)},
	} {
		before := failedCalls(t)
		if err := try.do(); err != nil {
			t.Errorf("%s: %v", try.what, err)
		}
		if n := failedCalls(t) - before; n > 0 && !try.asks {
			t.Errorf("%s: the API server waited for the webhook %d times", try.what, n)
		}
	}
	if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o.DeepCopy()); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("it is not gone: %v", err)
	}
}

// A certificate that has expired is as no webhook.
func TestExpired(t *testing.T) {
	validator := &stub{}
	validator.does.Store(refuses)
	// By its clock it renewed in time.
	serve(t, validator, clocktesting.NewFakeClock(time.Now().Add(-100*24*time.Hour)))
	system.Retry(t, "the authority to be trusted", trusted(t))
	for range 5 { // while the API server takes it in
		passes(t)
		time.Sleep(200 * time.Millisecond)
	}
	unhindered(t, doomed(t))
	if asked := validator.asked(); len(asked) != 0 {
		t.Errorf("asked %d times", len(asked))
	}
}

// failedCalls returns how many calls of a webhook the API server has given up and gone on without an answer.
func failedCalls(t *testing.T) (n int) {
	t.Helper()
	api, err := discovery.NewDiscoveryClientForConfig(shared.Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := api.RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(metrics)) {
		if !strings.HasPrefix(line, "apiserver_admission_webhook_fail_open_count{") {
			continue
		}
		_, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		count, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		n += count
	}
	return n
}

// trusted returns an error as long as a webhook has no authority to trust.
func trusted(t *testing.T) func() error {
	return func() error {
		configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if err := shared.Client.Get(t.Context(), client.ObjectKey{Name: admission.DefaultName}, configuration); err != nil {
			return err
		}
		if slices.ContainsFunc(configuration.Webhooks, func(w admissionregistrationv1.ValidatingWebhook) bool { return len(w.ClientConfig.CABundle) == 0 }) {
			return errors.New("no caBundle")
		}
		return nil
	}
}

// A server that takes calls and never answers costs a creation 3 seconds, and nothing else.
func TestBlackHole(t *testing.T) {
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hole.Close() }()
	if err := admission.Apply(t.Context(), shared.Client, "https://"+hole.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unask(t) })
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := shared.Client.Get(t.Context(), client.ObjectKey{Name: admission.DefaultName}, configuration); err != nil {
		t.Fatal(err)
	}
	for _, w := range configuration.Webhooks {
		if *w.TimeoutSeconds > 3 {
			t.Errorf("webhook %s may take %d seconds, want 3 at most", w.Name, *w.TimeoutSeconds)
		}
	}
	o := doomed(t)
	before := failedCalls(t)
	passes(t)
	if n := failedCalls(t) - before; n != 1 {
		t.Errorf("the API server waited for the webhook %d times, want once, about the creation", n)
	}
	unhindered(t, o)
}

// That the configuration is applied again, as at an upgrade, takes no trust away.
func TestApplyAgain(t *testing.T) {
	serve(t, &stub{}, nil)
	system.Retry(t, "the authority to be trusted", trusted(t))
	if err := admission.Apply(t.Context(), shared.Client, "https://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	if err := trusted(t)(); err != nil {
		t.Error(err)
	}
}
