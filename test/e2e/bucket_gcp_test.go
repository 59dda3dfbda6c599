package e2e

import (
	"net/netip"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

func init() { bucketChanges = append(bucketChanges, storageChanges...) }

// storageChange is a change of a setting that only Cloud Storage has. drift is nil if nobody else can change it.
func storageChange(field string, edit func(*v1alpha1.BucketGCP), mirror string, drift any) bucketChange {
	change := bucketChange{
		field: field, only: "gcp", mirror: text(mirror), write: patched(""),
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) { edit(s.GCP) },
	}
	if drift != nil {
		change.drift = func(w *fixture, c *system.Cloud, name string) { c.Buckets().Set(w.T, name, field, drift) }
	}
	return change
}

// storageChanges are the changes of these settings.
var storageChanges = []bucketChange{
	{
		field: "gcp.iamBindings", only: "gcp", write: map[string]string{"gcp": "buckets.setIamPolicy"},
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.GCP.IAMBindings = []v1alpha1.BucketIAMBinding{{Role: "roles/storage.objectViewer", Members: []string{"user:jane@example.com"}}}
		},
		mirror: text(`[{"members":["user:jane@example.com"],"role":"roles/storage.objectViewer"}]`),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "gcp.iamBindings", []v1alpha1.BucketIAMBinding{})
		},
	},
	storageChange("gcp.ipFilter.mode", func(b *v1alpha1.BucketGCP) { b.IPFilter.Mode = new("Enabled") }, `"Enabled"`, "Disabled"),
	storageChange("gcp.ipFilter.publicCIDRs", func(b *v1alpha1.BucketGCP) { b.IPFilter.PublicCIDRs = []string{"198.51.100.0/24", "2001:db8::/32"} },
		`["198.51.100.0/24","2001:db8::/32"]`, []string{"0.0.0.0/0"}),
	storageChange("gcp.ipFilter.networks", func(b *v1alpha1.BucketGCP) {
		b.IPFilter.Networks = []v1alpha1.BucketIPFilterNetwork{{Network: "projects/shop/global/networks/web", AllowedCIDRs: []string{"10.0.0.0/8"}}}
	}, `[{"allowedCIDRs":["10.0.0.0/8"],"network":"projects/shop/global/networks/web"}]`, []v1alpha1.BucketIPFilterNetwork{}),
	storageChange("gcp.ipFilter.allowCrossOrgNetworks", func(b *v1alpha1.BucketGCP) { b.IPFilter.AllowCrossOrgNetworks = new(true) }, "true", false),
	storageChange("gcp.ipFilter.allowAllServiceAgents", func(b *v1alpha1.BucketGCP) { b.IPFilter.AllowAllServiceAgents = new(true) }, "true", false),
	storageChange("gcp.softDeleteDays", func(b *v1alpha1.BucketGCP) { b.SoftDeleteDays = new(int32(30)) }, "30", 14),
	// to false, so that its drift is one that disturbs nobody
	storageChange("gcp.uniformAccess", func(b *v1alpha1.BucketGCP) { b.UniformAccess = new(false) }, "false", true),
	storageChange("gcp.storageClass", func(b *v1alpha1.BucketGCP) { b.StorageClass = new("STANDARD") }, `"STANDARD"`, nil), // as Autoclass needs it
	storageChange("gcp.autoclass.enabled", func(b *v1alpha1.BucketGCP) { b.Autoclass.Enabled = new(true) }, "true", false),
	storageChange("gcp.autoclass.terminalStorageClass", func(b *v1alpha1.BucketGCP) { b.Autoclass.TerminalStorageClass = new("ARCHIVE") }, `"ARCHIVE"`, "NEARLINE"),
	storageChange("gcp.defaultEventBasedHold", func(b *v1alpha1.BucketGCP) { b.DefaultEventBasedHold = new(true) }, "true", nil),
	// back, so that its drift is one that disturbs nobody
	storageChange("gcp.defaultEventBasedHold", func(b *v1alpha1.BucketGCP) { b.DefaultEventBasedHold = new(false) }, "false", true),
}

// storageElsewhere are the fields that the bucket of TestBucketLife does not have, and the test of each.
var storageElsewhere = map[string]string{
	"retention.days": "TestRetention", "retention.locked": "TestRetentionIsLockedWithConsent", // Cloud Storage has none beside versioning
	"aws.objectLock":    "TestObjectLock",      // nobody can take it back
	"gcp.notifications": "TestTopicsOfABucket", // an edit takes two writes
	"gcp.rpo":           "TestDualRegions", "gcp.customPlacementConfig.dataLocations": "TestDualRegions", "gcp.hierarchicalNamespace": "TestDualRegions",
}

