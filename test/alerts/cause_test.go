package alerts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/leadership"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/patience"
	"github.com/mooring-dev/mooring/test/system"
)

// A cause is what alerts are there for.
type cause struct {
	name string
	// alerts fire, with these labels; $namespace is that of the cause's objects.
	alerts  map[string]string
	options controllers.Options
	// inject makes what is well at first, and returns what then befalls it.
	inject func(*fixture) func()
	// every is how often that happens again; default every minute.
	every time.Duration
	// skew is how far Prometheus's clock is ahead of the manager's.
	skew time.Duration
}

var causes = []cause{
	{
		name: "credentials are revoked",
		alerts: map[string]string{
			"MooringProviderConfigNotReady": `kind="ClusterProviderConfig",name="aws",provider="aws",reason="Denied"`,
			"MooringCloudDenied":            `provider="aws"`,
			"MooringResourceStalled":        `namespace="$namespace",name="photos",kind="Bucket",provider="aws",reason="Denied"`,
		},
		inject: func(c *fixture) func() {
			b := c.bucket("photos", nil)
			c.AwaitReady(b)
			return func() {
				c.Cloud.RevokeAWSKeys(system.AWSAccount)
				c.Cleanup(func() { c.Cloud.RestoreAWSKeys(system.AWSAccount) })
				c.AwaitCondition(b, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonDenied)
			}
		},
	},
	{
		name:   "a database is deleted in the cloud",
		alerts: map[string]string{"MooringDatabaseUnavailable": `namespace="$namespace",name="orders",provider="aws",reason="Vanished"`},
		inject: func(c *fixture) func() {
			d := c.database("orders", nil)
			c.AwaitReady(d)
			return func() {
				c.of.aws.Databases().Delete(c.T, d.Status.ExternalName)
				c.AwaitCondition(d, v1alpha1.ConditionAvailable, metav1.ConditionFalse, v1alpha1.ReasonVanished)
			}
		},
	},
	{
		name:   "a class is named that there is not",
		alerts: map[string]string{"MooringResourceNotReady": `namespace="$namespace",name="photos",kind="Bucket",reason="ClassNotFound"`},
		inject: func(c *fixture) func() {
			return func() {
				b := c.bucket("photos", func(b *v1alpha1.Bucket) { b.Spec.ProviderConfigRef, b.Spec.ClassName = nil, "nowhere" })
				c.AwaitCondition(b, v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonClassNotFound)
			}
		},
	},
	{
		name:   "the cloud never finishes what it began",
		alerts: map[string]string{"MooringNeverFinishes": `namespace="$namespace",name="orders",kind="Database",provider="aws",reason="Creating"`},
		inject: func(c *fixture) func() {
			return func() {
				c.stopCloudClock()
				d := c.database("orders", nil)
				c.AwaitCondition(d, v1alpha1.ConditionReconciling, metav1.ConditionTrue, v1alpha1.ReasonCreating)
				c.clock.Forward(5 * time.Hour)
			}
		},
	},
	{
		name:   "a service of the cloud is down",
		alerts: map[string]string{"MooringCloudErrors": `provider="aws",service="s3"`},
		inject: func(c *fixture) func() {
			c.AwaitReady(c.bucket("photos", nil))
			return func() {
				c.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Service: "s3"}, Kind: localcloud.ServerError})
				c.Eventually("a call failed", func() bool { return c.scrape().shows("mooring_cloud_calls_total", `code="Unavailable"`) })
			}
		},
	},
	{
		name:   "a class changes, and the cloud turns the changes away as too many",
		alerts: map[string]string{"MooringThrottled": `provider="aws",service="s3"`},
		inject: func(c *fixture) func() {
			class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace}}
			class.Spec.ProviderConfigRef.Name, class.Spec.AllowedNamespaces = "aws", &metav1.LabelSelector{}
			class.Spec.Enforced = &v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"cost": "a"}}
			c.Must(c.Client.Create(c.Context(), class))
			c.AwaitReady(c.bucket("photos", func(b *v1alpha1.Bucket) { b.Spec.ProviderConfigRef, b.Spec.ClassName = nil, class.Name }))
			return func() {
				c.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Service: "s3", Write: localcloud.Writes}, Kind: localcloud.Throttled})
				system.Edit(c.Fixture, class, func(class *v1alpha1.BucketClass) { class.Spec.Enforced.Tags["cost"] = "b" })
				c.Eventually("the change is under way, and put off", func() bool {
					s := c.scrape()
					return s.sum("mooring_rollout_resources", `class="`+class.Name+`"`) > 0 && s.has("mooring_throttle_wait_seconds")
				})
			}
		},
	},
	{
		name:   "the cloud does not answer for an hour",
		alerts: map[string]string{"MooringNotObserved": `namespace="$namespace",name="photos",kind="Bucket",provider="aws"`},
		inject: func(c *fixture) func() {
			c.AwaitReady(c.bucket("photos", nil))
			return func() {
				c.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Service: "s3"}, Kind: localcloud.RequestLost})
				c.clock.Forward(time.Hour)
			}
		},
	},
	{
		name:   "somebody sets a tag back, again and again",
		alerts: map[string]string{"MooringDriftKeepsComingBack": `namespace="$namespace",name="photos",kind="Bucket",provider="aws"`},
		every:  time.Hour,
		inject: func(c *fixture) func() {
			b := c.bucket("photos", nil)
			c.AwaitReady(b)
			return func() {
				for round := 1; round <= 5; round++ {
					c.tag(b.Status.ExternalName, "team", "theirs")
					c.Eventually("it is put right", func() bool { return c.scrape().sum("mooring_drift_corrected_total", `kind="Bucket"`) == float64(round) })
				}
			}
		},
	},
	{
		name:   "a database is deleted that is protected",
		alerts: map[string]string{"MooringDeletionStuck": `namespace="$namespace",name="orders",kind="Database",provider="aws"`},
		inject: func(c *fixture) func() {
			d := c.database("orders", func(d *v1alpha1.Database) { d.Spec.DeletionProtection = new(true) })
			c.AwaitReady(d)
			return func() {
				c.delete(d, false)
				c.AwaitCondition(d, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonDeletionProtected)
				c.clock.Forward(3 * time.Hour)
			}
		},
	},
	{
		name:   "an edit that restarts waits for somebody",
		alerts: map[string]string{"MooringApprovalWaits": `namespace="$namespace",name="orders",kind="Database",provider="aws"`},
		inject: func(c *fixture) func() {
			d := c.database("orders", func(d *v1alpha1.Database) {
				d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
			})
			c.AwaitReady(d)
			return func() {
				system.Edit(c.Fixture, d, func(d *v1alpha1.Database) { d.Spec.AWS.InstanceClass = new("db.t4g.small") })
				c.AwaitCondition(d, v1alpha1.ConditionSynced, metav1.ConditionFalse, v1alpha1.ReasonApprovalRequired)
			}
		},
	},
	{
		name:   "statuses can't be written",
		alerts: map[string]string{"MooringReconcileErrors": "", "MooringNotObserved": `namespace="$namespace",name="photos",kind="Bucket",provider="aws"`},
		every:  5 * time.Minute, // so seldom is it tried at last
		inject: func(c *fixture) func() {
			b := c.bucket("photos", nil)
			c.AwaitReady(b)
			return func() {
				c.broken.Store(true)
				system.Edit(c.Fixture, b, func(b *v1alpha1.Bucket) { b.Spec.Tags["team"] = "b" })
				failures := func() float64 { return c.scrape().sum("mooring_status_write_failures_total", `kind="Bucket"`) }
				c.Eventually("it was tried", func() bool { return failures() > 0 })
				c.clock.Forward(time.Hour)
				before := failures()
				c.Eventually("an observation after that hour was not written either", func() bool { return failures() >= before+2 })
			}
		},
	},
	{
		name:    "the API server is slow, and much is made at once",
		alerts:  map[string]string{"MooringQueueBacklog": `name="buckets"`},
		options: controllers.Options{Workers: 1},
		inject: func(c *fixture) func() {
			c.AwaitReady(c.bucket("first", nil))
			return func() {
				c.slow.Store(true)
				for i := range 60 {
					c.bucket(fmt.Sprintf("photos-%d", i), nil)
				}
			}
		},
	},
	{
		name:    "the certificate is not renewed for 80 days",
		alerts:  map[string]string{"MooringWebhookCertificateExpiring": ""},
		options: controllers.Options{WebhookAddress: "free"},
		skew:    80 * 24 * time.Hour,
		inject: func(c *fixture) func() {
			return func() {
				c.Eventually("there is a certificate", func() bool { return c.scrape().has("mooring_webhook_certificate_expiry_timestamp_seconds") })
			}
		},
	},
	{
		name:   "the certificate of a server expires in 65 days",
		alerts: map[string]string{"MooringSupportEnding": `namespace="$namespace",name="orders",kind="Database",provider="aws",what="Certificate"`},
		skew:   300 * 24 * time.Hour,
		inject: func(c *fixture) func() {
			return func() { c.AwaitReady(c.database("orders", nil)) }
		},
	},
	{
		name:   "another Mooring holds the Lease",
		alerts: map[string]string{"MooringNoLeader": ""},
		inject: func(c *fixture) func() {
			return func() {
				c.manager.Kill()
				lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: controllers.LeaderLease}}
				lease.Spec = coordinationv1.LeaseSpec{
					HolderIdentity: new("somebody"), LeaseDurationSeconds: new(int32(3600)), AcquireTime: &metav1.MicroTime{Time: time.Now()}, RenewTime: &metav1.MicroTime{Time: time.Now()},
				}
				c.Must(c.Client.Create(c.Context(), lease))
				own, err := leadership.New(c.of.user, system.Namespace, controllers.LeaderLease, "", time.Now)
				c.Must(err)
				c.start(controllers.Options{Lease: own}, controllers.ManagerOptions{Lease: own})
			}
		},
	},
	{
		name:   "Mooring ends",
		alerts: map[string]string{"MooringAbsent": ""},
		inject: func(c *fixture) func() { return func() { c.manager.Kill() } },
	},
}

