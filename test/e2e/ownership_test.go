package e2e

import (
	"cmp"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/system"
)

func TestWhatExistsAlready(t *testing.T) {
	t.Parallel()
	none := func(*fixture, string) map[string]string { return map[string]string{"theirs": "1"} }
	elses := func(*fixture, string) map[string]string { return someoneElses() }
	left := func(namespace, name string) func(*fixture, string) map[string]string {
		return func(w *fixture, _ string) map[string]string {
			m := w.mark(cmp.Or(namespace, w.Namespace), name)
			m.Released = true
			return m.Labels()
		}
	}
	neighbours := func(w *fixture, _ string) map[string]string { return w.mark("another", "object").Labels() }
	earlier := func(w *fixture, name string) map[string]string { return w.mark(w.Namespace, name).Labels() }
	released := func(w *fixture, name string) map[string]string { return left(w.Namespace, name)(w, name) }
	// A namespace that was deleted and created again is another one. Who wrote a mark without the uid, as Mooring 0.1.0 did, is not known.
	of := func(namespaceUID string, isReleased bool) func(*fixture, string) map[string]string {
		return func(w *fixture, name string) map[string]string {
			m := w.mark(w.Namespace, name)
			m.NamespaceUID, m.Released = namespaceUID, isReleased
			return m.Labels()
		}
	}
	const before, unknown, strangers = "9f4b6c0e-0000-4000-8000-000000000001", "", "was made for an object of an earlier namespace of this name"
	const anothers = "a cloud object of this name exists and belongs to another object"
	for _, test := range []struct {
		name     string
		tags     func(w *fixture, name string) map[string]string
		adoption v1alpha1.Adoption
		consent  bool   // the platform lets this object have what an object of its own namespace and name left
		refusal  string // empty: it is adopted
	}{
		{"unmarked", none, "", false, "does not have Mooring's mark; set spec.adoption: IfExists"},
		{"unmarked-ifexists", none, v1alpha1.AdoptionIfExists, false, ""},
		{"other-cluster", elses, "", false, anothers},
		{"other-cluster-never", elses, v1alpha1.AdoptionNever, false, anothers},
		{"other-cluster-ifexists", elses, v1alpha1.AdoptionIfExists, false, ""},
		{"neighbour", neighbours, v1alpha1.AdoptionIfMarked, false, anothers},
		{"neighbour-ifexists", neighbours, v1alpha1.AdoptionIfExists, false, anothers},
		{"left-by-neighbour", left("another", "object"), v1alpha1.AdoptionIfExists, false, anothers},
		{"released-by-own-namespace", left("", "object"), v1alpha1.AdoptionIfExists, false, ""},
		{"earlier", earlier, "", false, ""},
		{"earlier-never", earlier, v1alpha1.AdoptionNever, false, "created by a former object with this namespace and name"},
		{"released", released, v1alpha1.AdoptionIfMarked, false, "was released (deletionPolicy: Retain)"},
		{"released-ifexists", released, v1alpha1.AdoptionIfExists, false, ""},
		{"earlier-namespace", of(before, false), "", false, strangers},
		{"earlier-namespace-ifexists", of(before, false), v1alpha1.AdoptionIfExists, false, strangers},
		{"earlier-namespace-released", of(before, true), v1alpha1.AdoptionIfExists, false, strangers},
		{"unknown-namespace", of(unknown, false), "", false, strangers},
		{"unknown-namespace-released", of(unknown, true), v1alpha1.AdoptionIfExists, false, strangers},
		{"earlier-namespace-consent", of(before, false), "", true, ""},
		{"released-earlier-namespace-consent", of(before, true), v1alpha1.AdoptionIfExists, true, ""},
		{"unknown-namespace-consent", of(unknown, false), "", true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
				o := w.declare(c, k, test.name)
				external := w.Namespace + "-" + test.name
				k.Make(c, w.T, external, test.tags(w, test.name))
				mark := len(c.Writes(external))
				system.SpecOf(o).ExternalName, system.SpecOf(o).Adoption = external, test.adoption
				if test.consent {
					o.SetAnnotations(map[string]string{v1alpha1.AnnotationAdoptFrom: w.Namespace + "/" + o.GetName()})
				}
				w.create(o)
				if test.refusal == "" {
					w.ready(o)
					want := []string{k.Mark}
					if k.Unmark != "" && strings.HasPrefix(test.name, "released") {
						want = append(want, k.Unmark)
					}
					w.expectWrites(c, external, mark, want...)
					if !w.marked(c, k, external, o) {
						w.Errorf("the tags are %v", k.Tags(c, w.T, external))
					}
					return
				}
				w.stalled(o, v1alpha1.ReasonNotOwned, test.refusal)
				w.untouched(c, external, mark, o)
				w.delete(o)
				w.awaitDeleted(o)
				if k.Tags(c, w.T, external) == nil {
					w.Error("it went with an object that did not own it")
				}
			})
		})
	}
}

