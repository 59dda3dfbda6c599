package telemetry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// Names and labels keep to Prometheus's conventions, and every metric says what it is good for.
func TestMetricsAreInOrder(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Sections() {
		for _, m := range s.Metrics {
			if seen[m.Name] {
				t.Errorf("%s is there twice", m.Name)
			}
			seen[m.Name] = true
			if m.Help == "" || m.Question == "" || m.Query == "" {
				t.Errorf("%s: it says too little", m.Name)
			}
			if !regexp.MustCompile(`\b` + m.Name + `(_bucket|_sum|_count)?\b`).MatchString(m.Query) {
				t.Errorf("%s: its query is about something else: %s", m.Name, m.Query)
			}
		}
	}
	for _, m := range OwnMetrics() {
		if !regexp.MustCompile(`^mooring_[a-z_]+$`).MatchString(m.Name) || (m.Type == Counter) != regexp.MustCompile(`_total$`).MatchString(m.Name) {
			t.Errorf("%s is no name for a %s of ours", m.Name, m.Type)
		}
	}
	problems, err := testutil.GatherAndLint(registry(t, full()))
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// Everything that is in the table is shown, with its labels, and nothing else.
func TestEverythingIsShown(t *testing.T) {
	families, err := registry(t, full()).Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown, want := map[string][]string{}, map[string][]string{}
	for _, f := range families {
		var labels []string
		for _, label := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, label.GetName())
		}
		shown[f.GetName()] = labels
	}
	for _, m := range OwnMetrics() {
		want[m.Name] = slices.Sorted(slices.Values(m.Labels))
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("(-table +shown):\n%s", diff)
	}
}

// Who does not lead says nothing of objects, or a sum over replicas would be double.
func TestOnlyTheLeaderShowsObjects(t *testing.T) {
	m := full()
	m.sources.Leading = make(chan struct{})
	families, err := registry(t, m).Gather()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]*Metric{}
	for _, metric := range OwnMetrics() {
		of[metric.Name] = metric
	}
	for _, f := range families {
		if metric := of[f.GetName()]; !metric.Replicas && metric.Type == Gauge {
			t.Errorf("%s is shown", f.GetName())
		}
		if f.GetName() == leader.Name && f.GetMetric()[0].GetGauge().GetValue() != 0 {
			t.Error("it takes itself for the leader")
		}
	}
}

func TestResourcesAreCounted(t *testing.T) {
	m := New(Options{Now: func() time.Time { return noon }})
	m.Watch(sources(&shelf{
		bucket("aws", "standard", ready(metav1.ConditionTrue, v1alpha1.ReasonReady)),
		bucket("aws", "standard", ready(metav1.ConditionTrue, v1alpha1.ReasonReady)),
		bucket("gcp", "", ready(metav1.ConditionFalse, v1alpha1.ReasonDenied), stalled(v1alpha1.ReasonDenied)),
		bucket("", ""),
		deleted(bucket("aws", "standard"), time.Hour),
		deleted(bucket("aws", "standard", reconciling(v1alpha1.ReasonCloudBusy, 9*time.Hour)), time.Minute),
		bucket("gcp", "", reconciling(v1alpha1.ReasonCreating, time.Minute)),
		bucket("gcp", "", reconciling(v1alpha1.ReasonCreating, time.Hour)),
		bucket("gcp", "", reconciling(v1alpha1.ReasonClassNotFound, 9*time.Hour)),
	}))
	got := values(t, m)
	for series, want := range map[string]float64{
		`mooring_resources{standard,Ready,Bucket,aws,Ready,True}`:     2,
		`mooring_resources{,Ready,Bucket,gcp,Denied,False}`:           1,
		`mooring_resources{,Stalled,Bucket,gcp,Denied,True}`:          1,
		`mooring_resources{,Ready,Bucket,,,Unknown}`:                  1,
		`mooring_resources{standard,Synced,Bucket,aws,,Unknown}`:      4,
		`mooring_resources{standard,Stalled,Bucket,aws,,Unknown}`:     0,
		`mooring_deletion_age_seconds{Bucket,aws}`:                    3600,
		`mooring_reconciling_age_seconds{Bucket,gcp,Creating}`:        3600,
		`mooring_reconciling_age_seconds{Bucket,aws,CloudBusy}`:       0,
		`mooring_reconciling_age_seconds{Bucket,gcp,ClassNotFound}`:   0,
		`mooring_stale_status_resources{Bucket}`:                      3,
		`mooring_observation_age_seconds{Bucket,aws}`:                 120,
		`mooring_rollout_resources{standard,Bucket,waiting}`:          7,
		`mooring_account_concurrency_limit{123,aws}`:                  10,
		`mooring_account_concurrency_limit{,aws}`:                     2,
		`mooring_account_in_flight{123,aws}`:                          4,
		`mooring_provider_configs{Ready,ProviderConfig,gcp,,Unknown}`: 1,
		`mooring_leader{}`: 1,
	} {
		if got[series] != want {
			t.Errorf("%s is %v, want %v", series, got[series], want)
		}
	}
	if t.Failed() {
		for _, s := range slices.Sorted(maps.Keys(got)) {
			t.Log(s, got[s])
		}
	}
}

