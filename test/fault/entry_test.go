package fault

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// entryWrites are the calls that write entries of maps and lists of a bucket, of which others may have some.
var entryWrites = map[string][]string{
	"aws": {
		"PutBucketTagging", "PutBucketLifecycleConfiguration", "PutBucketNotificationConfiguration", "PutBucketReplication",
		"PutBucketMetricsConfiguration", "PutBucketIntelligentTieringConfiguration", "PutBucketAnalyticsConfiguration", "PutBucketInventoryConfiguration",
	},
	"gcp": {"buckets.patch", "buckets.setIamPolicy", "notifications.insert"},
}

// TestEditedWhileNoProcessRuns kills the process in the moment in which entries of a bucket are written. Before another one starts, a person gives the entries other values, or
// takes them out: the entries are the object's own all the same, so they are changed, and go.
func TestEditedWhileNoProcessRuns(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	var all sync.WaitGroup
	places := make(chan struct{}, 12)
	for cloud, writes := range entryWrites {
		for _, write := range writes {
			for name, change := range map[string]func(*v1alpha1.BucketSpec){"changed": changeEntries, "dropped": dropEntries} {
				all.Go(func() {
					places <- struct{}{}
					defer func() { <-places }()
					t.Run(cloud+"/"+write+"/"+name, func(t *testing.T) {
						l := w.newLifecycle(system.TargetOf("Bucket", cloud))
						defer l.logIfFailed(t)
						l.editWhileNoProcessRuns(t, write, change)
					})
				})
			}
		}
	}
	all.Wait()
}

// editWhileNoProcessRuns gives a bucket entries, kills the process at a write of them, and edits them before another one starts.
func (l *lifecycle) editWhileNoProcessRuns(t *testing.T, write string, change func(*v1alpha1.BucketSpec)) {
	t.Helper()
	l.prepare(t)
	begin := func() (*system.Manager, *system.KillSwitch) {
		life := &system.KillSwitch{}
		m, err := l.start(t.Context(), life, timeout, nil, l.name)
		l.must(t, err)
		t.Cleanup(m.Kill)
		return m, life
	}
	patch := func(how func(*v1alpha1.BucketSpec)) {
		l.patch(t, func(o client.Object) { how(&o.(*v1alpha1.Bucket).Spec) })
	}
	m, life := begin()
	l.enterPhase(creation)
	b := l.object().(*v1alpha1.Bucket)
	b.Spec.BucketParameters = system.FullBucket(l.console())
	dropEntries(&b.Spec)
	l.must(t, l.Client.Create(t.Context(), b))
	l.track(b.UID)
	l.awaitReady(t)
	l.kill = life.Kill
	l.enterPhase(edit)
	l.inject(&injectedFault{phase: edit, call: call{cloud, write, 1}, kind: killed})
	patch(func(s *v1alpha1.BucketSpec) {
		s.BucketParameters = system.FullBucket(l.console())
		if s.GCP != nil {
			s.GCP.IAMBindings = []v1alpha1.BucketIAMBinding{{Role: "roles/storage.objectViewer", Members: []string{"user:joe@example.com"}}}
		}
	})
	await(t, l.name+": the process is killed", func() string {
		if l.hitCount() == 0 {
			return "it runs"
		}
		return ""
	})
	m.Kill()
	l.inject(nil)
	patch(change)
	begin()
	l.awaitReady(t)
	l.verify(t, edit)
	l.verifyEntries(t)
}

// changeEntries gives each entry another value.
func changeEntries(s *v1alpha1.BucketSpec) {
	s.Tags, s.Lifecycle[0].AbortUploadsAfterDays = map[string]v1alpha1.TagValue{"team": "b", "env": "live"}, new(int32(9))
	if a := s.AWS; a != nil {
		other := new("other/")
		a.Notifications.Queues[0].Prefix, a.Notifications.Topics[0].Prefix, a.Notifications.Functions[0].Prefix = other, other, other
		a.Replication.Rules[0].Prefix, a.Metrics[0].Prefix, a.IntelligentTiering[0].Prefix, a.Analytics[0].Prefix, a.Inventory[0].Prefix = other, other, other, other, other
	}
	if g := s.GCP; g != nil {
		g.IAMBindings[0].Members, g.Notifications[0].EventTypes = []string{"user:jane@example.com"}, []string{"OBJECT_DELETE"}
	}
}

// dropEntries takes all entries out.
func dropEntries(s *v1alpha1.BucketSpec) {
	s.Tags, s.Lifecycle = map[string]v1alpha1.TagValue{}, []v1alpha1.LifecycleRule{}
	if a := s.AWS; a != nil {
		n := a.Notifications
		n.Queues, n.Topics, n.Functions = []v1alpha1.BucketNotificationAWS{}, []v1alpha1.BucketNotificationAWS{}, []v1alpha1.BucketNotificationAWS{}
		a.Replication.Rules, a.Metrics, a.IntelligentTiering = []v1alpha1.ReplicationRuleAWS{}, []v1alpha1.BucketMetricsAWS{}, []v1alpha1.BucketIntelligentTieringAWS{}
		a.Analytics, a.Inventory = []v1alpha1.BucketAnalyticsAWS{}, []v1alpha1.BucketInventoryAWS{}
	}
	if g := s.GCP; g != nil {
		g.IAMBindings, g.Notifications = []v1alpha1.BucketIAMBinding{}, []v1alpha1.BucketNotificationGCP{}
	}
}

// verifyEntries checks that the status reports the entries of the spec, and no others.
func (l *lifecycle) verifyEntries(t testing.TB) {
	t.Helper()
	b := l.get(t).(*v1alpha1.Bucket)
	texts := func(p v1alpha1.BucketParameters) (all []string) {
		if p.AWS == nil {
			p.AWS = &v1alpha1.BucketAWS{}
		}
		if p.GCP == nil {
			p.GCP = &v1alpha1.BucketGCP{}
		}
		if p.AWS.Replication == nil {
			p.AWS.Replication = &v1alpha1.BucketReplicationAWS{}
		}
		if p.AWS.Notifications == nil {
			p.AWS.Notifications = &v1alpha1.BucketNotificationsAWS{}
		}
		n := p.AWS.Notifications
		for _, entries := range []any{p.Tags, p.Lifecycle, n.Queues, n.Topics, n.Functions, p.AWS.Replication.Rules, p.AWS.Metrics, p.AWS.IntelligentTiering, p.AWS.Analytics, p.AWS.Inventory, p.GCP.IAMBindings, p.GCP.Notifications} {
			text, err := json.Marshal(entries)
			l.must(t, err)
			all = append(all, strings.NewReplacer("null", "", "[]", "", "{}", "").Replace(string(text)))
		}
		return all
	}
	if diff := cmp.Diff(texts(b.Spec.BucketParameters), texts(*b.Status.Observed)); diff != "" {
		t.Errorf("entries of the spec (-), and of the bucket (+):\n%s", diff)
	}
}