// A refusal heals by an edit of the spec.
func TestAdoptionOnSecondThought(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		external := w.Namespace + "-found"
		k.Make(c, w.T, external, nil)
		mark := len(c.Writes(external))
		o := w.declare(c, k, "found")
		system.SpecOf(o).ExternalName = external
		w.create(o)
		w.stalled(o, v1alpha1.ReasonNotOwned)
		edit(w, o, func(o client.Object) { system.SpecOf(o).Adoption = v1alpha1.AdoptionIfExists })
		w.ready(o)
		w.expectWrites(c, external, mark, k.Mark)
	})
}

// What another cluster takes over is left to it, without a fight.
func TestTakenOver(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "ours")
		w.create(o)
		name := w.ready(o).Status.ExternalName
		w.Disturb()
		k.Tag(c, w.T, name, someoneElses())
		mark := len(c.Writes(name))
		w.stalled(o, v1alpha1.ReasonNotOwned, "belongs to another object")
		w.expectWrites(c, name, mark)
		w.delete(o)
		w.awaitDeleted(o)
		if driver.MarkFrom(k.Tags(c, w.T, name)).Cluster != "other-cluster" {
			w.Errorf("it was touched: %v", k.Tags(c, w.T, name))
		}
	})
}

// Two installations with one cluster id take themselves for one. What the second one took is left to it: no mark changes back. Who wants it here deletes the object,
// which touches nothing, and creates it again.
func TestTakenByASecondInstallation(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "ours")
		w.create(o)
		name := w.ready(o).Status.ExternalName
		w.Disturb()
		theirs := w.mark(w.Namespace, "ours")
		theirs.NamespaceUID = "of-the-same-name-there"
		k.Tag(c, w.T, name, theirs.Labels())
		mark := len(c.Writes(name))
		const says = "a second installation of Mooring has the same cluster id"
		w.stalled(o, v1alpha1.ReasonNotOwned, says)
		w.expectWrites(c, name, mark)
		edit(w, o, func(o client.Object) { system.SpecOf(o).Adoption = v1alpha1.AdoptionIfExists })
		w.stalled(o, v1alpha1.ReasonNotOwned, says)
		w.expectWrites(c, name, mark)
		w.delete(o)
		w.awaitDeleted(o)
		if got := driver.MarkFrom(k.Tags(c, w.T, name)); got != theirs {
			w.Errorf("it was touched: its mark is %+v", got)
		}
		again := w.declare(c, k, "ours")
		w.create(again)
		w.stalled(again, v1alpha1.ReasonNotOwned, "an earlier namespace of this name")
		w.expectWrites(c, name, mark)
		w.Disturb()
		edit(w, again, func(o client.Object) {
			o.SetAnnotations(map[string]string{v1alpha1.AnnotationAdoptFrom: w.Namespace + "/ours"})
		})
		w.ready(again)
		w.expectWrites(c, name, mark, k.Mark)
		if !w.marked(c, k, name, again) {
			w.Errorf("the tags are %v", k.Tags(c, w.T, name))
		}
	})
}