// The conditions of one object are those of one Ready, one Synced and one Available.
func TestEachObjectCountsOnce(t *testing.T) {
	m := New(Options{Now: func() time.Time { return noon }})
	m.Watch(sources(&shelf{bucket("aws", "a", ready(metav1.ConditionFalse, v1alpha1.ReasonCreating)), bucket("gcp", ""), bucket("", "")}))
	sums := map[string]float64{}
	for series, n := range values(t, m) {
		if found := regexp.MustCompile(`^mooring_resources\{\w*,(\w+),`).FindStringSubmatch(series); found != nil {
			sums[found[1]] += n
		}
	}
	if diff := cmp.Diff(map[string]float64{"Ready": 3, "Synced": 3, "Available": 3}, sums); diff != "" {
		t.Error(diff)
	}
}

// What is counted for the first time is an increase only if the counter was shown before.
func TestDriftIsShownBeforeThereIsAny(t *testing.T) {
	m := New(Options{Now: func() time.Time { return noon }})
	s := sources(&shelf{})
	s.Providers = []string{"aws", "gcp"}
	m.Watch(s)
	got := values(t, m)
	for _, metric := range []*Metric{driftDetected, driftCorrected, driftRecurred} {
		for _, provider := range s.Providers {
			if n, shown := got[metric.Name+"{Bucket,"+provider+"}"]; !shown || n != 0 {
				t.Errorf("%s of %s is %v, shown: %v", metric.Name, provider, n, shown)
			}
		}
	}
}

func TestCallsAreCounted(t *testing.T) {
	now := noon
	m := New(Options{Now: func() time.Time { return now }})
	calls := m.Calls("aws")
	for _, answer := range []driver.Call{{}, {Failed: true, Code: driver.Throttled}, {Failed: true, Code: driver.Throttled}, {Code: driver.Throttled}} {
		ctx, end := calls.Begin(t.Context(), "s3", "CreateBucket")
		if ctx != t.Context() {
			t.Error("the context is another")
		}
		now = now.Add(time.Second)
		end(answer)
	}
	got := values(t, m)
	for code, want := range map[string]float64{"OK": 2, "Throttled": 2} {
		if n := got["mooring_cloud_calls_total{"+code+",CreateBucket,aws,s3}"]; n != want {
			t.Errorf("%v calls are %s, want %v", n, code, want)
		}
		if n := got["mooring_cloud_call_duration_seconds{"+code+",CreateBucket,aws,s3}"]; n != want {
			t.Errorf("%s calls took %v seconds together, want %v", code, n, want)
		}
	}
}