// tag sets a tag of a bucket, as somebody else.
func (c *fixture) tag(bucket, key, value string) {
	c.Helper()
	c.of.aws.Buckets().Tag(c.T, bucket, map[string]string{key: value})
}

// Every alert fires when its cause is produced, and not before. What managers showed meanwhile is what the reference says.
func TestCauses(t *testing.T) {
	if err := promtool(t, "--version"); err != nil {
		t.Fatal(err)
	}
	s := newEnvironment(t)
	if !t.Run("all is well", func(t *testing.T) { atRest(s.fixture(t, "rest")) }) {
		return
	}
	all := true
	for i, cause := range causes {
		ran := false
		t.Run(cause.name, func(t *testing.T) {
			ran = true
			cause.test(s.fixture(t, fmt.Sprintf("cause-%d", i)))
		})
		all = all && ran
	}
	if all && !t.Failed() {
		shown(t, s.metricsSeen)
	}
}

// length is for how long what was scraped goes on: in full hours, when the rules are evaluated, and at least two more than the alerts of
// the cause wait, which is longer than any rule looks back.
func (cause cause) length(t *testing.T) time.Duration {
	t.Helper()
	var wait time.Duration
	for _, a := range alerts(t) {
		if _, ok := cause.alerts[a.Name]; ok && a.For != "" {
			d, err := time.ParseDuration(strings.Replace(a.For, "1d", "24h", 1))
			if err != nil {
				t.Fatal(err)
			}
			wait = max(wait, d)
		}
	}
	return wait.Truncate(time.Hour) + 3*time.Hour
}

