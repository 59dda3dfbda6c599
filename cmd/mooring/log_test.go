package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/go-logr/zapr"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap/zapcore"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// fewest is how many lines a log may have for whatever the libraries have to say, while nothing happens.
const fewest = 5

// TestLog reads what the program logs and which Events it writes, as it is installed and with the default level.
func TestLog(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := w.start(t, "--sync-period=1s")
	r.await(t, "leadership", r.leads)
	t.Run("start", func(t *testing.T) {
		if lines := r.lines(0); len(lines) > fewest {
			t.Errorf("%d lines to start:\n%s", len(lines), strings.Join(lines, "\n"))
		}
	})
	t.Run("converged", func(t *testing.T) { w.verifySilence(t, r) })
	before := len(r.lines(0))
	r.signal(t, syscall.SIGTERM)
	r.finish(t)
	if lines := r.lines(before); len(lines) > fewest {
		t.Errorf("%d lines to end:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	second := w.start(t, "--sync-period=1m") // so that nothing is looked at but when the test asks for it
	t.Run("a life", func(t *testing.T) { w.verifyLifecycle(t, second) })
	second.signal(t, syscall.SIGTERM)
	second.finish(t)
}

// lines returns what was logged so far, but for the first lines.
func (r *replica) lines(after int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.log[after:])
}

// verifySilence makes a bucket and a database in both clouds, and checks that nothing is said of 20 sync periods in which
// all is as declared.
func (w *fixture) verifySilence(t *testing.T, r *replica) {
	all := []client.Object{w.newBucket("aws", "quiet-aws"), w.newBucket("gcp", "quiet-gcp"), newDatabase("aws", "quiet-aws"), newDatabase("gcp", "quiet-gcp")}
	names := map[string]client.Object{}
	for _, o := range all {
		w.create(t, o)
	}
	for _, o := range all {
		names[w.awaitReady(t, r, o).ExternalName] = o
	}
	look := func(times int) {
		t.Helper()
		before := w.reads()
		r.await(t, fmt.Sprintf("%d looks", times), func() bool {
			now := w.reads()
			for name := range names {
				if now[name]-before[name] < times {
					return false
				}
			}
			return true
		})
	}
	look(2) // what was still under way is done by then
	lines, events := len(r.lines(0)), w.events(t)
	look(20)
	if said := r.lines(lines); len(said) > fewest {
		t.Errorf("%d lines about nothing:\n%s", len(said), strings.Join(said, "\n"))
	} else {
		t.Logf("%d lines", len(said))
	}
	if diff := cmp.Diff(versions(events), versions(w.events(t))); diff != "" {
		t.Errorf("Events about nothing (-before +after):\n%s", diff)
	}
}

// reads counts how often each cloud object was looked at: by the one read that each look begins with.
func (w *fixture) reads() map[string]int {
	counts := map[string]int{}
	for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{Write: localcloud.Reads}) {
		switch call.Operation {
		case "GetBucketTagging", "buckets.get", "DescribeDBInstances", "instances.get":
			counts[call.Resource]++
		}
	}
	return counts
}

// lifecycle is what is told of a bucket from apply to delete: action, reason and message. The first two are lines of the log alone.
var lifecycle = []string{
	"Create Normal Created: created NAME in aws account 123456789012",
	"Converge Normal Ready: usable and up to date",
	"Update Normal Updated: changed tags.team a -> b",
	"Converge Normal Ready: usable and up to date",
	"Update Normal DriftCorrected: corrected drift: tags.team z -> b",
	"Update Normal DriftCorrected: corrected drift: tags.team z -> b",
	"Update Warning Denied: tags: PutBucketTagging: Access Denied",
	"Converge Normal Ready: usable and up to date",
	"Observe Warning Retrying: GetBucketTagging: We encountered an internal error. Please try again.",
	"Converge Normal Recovered: the cloud answers again",
	"Delete Normal DeletionRequested: asked aws to delete NAME",
	"RemoveFinalizer Normal Deleted: the cloud object is deleted",
}