// What can't be counted costs no more than its own series.
func TestAScrapeSurvives(t *testing.T) {
	m := full()
	m.sources.Cache = unwilling{}
	got := values(t, m)
	if got["mooring_leader{}"] != 1 || got["mooring_account_concurrency_limit{123,aws}"] != 10 {
		t.Errorf("too little is shown: %v", got)
	}
}

// Several managers in one process, one after the other, show themselves in one registry.
func TestTheLastManagerIsShown(t *testing.T) {
	r := prometheus.NewRegistry()
	for _, version := range []string{"v1", "v2"} {
		if err := New(Options{Version: version, Now: time.Now}).Register(r); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := testutil.GatherAndCount(r, buildInfo.Name); n != 1 || err != nil {
		t.Errorf("%d managers are shown, %v", n, err)
	}
}

// BenchmarkScrape reads 10,000 objects.
func BenchmarkScrape(b *testing.B) {
	var all informer
	for i := range 10_000 {
		o := bucket([]string{"aws", "gcp"}[i%2], fmt.Sprintf("class-%d", i%10),
			ready(metav1.ConditionTrue, v1alpha1.ReasonReady), metav1.Condition{Type: v1alpha1.ConditionSynced, Status: metav1.ConditionTrue},
			metav1.Condition{Type: v1alpha1.ConditionAvailable, Status: metav1.ConditionTrue})
		all = append(all, &o)
	}
	m := New(Options{Now: func() time.Time { return noon }})
	from := sources(nil)
	from.Cache = all
	m.Watch(from)
	r := prometheus.NewRegistry()
	r.MustRegister(m)
	for b.Loop() {
		if _, err := r.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}

// An informer lists objects as an informer's cache does.
type informer []runtime.Object

func (i informer) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	panic("nobody gets")
}

func (i informer) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if _, ok := list.(*v1alpha1.BucketList); ok {
		return meta.SetList(list, i)
	}
	return nil
}

func registry(t *testing.T, m *Metrics) *prometheus.Registry {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	if err := m.Register(r); err != nil {
		t.Fatal(err)
	}
	return r
}

// values returns all series: counters and gauges by their value, histograms by their sum. Labels are in the order of
// their names.
func values(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	families, err := registry(t, m).Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, series := range f.GetMetric() {
			var labels string
			for i, l := range series.GetLabel() {
				if i > 0 {
					labels += ","
				}
				labels += l.GetValue()
			}
			values[f.GetName()+"{"+labels+"}"] = series.GetGauge().GetValue() + series.GetCounter().GetValue() + series.GetHistogram().GetSampleSum()
		}
	}
	return values
}

// full returns metrics with a series of each.
func full() *Metrics {
	m := New(Options{Version: "v1", SyncPeriod: time.Minute, Now: func() time.Time { return noon }})
	m.Watch(sources(&shelf{bucket("aws", "standard", reconciling(v1alpha1.ReasonCreating, time.Hour)), deleted(bucket("aws", "standard"), time.Hour)}))
	withDatabases(m, v1alpha1.Database{Status: v1alpha1.DatabaseStatus{Support: &v1alpha1.DatabaseSupport{CertificateExpires: &metav1.Time{Time: noon}}}})
	s := Subject{"Bucket", "aws"}
	m.Ready(s, time.Second)
	m.Converged(s, time.Second)
	m.Drift(s, types.NamespacedName{Namespace: "shop", Name: "photos"}, Drift{Detected: true, Recurred: true, Corrected: true})
	m.ObjectDeleted(s, Deleted)
	m.Throttled(s, time.Second)
	m.StatusWriteFailed(s)
	m.SlotAcquired("aws", 0)
	m.Certificate(noon)
	_, end := m.Calls("aws").Begin(context.Background(), "s3", "CreateBucket")
	end(driver.Call{})
	_, _ = TimeCalls(m, failing{}, "aws").Observe(context.Background(), "Bucket", driver.Request{}, driver.Secrets{})
	return m
}

