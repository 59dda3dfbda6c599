package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// What can never become what the spec asks for is not taken over: it gets no mark, and does not go with the object.
func TestContradictionIsNotTakenOver(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		external := w.Namespace + "-theirs"
		c.Databases().MakeMySQL(w.T, external)
		w.notTakenOver(c, w.database(c, "ours", system.MinimalDatabase(c)), external, `engine can't change from "mysql" to "postgres"`)
	})
}

// The same holds for the location of a bucket, which the clouds write in their own ways.
func TestContradictingLocationIsNotTakenOver(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	external := w.Namespace + "-theirs"
	c.Buckets().MakeIn(w.T, external, "US")
	w.notTakenOver(c, w.bucket(c, "ours", v1alpha1.BucketParameters{Location: new("eu")}), external, `location can't change from "us" to "eu"`)
}

// notTakenOver declares an object that is to take over what contradicts it.
func (w *fixture) notTakenOver(c *system.Cloud, o client.Object, external string, says ...string) {
	w.Helper()
	mark := len(c.Writes(external))
	system.SpecOf(o).ExternalName, system.SpecOf(o).Adoption = external, v1alpha1.AdoptionIfExists
	w.create(o)
	w.stalled(o, v1alpha1.ReasonImmutable, append(says, "does not take it over")...)
	w.untouched(c, external, mark, o)
	w.delete(o)
	w.awaitDeleted(o)
	w.equal("writes", c.Writes(external)[mark:], []string{})
}

// What was taken over and never was as declared stays in the cloud.
func TestAdoptedAndNeverApplied(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		external := w.Namespace + "-theirs"
		c.Databases().Make(w.T, external, map[string]string{"theirs": "1"})
		p := system.MinimalDatabase(c)
		system.SetSize(c, &p, system.Sizes[c.Name][1])
		d := w.database(c, "ours", p)
		d.Spec.ExternalName, d.Spec.Adoption = external, v1alpha1.AdoptionIfExists
		w.create(d)
		s := w.stalled(d, v1alpha1.ReasonApprovalRequired)
		w.equal("origin", s.Status.Origin, v1alpha1.OriginAdopted)
		w.delete(d)
		w.awaitDeleted(d)
		if tags := c.Databases().Tags(w.T, external); !driver.MarkFrom(tags).Released || tags["theirs"] != "1" {
			w.Errorf("it is left with the tags %v", tags)
		}
	})
}

// Where something was observed is where it is, whatever region the account has; and there it is created again.
func TestLocationIsWhereItWasObserved(t *testing.T) {
	for _, observed := range []bool{false, true} {
		t.Run(fmt.Sprintf("observed first %t", observed), func(t *testing.T) {
			w := newFixture(t)
			c := w.cloud("gcp")
			external := w.Namespace + "-theirs"
			c.Buckets().MakeIn(w.T, external, "US")
			b := w.bucket(c, "ours", v1alpha1.BucketParameters{})
			b.Spec.ExternalName, b.Spec.Adoption, b.Spec.WhenVanished = external, v1alpha1.AdoptionIfExists, v1alpha1.WhenVanishedRecreate
			if observed {
				b.Spec.Management = v1alpha1.ManagementObserve
			}
			w.create(b)
			w.equal("location", w.ready(b).Status.Location, "us")
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Management = v1alpha1.ManagementFull })
			first := w.ready(b).Status
			w.equal("location", first.Location, "us")
			w.Disturb()
			c.Buckets().Delete(w.T, external)
			w.state(b, "created again", func(s system.Snapshot) bool { return s.IsReady(b) && s.Status.ExternalID != first.ExternalID })
			w.equal("the new bucket's location", c.Buckets().Location(w.T, external), "US")
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Location = new("us") })
			w.equal("location", w.ready(b).Status.Location, "us")
		})
	}
}