// verifyLifecycle leads a bucket through a life, and checks what is told of it.
func (w *fixture) verifyLifecycle(t *testing.T, r *replica) {
	before := len(r.lines(0))
	bucket := w.newBucket("aws", "lifecycle")
	bucket.Spec.Tags = map[string]v1alpha1.TagValue{"team": "a"}
	w.create(t, bucket)
	name := w.awaitReady(t, r, bucket).ExternalName
	w.edit(t, bucket, func() { bucket.Spec.Tags["team"] = "b" })
	w.awaitReady(t, r, bucket)
	for range 2 {
		w.tagBehind(t, name, "z")
		begun := time.Now()
		w.ask(t, bucket)
		r.await(t, "the drift to be put right, and seen to be", func() bool {
			calls := w.Cloud.Ledger.Calls(localcloud.Filter{Service: "s3", Resource: name})
			last := slices.IndexFunc(calls, func(c localcloud.Call) bool { return c.Write && c.Time.After(begun) })
			return last >= 0 && slices.ContainsFunc(calls[last:], func(c localcloud.Call) bool { return c.Operation == "GetBucketTagging" })
		})
	}

	lift := w.Cloud.Faults.Add(localcloud.Fault{Kind: localcloud.Denied, Filter: localcloud.Filter{Operation: "PutBucketTagging"}})
	w.edit(t, bucket, func() { bucket.Spec.Tags["team"] = "c" })
	r.await(t, "a stalled bucket", func() bool {
		w.get(t, bucket)
		return meta.IsStatusConditionTrue(bucket.Status.Conditions, v1alpha1.ConditionStalled)
	})
	refused := w.Cloud.Ledger.Count(localcloud.Filter{Operation: "PutBucketTagging"})
	w.ask(t, bucket)
	r.await(t, "another try, which is not told again", func() bool {
		return w.Cloud.Ledger.Count(localcloud.Filter{Operation: "PutBucketTagging"}) > refused
	})
	w.edit(t, bucket, func() { bucket.Spec.Tags["team"] = "b" })
	w.awaitReady(t, r, bucket)
	lift()

	lift = w.Cloud.Faults.Add(localcloud.Fault{Kind: localcloud.ServerError, Filter: localcloud.Filter{Operation: "GetBucketTagging", Resource: name}})
	w.ask(t, bucket)
	r.await(t, "a bucket that can't be seen", func() bool {
		w.get(t, bucket)
		c := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha1.ConditionReconciling)
		return c != nil && c.Reason == string(v1alpha1.ReasonRetrying)
	})
	lift()
	r.await(t, "a bucket that is seen", func() bool {
		w.get(t, bucket)
		return meta.FindStatusCondition(bucket.Status.Conditions, v1alpha1.ConditionReconciling) == nil
	})
	if err := w.Client.Delete(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	r.await(t, "the end", func() bool {
		return client.IgnoreNotFound(w.Client.Get(t.Context(), client.ObjectKeyFromObject(bucket), bucket)) == nil && w.isGone(t, bucket)
	})

	var want []string
	for _, line := range lifecycle {
		want = append(want, strings.ReplaceAll(line, "NAME", name))
	}
	var logged []string
	r.await(t, "the last line", func() bool { logged = logLines(t, r.lines(before)); return len(logged) >= len(want) })
	if diff := cmp.Diff(want, logged); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	// Each thing is one Event, however often it happened. They arrive in any order.
	once := slices.Compact(slices.Sorted(slices.Values(want[2:])))
	var told []string
	r.await(t, "the Events", func() bool {
		told = nil
		for _, e := range w.events(t) {
			if e.Regarding.UID == bucket.UID {
				told = append(told, fmt.Sprintf("%s %s %s: %s", e.Action, e.Type, e.Reason, e.Note))
			}
		}
		return len(told) >= len(once)
	})
	slices.Sort(told)
	if diff := cmp.Diff(once, told); diff != "" {
		t.Errorf("Events (-want +got):\n%s", diff)
	}
}