// configs lists one provider config, with conditions.
func configs(conditions ...metav1.Condition) *v1alpha1.ProviderConfigList {
	config := v1alpha1.ProviderConfig{Spec: v1alpha1.ProviderConfigSpec{Account: v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: "shop"}}}}
	config.Status.Conditions = conditions
	return &v1alpha1.ProviderConfigList{Items: []v1alpha1.ProviderConfig{config}}
}

func sources(objects *shelf) Sources {
	leading := make(chan struct{})
	close(leading)
	return Sources{
		Leading: leading, Cache: objects, SyncPeriod: time.Minute, ObjectLimit: 1000,
		Kinds: []Kind{{
			Kind: kind.Bucket(),
			LastObserved: func() []LastObservation {
				return []LastObservation{
					{Provider: "aws", At: noon.Add(-time.Minute), Lag: new(time.Second)}, {Provider: "aws", At: noon.Add(-2 * time.Minute)}, {Provider: "gcp", At: noon},
				}
			},
			StaleStatuses: func() int { return 3 },
			Rollouts:      func() []Rollout { return []Rollout{{"standard", 5, 7}} },
		}},
		Configs: []ConfigKind{{
			Name: "ProviderConfig", NewList: func() client.ObjectList { return configs() },
		}},
		Accounts: func() []Account {
			return []Account{{"aws", "123", 10, 4, 1}, {"aws", "", 1, 0, 0}, {"aws", "", 1, 0, 0}}
		},
		Budgets: func() []Budget {
			return []Budget{{"aws", "123", "RDS reads", 180, 160, 23 * time.Minute}, {"aws", "", "RDS reads", 1, 0, 0}, {"aws", "", "RDS reads", 1, 0, 0}}
		},
		Quotas: func() []Quota {
			snapshots := func(used int64) driver.QuotaUsage {
				return driver.QuotaUsage{Name: "ManualSnapshots", Used: used, Max: 100}
			}
			return []Quota{{"aws", "123", "eu-central-1", snapshots(80)}, {"aws", "123", "eu-central-1", snapshots(79)}, {"aws", "123", "eu-west-1", driver.QuotaUsage{Name: "ManualSnapshots"}}}
		},
	}
}

// A shelf is a cache of buckets.
type shelf []v1alpha1.Bucket

func (s *shelf) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	panic("nobody gets")
}

func (s *shelf) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if buckets, ok := list.(*v1alpha1.BucketList); ok {
		buckets.Items = slices.Clone(*s)
		for i := range buckets.Items {
			if b := &buckets.Items[i]; b.Name == "" {
				b.Name = fmt.Sprint("bucket-", i)
			}
		}
	}
	return nil
}

// unwilling is a cache that does not answer.
type unwilling struct{}

func (unwilling) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	panic("nobody gets")
}

func (unwilling) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("not filled yet")
}

func bucket(provider, class string, conditions ...metav1.Condition) v1alpha1.Bucket {
	var b v1alpha1.Bucket
	b.Status.Provider, b.Status.ClassName, b.Status.Conditions = provider, class, conditions
	return b
}

func deleted(b v1alpha1.Bucket, ago time.Duration) v1alpha1.Bucket {
	b.DeletionTimestamp = &metav1.Time{Time: noon.Add(-ago)}
	return b
}

func ready(status metav1.ConditionStatus, reason v1alpha1.Reason) metav1.Condition {
	return metav1.Condition{Type: v1alpha1.ConditionReady, Status: status, Reason: string(reason)}
}

func reconciling(reason v1alpha1.Reason, since time.Duration) metav1.Condition {
	return metav1.Condition{
		Type: v1alpha1.ConditionReconciling, Status: metav1.ConditionTrue, Reason: string(reason), LastTransitionTime: metav1.NewTime(noon.Add(-since)),
	}
}

func stalled(reason v1alpha1.Reason) metav1.Condition {
	return metav1.Condition{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: string(reason)}
}