// What the cloud created without the mark that it was sent gets its mark; what loses its mark later has no proof of whose it is.
func TestCreationThatDropsTags(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	name := w.Namespace + "-untagged"
	untag := func() {
		none := map[string]string{"theirs": "1"}
		for _, key := range driver.MarkKeys() {
			none[key] = ""
		}
		c.Buckets().Tag(w.T, name, none)
	}
	lift := c.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Operation: "CreateBucket", Resource: name}, Kind: localcloud.Latency, Times: 1,
		Hook: func(localcloud.Call) { untag() },
	})
	w.Cleanup(lift)
	b := w.bucket(c, "untagged", v1alpha1.BucketParameters{})
	b.Spec.ExternalName = name
	w.create(b)
	w.ready(b)
	if !w.marked(c, system.TargetOf("Bucket", c.Name), name, b) {
		w.Errorf("the tags are %v", c.Buckets().Tags(w.T, name))
	}
	noted := slices.ContainsFunc(w.States("Bucket", b.Name, 0), func(s system.Snapshot) bool { return s.Status.MarkMissing })
	if !noted || w.ready(b).Status.MarkMissing {
		w.Errorf("that the mark was missing was stored: %t, and is still: %t", noted, w.ready(b).Status.MarkMissing)
	}
	w.Disturb()
	untag()
	mark := len(c.Writes(name))
	w.stalled(b, v1alpha1.ReasonNotOwned, "has no mark of Mooring any more")
	w.expectWrites(c, name, mark)
}

// The mark is also written on what a creation made whose answer was lost, as in a crash.
func TestLostCreationThatDropsTags(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	b := w.bucket(c, "untagged", v1alpha1.BucketParameters{})
	name := plan.ExternalName(w.mark(w.Namespace, b.Name).Cluster, w.Namespace, b.Name, 63)
	none := map[string]string{"theirs": "1"}
	for _, key := range driver.MarkKeys() {
		none[key] = ""
	}
	w.Cleanup(c.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Operation: "CreateBucket", Resource: name}, Kind: localcloud.ResponseLost, Times: 1,
		Hook: func(localcloud.Call) { c.Buckets().Tag(w.T, name, none) },
	}))
	w.create(b)
	w.ready(b)
	if !w.marked(c, system.TargetOf("Bucket", c.Name), name, b) {
		w.Errorf("the tags are %v", c.Buckets().Tags(w.T, name))
	}
	w.expectWrites(c, name, 0, "CreateBucket", "PutBucketTagging", "PutBucketTagging")
}

// Lost data is told as a loss.
func TestLossIsTold(t *testing.T) {
	t.Run("created again", func(t *testing.T) {
		onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
			o := w.declare(c, k, "lost")
			system.SpecOf(o).WhenVanished = v1alpha1.WhenVanishedRecreate
			tagged(k, o, "a")
			w.create(o)
			s := w.ready(o)
			name, where := s.Status.ExternalName, c.Name+" account "+s.Status.AccountID
			w.Disturb()
			k.Drop(c, w.T, name)
			created := "Normal Created: created " + name + " in " + where
			usable := "Normal Ready: usable and up to date"
			w.expectEvents(o, []string{
				"Warning DataLost: " + name + " was deleted in " + where + " outside Mooring, and its data is lost; Mooring is creating a new, empty one under the same name",
				created, usable,
			})
		})
	})
	t.Run("without a final snapshot", func(t *testing.T) {
		onEach(t, func(w *fixture, c *system.Cloud) {
			d := w.database(c, "lost", system.MinimalDatabase(c))
			d.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot
			w.create(d)
			s := w.ready(d)
			name, where := s.Status.ExternalName, c.Name+" account "+s.Status.AccountID
			w.Disturb()
			c.Databases().Delete(w.T, name)
			vanished := w.stalled(d, v1alpha1.ReasonVanished).Condition(v1alpha1.ConditionStalled).Message
			w.delete(d)
			w.awaitDeleted(d)
			w.expectEvents(d, []string{
				"Warning Vanished: " + vanished,
				"Warning DataLost: " + name + " no longer exists in " + where + ", and there is no final snapshot " + plan.SnapshotName(name, string(d.UID)) +
					": it was deleted outside Mooring, and its data is lost unless the cloud has other backups",
				"Normal Deleted: the cloud object is deleted",
			})
		})
	})
}