// A bucket of two regions with folders is made as such, changes how soon objects are in both, and never its regions.
func TestDualRegions(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	b := throughOpenClass(w, c, w.bucket(c, "both", v1alpha1.BucketParameters{Location: new("eu"), GCP: &v1alpha1.BucketGCP{
		RPO: new("ASYNC_TURBO"), HierarchicalNamespace: new(true), CustomPlacementConfig: &v1alpha1.BucketCustomPlacement{DataLocations: []string{"europe-west4", "europe-west1"}},
	}}))
	w.create(b)
	name := w.ready(b).Status.ExternalName
	w.mirrors(b, "gcp.customPlacementConfig.dataLocations", `["europe-west1","europe-west4"]`)
	w.mirrors(b, "gcp.hierarchicalNamespace", "true")
	mark := len(c.Writes(name))
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.GCP.RPO = new("DEFAULT") })
	w.mirrors(b, "gcp.rpo", `"DEFAULT"`)
	w.expectWrites(c, name, mark, "buckets.patch")

	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.GCP.CustomPlacementConfig.DataLocations = []string{"europe-west1", "europe-west3"}
	})
	w.stalled(b, v1alpha1.ReasonImmutable, "create another Bucket in these regions")
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.GCP.CustomPlacementConfig = nil })
	w.ready(b)
	w.equal("writes", len(c.Writes(name)), mark+1)
}

// Topics get events: an edit makes a notification and deletes the old one, drift is put right by one write, and the notification of somebody else stays.
func TestTopicsOfABucket(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	const topics = "projects/mooring-test/topics/"
	ours, theirs := v1alpha1.BucketNotificationGCP{Topic: topics + "uploads"}, v1alpha1.BucketNotificationGCP{Topic: topics + "audit"}
	shows := func(prefix, topic string) string {
		return `{` + prefix + `"payloadFormat":"JSON_API_V1","topic":"` + topics + topic + `"}`
	}
	b := throughOpenClass(w, c, w.bucket(c, "told", v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{Notifications: []v1alpha1.BucketNotificationGCP{ours}}}))
	w.create(b)
	name := w.ready(b).Status.ExternalName
	w.equal("writes of the creation", c.Writes(name), []string{"buckets.insert", "notifications.insert"})

	mark := len(c.Writes(name))
	c.Buckets().Set(t, name, "gcp.notifications", []v1alpha1.BucketNotificationGCP{theirs, ours}) // as a tool does that takes ours for its own
	w.mirrors(b, "gcp.notifications", "["+shows("", "audit")+","+shows("", "uploads")+"]")
	w.expectWrites(c, name, mark, "notifications.delete", "notifications.insert", "notifications.insert")

	mark = len(c.Writes(name))
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.GCP.Notifications[0].ObjectNamePrefix = new("photos/") })
	w.mirrors(b, "gcp.notifications", "["+shows("", "audit")+","+shows(`"objectNamePrefix":"photos/",`, "uploads")+"]")
	w.expectWrites(c, name, mark, "notifications.insert", "notifications.delete")

	mark = len(c.Writes(name))
	c.Buckets().Set(t, name, "gcp.notifications", []v1alpha1.BucketNotificationGCP{theirs})
	w.Eventually("the drift is put right", func() bool { return len(c.Writes(name)) > mark+3 })
	w.mirrors(b, "gcp.notifications", "["+shows("", "audit")+","+shows(`"objectNamePrefix":"photos/",`, "uploads")+"]")
	w.expectWrites(c, name, mark, "notifications.delete", "notifications.delete", "notifications.insert", "notifications.insert")

	mark = len(c.Writes(name))
	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.GCP.Notifications = []v1alpha1.BucketNotificationGCP{{Topic: topics + "no-such-topic"}}
	})
	w.stalled(b, v1alpha1.ReasonInvalid, "roles/pubsub.publisher on "+topics+"no-such-topic")
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.GCP.Notifications = []v1alpha1.BucketNotificationGCP{} })
	w.mirrors(b, "gcp.notifications", "["+shows("", "audit")+"]")
	w.delete(b)
	w.awaitDeleted(b)
}

// A filter that keeps Mooring out says so, and what to do; who does that has a bucket that is ready, and {} ends the filter.
func TestAFilterThatKeepsMooringOut(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	b := throughOpenClass(w, c, w.bucket(c, "filtered", v1alpha1.BucketParameters{}))
	w.create(b)
	name := w.ready(b).Status.ExternalName
	from := localcloud.GCPCaller{Address: netip.MustParseAddr("198.51.100.1")}
	c.GCPCallsFrom(c.Account, from)
	t.Cleanup(func() { c.GCPCallsFrom(c.Account, localcloud.GCPCaller{}) })
	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.GCP = &v1alpha1.BucketGCP{IPFilter: &v1alpha1.BucketIPFilter{Mode: new("Enabled"), PublicCIDRs: []string{"203.0.113.0/24"}}}
	})
	w.stalled(b, v1alpha1.ReasonDenied, "grant Mooring's identity storage.buckets.exemptFromIpFilter", "IP filtering condition")
	w.Disturb()
	from.Exempt = true
	c.GCPCallsFrom(c.Account, from)
	w.ready(b)
	w.mirrors(b, "gcp.ipFilter.mode", `"Enabled"`)

	mark := len(c.Writes(name))
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.GCP.IPFilter = &v1alpha1.BucketIPFilter{} })
	w.mirrors(b, "gcp.ipFilter.mode", `"Disabled"`)
	w.expectWrites(c, name, mark, "buckets.patch")
	w.delete(b)
	w.awaitDeleted(b)
}