// logLines returns what lines of a log say of an object.
func logLines(t *testing.T, lines []string) (said []string) {
	t.Helper()
	for _, line := range lines {
		var entry struct{ Level, Msg, Kind, Namespace, Name, Action, Type, Reason string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		if entry.Name != "lifecycle" {
			continue
		}
		if level := map[string]string{corev1.EventTypeNormal: "info", corev1.EventTypeWarning: "warn"}[entry.Type]; entry.Level != level || entry.Kind != "Bucket" || entry.Namespace != metav1.NamespaceDefault {
			t.Errorf("a line of another kind: %s", line)
		}
		said = append(said, fmt.Sprintf("%s %s %s: %s", entry.Action, entry.Type, entry.Reason, entry.Msg))
	}
	return said
}

func (w *fixture) events(t *testing.T) []eventsv1.Event {
	t.Helper()
	list := &eventsv1.EventList{}
	if err := w.Client.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list.Items, func(e eventsv1.Event) bool { return e.ReportingController != "mooring" })
}

// versions tells each Event and how often it was written.
func versions(events []eventsv1.Event) map[string]string {
	all := map[string]string{}
	for _, e := range events {
		all[e.Name+" "+e.Reason+" "+e.Note] = e.ResourceVersion
	}
	return all
}

func (w *fixture) newBucket(cloud, name string) *v1alpha1.Bucket {
	bucket := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}}
	bucket.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: cloud}
	return bucket
}

func newDatabase(cloud, name string) *v1alpha1.Database {
	database := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}}
	database.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: cloud}
	database.Spec.Engine, database.Spec.Version = new(v1alpha1.EnginePostgres), new("16")
	database.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}
	if cloud == "gcp" {
		database.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-custom-1-3840")}
	} else {
		database.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
	}
	return database
}

// awaitReady waits until the present spec of an object is in force.
func (w *fixture) awaitReady(t *testing.T, r *replica, o client.Object) *v1alpha1.ResourceStatus {
	t.Helper()
	var status *v1alpha1.ResourceStatus
	r.await(t, "a Ready "+o.GetName(), func() bool {
		w.get(t, o)
		switch o := o.(type) {
		case *v1alpha1.Bucket:
			status = &o.Status.ResourceStatus
		case *v1alpha1.Database:
			status = &o.Status.ResourceStatus
		}
		return status.ObservedGeneration == o.GetGeneration() && meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionReady)
	})
	return status
}

func (w *fixture) edit(t *testing.T, o client.Object, change func()) {
	t.Helper()
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error { // Mooring writes the status meanwhile
		w.get(t, o)
		change()
		return w.Client.Update(t.Context(), o)
	}); err != nil {
		t.Fatal(err)
	}
}

// ask asks for a look, as a person does.
func (w *fixture) ask(t *testing.T, o client.Object) {
	t.Helper()
	w.get(t, o)
	before := o.DeepCopyObject().(client.Object)
	o.SetAnnotations(map[string]string{v1alpha1.AnnotationReconcile: time.Now().String()})
	if err := w.Client.Patch(t.Context(), o, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

func (w *fixture) isGone(t *testing.T, o client.Object) bool {
	t.Helper()
	return w.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o) != nil
}

// tagBehind changes a bucket's tag team behind Mooring's back.
func (w *fixture) tagBehind(t *testing.T, bucket, team string) {
	t.Helper()
	id, secret := w.Cloud.AWSKeys(system.AWSAccount)
	there := s3.NewFromConfig(awssdk.Config{
		Region: system.AWSRegion, Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""), BaseEndpoint: awssdk.String(w.Cloud.AWSEndpoint()),
	}, func(o *s3.Options) { o.UsePathStyle = true })
	out, err := there.GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: &bucket})
	if err != nil {
		t.Fatal(err)
	}
	for i, tag := range out.TagSet {
		if *tag.Key == "team" {
			out.TagSet[i].Value = &team
		}
	}
	if _, err = there.PutBucketTagging(t.Context(), &s3.PutBucketTaggingInput{Bucket: &bucket, Tagging: &s3types.Tagging{TagSet: out.TagSet}}); err != nil {
		t.Fatal(err)
	}
}