// Whose a cloud object is, is told to the platform team alone.
func TestTenantsAreNotToldWhose(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		external := w.Namespace + "-theirs"
		theirs := w.mark("bank", "treasure")
		k.Make(c, w.T, external, theirs.Labels())
		told := 0
		for _, how := range []func(o client.Object){
			func(o client.Object) { system.SpecOf(o).Adoption = v1alpha1.AdoptionIfExists },
			func(o client.Object) { system.SpecOf(o).Management = v1alpha1.ManagementObserve },
		} {
			o := w.declare(c, k, fmt.Sprintf("ours-%d", told))
			system.SpecOf(o).ExternalName = external
			how(o)
			w.create(o)
			for range 2 { // what is told again is one Event with a count
				w.stalled(o, v1alpha1.ReasonNotOwned)
				told++
				w.Eventually("the platform team is told", func() bool { return w.toldPlatform(o, "bank/treasure of cluster "+theirs.Cluster) >= 1+(told-1)%2 })
				edit(w, o, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationPaused: "true"}) })
				w.state(o, "paused", func(s system.Snapshot) bool { return s.Is(v1alpha1.ConditionStalled, absent) })
				edit(w, o, func(o client.Object) { o.SetAnnotations(nil) })
			}
			w.stalled(o, v1alpha1.ReasonNotOwned)
		}
		all := &eventsv1.EventList{}
		w.Must(w.Client.List(w.Context(), all, client.InNamespace(w.Namespace)))
		said, err := json.Marshal(all)
		w.Must(err)
		for _, s := range w.Objects() {
			for _, state := range w.States(s.Kind, s.Name, 0) {
				text, err := json.Marshal(state.Status)
				w.Must(err)
				said = append(said, text...)
			}
		}
		for _, secret := range []string{"bank", "treasure", theirs.Cluster} {
			if strings.Contains(string(said), secret) {
				w.Errorf("the tenant is told %q", secret)
			}
		}
	})
}

// toldPlatform counts the Events on the ClusterProviderConfig that speak of an object and say something.
func (w *fixture) toldPlatform(o client.Object, says string) (times int) {
	w.Helper()
	all := &eventsv1.EventList{}
	w.Must(w.Client.List(w.Context(), all, client.InNamespace(system.Namespace)))
	for _, e := range all.Items {
		if e.Regarding.Kind != "ClusterProviderConfig" || !strings.Contains(e.Note, o.GetNamespace()+"/"+o.GetName()+" ") || !strings.Contains(e.Note, says) {
			continue
		}
		times++
		if e.Series != nil {
			times += int(e.Series.Count) - 1
		}
	}
	return times
}

// What another namespace left in a shared account may be taken over, or looked at, with the platform's consent alone.
func TestPlatformConsents(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		external := w.Namespace + "-left"
		left := w.mark("another", "object")
		left.Released = true
		k.Make(c, w.T, external, left.Labels())
		seen := w.declare(c, k, "seen")
		system.SpecOf(seen).ExternalName, system.SpecOf(seen).Management = external, v1alpha1.ManagementObserve
		o := w.declare(c, k, "ours")
		system.SpecOf(o).ExternalName, system.SpecOf(o).Adoption = external, v1alpha1.AdoptionIfExists
		for _, o := range []client.Object{seen, o} {
			o.SetAnnotations(map[string]string{v1alpha1.AnnotationAdoptFrom: "another/objects"})
			w.create(o)
			w.stalled(o, v1alpha1.ReasonNotOwned)
			edit(w, o, func(o client.Object) {
				o.SetAnnotations(map[string]string{v1alpha1.AnnotationAdoptFrom: "another/object"})
			})
			w.ready(o)
		}
		if !w.marked(c, k, external, o) {
			w.Errorf("the tags are %v", k.Tags(c, w.T, external))
		}
	})
}