func TestObserve(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		external := w.Namespace + "-seen"
		o := w.declare(c, k, "seen")
		system.SpecOf(o).Management, system.SpecOf(o).ExternalName = v1alpha1.ManagementObserve, external
		w.create(o)
		w.stalled(o, v1alpha1.ReasonNotFound, "check spec.externalName")
		w.Disturb()
		k.Make(c, w.T, external, map[string]string{"theirs": "1"})
		mark := len(c.Writes(external))
		s := w.ready(o)
		w.equal("mirror", s.Value(k.Field), k.Mirror)
		w.equal("reason", s.Condition(v1alpha1.ConditionReady).Reason, string(v1alpha1.ReasonObserved))
		w.untouched(c, external, mark, o)
		if !driver.MarkFrom(k.Tags(c, w.T, external)).Zero() {
			w.Error("what is only observed was marked")
		}
		k.Tag(c, w.T, external, map[string]string{"theirs": "2"})
		w.mirrors(o, "tags.theirs", `"2"`)
		w.delete(o)
		w.awaitDeleted(o)
		if k.Tags(c, w.T, external) == nil {
			w.Error("what was only observed was deleted")
		}
	})
}

func TestRetainAndTakeBack(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "kept")
		k.SetDeletionPolicy(o, v1alpha1.DeletionRetain)
		system.Connect(o, "kept")
		w.create(o)
		name := w.ready(o).Status.ExternalName
		secret := w.Secret("kept")
		mark := len(c.Writes(name))
		w.delete(o)
		w.awaitDeleted(o)
		want := []string{k.Mark}
		if k.Unmark != "" {
			want = append(want, k.Unmark)
		}
		w.equal("writes", c.Writes(name)[mark:], want)
		if m := driver.MarkFrom(k.Tags(c, w.T, name)); !m.Released {
			w.Errorf("the mark is %+v, want it released", m)
		}
		w.equal("the Secret that stays", w.Secret("kept"), secret)

		back := w.declare(c, k, "kept")
		system.Connect(back, "kept")
		w.create(back)
		w.stalled(back, v1alpha1.ReasonNotOwned, "was released (deletionPolicy: Retain)", "set spec.adoption: IfExists")
		mark = len(c.Writes(name))
		edit(w, back, func(o client.Object) { system.SpecOf(o).Adoption = v1alpha1.AdoptionIfExists })
		w.ready(back)
		if !w.marked(c, k, name, back) {
			w.Errorf("the tags are %v", k.Tags(c, w.T, name))
		}
		w.observedAgain(c, name, 1)
		writes := c.Writes(name)[mark:]
		if len(writes) > 1 && (len(writes) > 2 || k.Unmark == "") {
			w.Errorf("taking it back cost %q", writes)
		}
		w.equal("the Secret that was left", w.Secret("kept"), secret)
	})
}

func TestVanished(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		for _, policy := range []v1alpha1.WhenVanished{v1alpha1.WhenVanishedRecreate, v1alpha1.WhenVanishedStop} {
			w.run(string(policy), func(w *fixture) {
				o := w.declare(c, k, map[v1alpha1.WhenVanished]string{v1alpha1.WhenVanishedRecreate: "again", v1alpha1.WhenVanishedStop: "lost"}[policy])
				preset := v1alpha1.WhenVanishedStop
				if k.Kind == "Bucket" && c.Name != "gcp" { // a new one takes nothing away
					preset = v1alpha1.WhenVanishedRecreate
				}
				if policy != preset {
					system.SpecOf(o).WhenVanished = policy
				}
				w.create(o)
				name := w.ready(o).Status.ExternalName
				w.Disturb()
				k.Drop(c, w.T, name)
				mark := len(c.Writes(name))
				if policy == v1alpha1.WhenVanishedStop {
					w.stalled(o, v1alpha1.ReasonVanished, "spec.whenVanished: Recreate")
					if k.Kind == "Bucket" && c.Name == "gcp" {
						w.stalled(o, v1alpha1.ReasonVanished, "gcloud storage restore gs://NAME#GENERATION")
					}
					w.expectWrites(c, name, mark)
					edit(w, o, func(o client.Object) { system.SpecOf(o).WhenVanished = v1alpha1.WhenVanishedRecreate })
				}
				w.Eventually("it is made again", func() bool { return k.Tags(c, w.T, name) != nil })
				w.observedAgain(c, name, 2)
				w.ready(o)
				w.expectWrites(c, name, mark, k.Create)
			})
		}
	})
}