func (cause cause) test(c *fixture) {
	if cause.options.WebhookAddress != "" {
		cause.options.WebhookAddress = system.FreeAddress(c.T)
	}
	c.start(cause.options, controllers.ManagerOptions{})
	if cause.every == 0 {
		cause.every = time.Minute
	}
	happen := cause.inject(c)
	before, length := c.scrape(), cause.length(c.T)
	var quiet, loud []expectation
	for name, labels := range cause.alerts {
		quiet, loud = append(quiet, notFiring(name)), append(loud, firing(name, strings.ReplaceAll(labels, "$namespace", c.Namespace)))
	}
	if err := (timeline{before: before, after: before, every: cause.every, length: length}).evaluate(c.T, quiet...); err != nil {
		c.Fatalf("it fires before there is a cause: %v", err)
	}
	happen()
	for wait := patience.New(); ; {
		err := timeline{before: before, after: c.scrape(), every: cause.every, skew: cause.skew, length: length}.evaluate(c.T, loud...)
		if err == nil {
			return
		}
		if wait.Over() {
			c.Fatalf("not so after %s: %v", wait, err)
		}
		time.Sleep(100 * time.Millisecond) // what the alert is about is not counted yet
	}
}

// atRest leads objects through their lives, and demands that no alert fires for that within longer than any waits.
func atRest(c *fixture) {
	c.start(controllers.Options{SyncPeriod: 10 * time.Minute}, controllers.ManagerOptions{})
	before := c.scrape()
	for _, provider := range []string{"aws", "gcp"} {
		if !before.shows("mooring_drift_recurred_total", `kind="Bucket",provider="`+provider+`"`) {
			c.Errorf("the first drift in %s that returns is lost: no counter was shown before", provider)
		}
	}
	b, gone := c.bucket("photos", nil), c.bucket("gone", nil)
	c.AwaitReady(c.bucket("pictures", func(b *v1alpha1.Bucket) { b.Spec.ProviderConfigRef = ref("gcp") }))
	c.AwaitReady(c.database("orders", nil))
	c.AwaitReady(c.database("reads", func(d *v1alpha1.Database) {
		d.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: "orders"}}
	}))
	c.Eventually("the lag of the replica is shown", func() bool { return c.scrape().has("mooring_replica_lag_seconds") })
	c.AwaitReady(b)
	c.AwaitReady(gone)
	system.Edit(c.Fixture, b, func(b *v1alpha1.Bucket) { b.Spec.Tags["team"] = "b" })
	c.AwaitReady(b)
	c.Eventually("the edit is counted", func() bool { return c.scrape().has("mooring_time_to_converge_seconds") })
	c.delete(gone, true)
	c.Eventually("the deletion is counted", func() bool { return c.scrape().has("mooring_deletions_total") })
	if err := (timeline{before: before, after: c.scrape(), every: time.Minute, length: 25 * time.Hour}).evaluate(c.T, expectation{"ALERTS", false}); err != nil {
		c.Error(err)
	}
}

// shown holds the page of metrics to what managers showed.
func shown(t *testing.T, seen map[string][]string) {
	t.Helper()
	page := metricsPage(t)
	for name, labels := range seen {
		if !strings.HasPrefix(name, "mooring_") {
			if page[name] == nil {
				delete(seen, name)
			}
			continue
		}
		if page[name] == nil {
			t.Errorf("%s%v is not in the reference", name, labels)
		}
	}
	if diff := cmp.Diff(page, seen); diff != "" {
		t.Errorf("(-reference +shown):\n%s", diff)
	}
}