// TestEachLineIsWritten: many objects may say the same within a second, and the log leaves none of them out.
func TestEachLineIsWritten(t *testing.T) {
	read, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = written
	log, err := logger(defaults())
	os.Stderr = stderr
	if err != nil {
		t.Fatal(err)
	}
	const objects = 500
	go func() {
		defer func() { _ = written.Close() }()
		for i := range objects {
			log.Info("usable and as declared", "name", i)
		}
	}()
	told := 0
	for lines := bufio.NewScanner(read); lines.Scan(); {
		told++
	}
	if told != objects {
		t.Errorf("%d lines, want %d", told, objects)
	}
}

// What an Event warns of is a line of the level warn, so that an outage can be read by --log-level=warn alone. Both say who called, and keep the values of the log.
func TestLevels(t *testing.T) {
	for level, want := range map[zapcore.Level][]string{
		zapcore.InfoLevel: {"info a Normal Ready", "warn a Warning Denied"}, zapcore.WarnLevel: {"warn a Warning Denied"}, zapcore.ErrorLevel: nil,
	} {
		var written bytes.Buffer
		log := zapr.NewLogger(zapLogger("json", level, zapcore.AddSync(&written))).WithValues("name", "a")
		telemetry.Log(log, corev1.EventTypeNormal, "usable", "reason", "Ready")
		telemetry.Log(log, corev1.EventTypeWarning, "refused", "reason", "Denied")
		var got []string
		for line := range strings.Lines(written.String()) {
			var entry struct{ Level, Name, Type, Reason, Caller string }
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(entry.Caller, "mooring/log_test.go:") {
				t.Errorf("the caller is %s", entry.Caller)
			}
			got = append(got, strings.Join([]string{entry.Level, entry.Name, entry.Type, entry.Reason}, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at the level %s (-want +got):\n%s", level, diff)
		}
	}
}

// What libraries say of themselves is for whoever looks closer, and so are errors after which what failed is done again.
func TestLibraries(t *testing.T) {
	object := schema.GroupResource{Group: "mooring.dev", Resource: "buckets"}
	for name, tc := range map[string]struct {
		say  func(logr.Logger)
		seen bool // whether it is seen at the default level
	}{
		"a worker that starts": {func(l logr.Logger) { l.Info("Starting workers") }, false},
		"the lease is given back": {func(l logr.Logger) {
			l.Error(errors.New("leader election lost"), "error received after stop sequence was engaged")
		}, false},
		"somebody was faster":    {func(l logr.Logger) { l.Error(apierrors.NewConflict(object, "photos", nil), "Reconciler error") }, false},
		"the API server is away": {func(l logr.Logger) { l.Error(&net.OpError{Op: "dial", Err: errors.New("refused")}, "Reconciler error") }, false},
		"an Event is cut off at the end": {func(l logr.Logger) {
			l.Error(&url.Error{Op: "Post", URL: "https://api", Err: context.Canceled}, "Unable to write event (may retry after sleeping)")
		}, false},
		"an Event can't be written": {func(l logr.Logger) {
			l.Error(errors.New("forbidden"), "Unable to write event (may retry after sleeping)")
		}, true},
		"an Event in a namespace that is being deleted": {func(l logr.Logger) {
			l.Error(&apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonForbidden, Details: &metav1.StatusDetails{
				Causes: []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}},
			}}}, "Server rejected event (will not retry!)")
		}, false},
		"an Event that is refused": {func(l logr.Logger) {
			l.Error(apierrors.NewForbidden(object, "photos", nil), "Server rejected event (will not retry!)")
		}, true},
		"a bug":                    {func(l logr.Logger) { l.Error(errors.New("nil pointer"), "Reconciler error") }, true},
		"a watch that is not held": {func(l logr.Logger) { l.WithName("reflector").Error(errors.New("forbidden"), "Failed to watch") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			for verbosity, want := range map[int]bool{0: tc.seen, 1: true} {
				said := 0
				tc.say(libraries(funcr.New(func(string, string) { said++ }, funcr.Options{Verbosity: verbosity})))
				if (said == 1) != want {
					t.Errorf("at verbosity %d it is said %d times", verbosity, said)
				}
			}
		})
	}
}