// What was lost and is restored under its name is another object to the cloud: it is taken once somebody says so, as the message
// and the runbooks have it.
func TestRestored(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "restored")
		system.SpecOf(o).WhenVanished = v1alpha1.WhenVanishedStop
		w.create(o)
		name := w.ready(o).Status.ExternalName
		w.Disturb()
		k.Drop(c, w.T, name)
		restore := "restore it in the cloud under the same name and set spec.adoption: IfExists"
		if k.Kind == "Bucket" && c.Name == "gcp" { // which restores what was there: TestRestoredBucketIsTheSame of the driver
			restore = "restore it, which works as long as soft delete keeps the bucket"
		}
		w.stalled(o, v1alpha1.ReasonVanished, restore)
		w.Disturb()
		k.Make(c, w.T, name, map[string]string{"theirs": "1"})
		w.stalled(o, v1alpha1.ReasonNotOwned, "set spec.adoption: IfExists")
		mark := len(c.Writes(name))
		edit(w, o, func(o client.Object) { system.SpecOf(o).Adoption = v1alpha1.AdoptionIfExists })
		w.ready(o)
		w.observedAgain(c, name, 2)
		w.expectWrites(c, name, mark, k.Mark)
		if !w.marked(c, k, name, o) {
			w.Errorf("the tags are %v", k.Tags(c, w.T, name))
		}
	})
}

func TestPause(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o, clock := w.declare(c, k, "paused"), w.declare(c, k, "clock")
		w.create(o)
		w.create(clock)
		name, other := w.ready(o).Status.ExternalName, w.ready(clock).Status.ExternalName
		edit(w, o, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationPaused: "true"}) })
		s := w.state(o, "paused", func(s system.Snapshot) bool {
			c := s.Condition(v1alpha1.ConditionSynced)
			return c.Status == no && c.Reason == string(v1alpha1.ReasonPaused)
		})
		if c := s.Condition(v1alpha1.ConditionReady); c.Status != yes || c.Reason != string(v1alpha1.ReasonPaused) {
			w.Errorf("a pause took Ready away, or does not show there:\n    %v", s)
		}
		k.Drop(c, w.T, name)
		looks, writes := c.Observations(name), len(c.Writes(name))
		w.observedAgain(c, other, 2) // time enough to be looked at
		if c.Observations(name) != looks || len(c.Writes(name)) != writes {
			w.Errorf("while paused it was looked at %d times, and written %q", c.Observations(name)-looks, c.Writes(name)[writes:])
		}
		edit(w, o, func(o client.Object) {
			o.SetAnnotations(nil)
			system.SpecOf(o).WhenVanished = v1alpha1.WhenVanishedRecreate
		})
		w.Eventually("it goes on", func() bool { return len(c.Writes(name)) > writes })
		w.observedAgain(c, name, 2)
		w.ready(o)
		edit(w, o, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationPaused: "true"}) })
		w.delete(o)
		w.stalled(o, v1alpha1.ReasonPaused, "it is being deleted, but it is paused")
		edit(w, o, func(o client.Object) { o.SetAnnotations(nil) })
		w.awaitDeleted(o)
	})
}

// The name that Mooring makes for an object of another namespace is left to that object: whoever takes it first would keep its owner from ever having it.
func TestNamesOfOtherNamespacesAreLeftToThem(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		theirs := plan.ExternalName(w.mark(w.Namespace, "orders").Cluster, "another-"+w.Namespace, "orders", 63)
		o := w.declare(c, k, "orders")
		system.SpecOf(o).ExternalName, system.SpecOf(o).Adoption = theirs, v1alpha1.AdoptionIfExists
		w.create(o)
		w.stalled(o, v1alpha1.ReasonInvalid, "the name that Mooring makes for an object of another namespace; choose another spec.externalName")
		if writes := c.Writes(theirs); len(writes) > 0 {
			w.Errorf("writes: %q", writes)
		}
		w.delete(o)
		w.awaitDeleted(o)
	})
}
