package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// The connection Secret is kept as it was published, whatever people do to it, and the cloud hears nothing of it.
func TestConnectionSecretIsKept(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "orders")
		system.Connect(o, "login")
		w.create(o)
		name := w.ready(o).Status.ExternalName
		mark := len(c.Writes(name))
		published := w.published("login")

		w.run("deleted", func(w *fixture) {
			w.Disturb()
			w.Must(w.Client.Delete(w.Context(), w.published("login")))
			w.AwaitSecret("login", "back", func(data map[string][]byte) bool { return data != nil })
			w.samePublished(w.published("login"), published)
			w.ready(o)
		})
		w.run("edited", func(w *fixture) {
			w.Disturb()
			theirs := w.published("login")
			theirs.Data["uri"], theirs.Data["more"] = []byte("changed"), []byte("1")
			delete(theirs.Data, "type")
			w.Must(w.Client.Update(w.Context(), theirs))
			w.AwaitSecret("login", "put right", putRight)
			w.samePublished(w.published("login"), published)
			w.ready(o)
		})
		w.run("renamed", func(w *fixture) {
			edit(w, o, func(o client.Object) { system.Connect(o, "moved") })
			s := w.state(o, "bound to the new Secret", func(s system.Snapshot) bool {
				return s.IsReady(o) && s.Status.Binding != nil && s.Status.Binding.Name == "moved"
			})
			w.equal("former Secrets", names(s.Status.FormerSecrets), []string{"login"})
			for _, former := range s.Status.FormerSecrets {
				if left := time.Until(former.KeptUntil.Time); left < 23*time.Hour || left > 24*time.Hour {
					w.Errorf("the former Secret is kept for %v, want a day", left)
				}
			}
			w.samePublished(w.published("moved"), published)
			w.samePublished(w.published("login"), published)
			w.says(o, v1alpha1.EventConnectionMoved, "wrote the connection Secret moved; Secret login is kept up to date for 24 hours")
		})
		w.run("the former one is kept up to date", func(w *fixture) {
			w.Disturb()
			stale := w.published("login")
			stale.Data["uri"] = []byte("changed")
			w.Must(w.Client.Update(w.Context(), stale))
			w.AwaitSecret("login", "put right", putRight)
			w.samePublished(w.published("login"), published)
		})
		w.run("renamed to what is somebody else's", func(w *fixture) {
			theirs := w.theirs("taken")
			edit(w, o, func(o client.Object) { system.Connect(o, "taken") })
			s := w.stalled(o, v1alpha1.ReasonSecretNotOwned, "Secret taken", "change spec.connection.secretName")
			w.equal("binding", s.Status.Binding, &v1alpha1.Binding{Name: "moved"})
			w.observedAgain(c, name, 2)
			w.samePublished(w.published("taken"), theirs)
			w.samePublished(w.published("moved"), published)
			edit(w, o, func(o client.Object) { system.Connect(o, "moved") })
			w.ready(o)
			w.samePublished(w.published("taken"), theirs)
		})
		w.run("the former one's time is over", func(w *fixture) {
			w.Disturb()
			w.expire(o)
			w.AwaitSecret("login", "gone", func(data map[string][]byte) bool { return data == nil })
			w.state(o, "no former Secret", func(s system.Snapshot) bool { return len(s.Status.FormerSecrets) == 0 })
			w.samePublished(w.published("moved"), published)
			w.says(o, v1alpha1.EventConnectionRemoved, "deleted the connection Secret login")
		})
		w.run("renamed back", func(w *fixture) {
			edit(w, o, func(o client.Object) { system.Connect(o, "login") })
			s := w.state(o, "bound to the new Secret", func(s system.Snapshot) bool {
				return s.IsReady(o) && s.Status.Binding != nil && s.Status.Binding.Name == "login"
			})
			w.equal("former Secrets", names(s.Status.FormerSecrets), []string{"moved"})
			w.samePublished(w.published("login"), published)
			w.Disturb()
			w.expire(o)
			w.state(o, "no former Secret", func(s system.Snapshot) bool { return len(s.Status.FormerSecrets) == 0 })
			w.equal("the former Secret", w.Secret("moved"), map[string][]byte(nil))
		})
		w.run("replaced by somebody else's", func(w *fixture) {
			w.Disturb()
			ours := w.published("login")
			ours.Labels = nil
			ours.Data = map[string][]byte{"mine": []byte("1")}
			w.Must(w.Client.Update(w.Context(), ours))
			w.stalled(o, v1alpha1.ReasonSecretNotOwned, "Secret login", "change spec.connection.secretName, or delete the Secret if nobody needs it")
			w.observedAgain(c, name, 2)
			w.samePublished(w.published("login"), ours)
			w.Disturb()
			w.Must(w.Client.Delete(w.Context(), ours))
			w.ready(o)
			w.samePublished(w.published("login"), published)
		})
		w.expectWrites(c, name, mark)
		w.run("deleted with the object, former ones too", func(w *fixture) {
			edit(w, o, func(o client.Object) { system.Connect(o, "last") })
			w.state(o, "bound to the new Secret", func(s system.Snapshot) bool {
				return s.IsReady(o) && s.Status.Binding != nil && s.Status.Binding.Name == "last"
			})
			w.delete(o)
			w.awaitDeleted(o)
			w.equal("the Secret", w.Secret("last"), map[string][]byte(nil))
			w.equal("the former Secret", w.Secret("login"), map[string][]byte(nil))
		})
	})
}

// A Secret that bears our labels and is of another type was made by somebody else: its type would stay for ever.
func TestSecretOfAnotherType(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		for name, kind := range map[string]corev1.SecretType{"opaque": corev1.SecretTypeOpaque, "other": "servicebinding.io/other"} {
			o := w.declare(c, k, name)
			system.Connect(o, name)
			theirs := w.labelled(name, k.Kind, name)
			theirs.Type = kind
			w.Must(w.Client.Create(w.Context(), theirs))
			w.create(o)
			s := w.stalled(o, v1alpha1.ReasonSecretNotOwned, "Secret "+name, "delete the Secret if nobody needs it")
			w.equal("external name", s.Status.ExternalName, "")
			w.samePublished(w.published(name), theirs)
			w.Disturb()
			w.Must(w.Client.Delete(w.Context(), theirs))
			w.ready(o)
			ours := string(w.published(name).Type)
			if !strings.HasPrefix(ours, "servicebinding.io/") || ours == "servicebinding.io/other" {
				w.Errorf("the Secret is of type %s", ours)
			}
			second := w.labelled(name+"-2", k.Kind, name)
			second.Type = kind
			w.Must(w.Client.Create(w.Context(), second))
			edit(w, o, func(o client.Object) { system.Connect(o, second.Name) })
			w.stalled(o, v1alpha1.ReasonSecretNotOwned, "Secret "+second.Name)
			w.samePublished(w.published(second.Name), second)
		}
	})
}

// What the API server will not store, however often it is asked, needs a person: not "the cloud is creating it".
func TestSecretThatIsRefused(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "orders")
		system.Connect(o, "login")
		immutable := w.labelled("login", k.Kind, "orders")
		immutable.Type, immutable.Immutable = k.SecretType, new(true)
		w.Must(w.Client.Create(w.Context(), immutable))
		w.create(o)
		s := w.stalled(o, v1alpha1.ReasonSecretNotWritten, "the API server refuses to store the connection Secret login", "immutable", "delete it")
		ready := s.Condition(v1alpha1.ConditionReady)
		w.equal("Ready", ready.Reason, string(v1alpha1.ReasonSecretNotWritten))
		w.Disturb()
		w.Must(w.Client.Delete(w.Context(), immutable))
		w.ready(o)
		w.equal("provider", string(w.Secret("login")["provider"]), c.Name)
	})
}

// labelled returns a Secret with Mooring's labels, as anybody can make one.
func (w *fixture) labelled(name, kind, of string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: w.Meta(name), Data: map[string][]byte{"mine": []byte("1")}}
	s.Labels = map[string]string{v1alpha1.LabelKind: kind, v1alpha1.LabelName: of, v1alpha1.LabelUID: "of-nobody"}
	return s
}

// expire makes the time of all former Secrets one that is over.
func (w *fixture) expire(o client.Object) {
	w.Helper()
	for {
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(o), o))
		former := system.StatusOf(o).FormerSecrets
		for i := range former {
			former[i].KeptUntil = metav1.NewTime(time.Unix(1, 0))
		}
		err := w.Client.Status().Update(w.Context(), o)
		if !apierrors.IsConflict(err) {
			w.Must(err)
			return
		}
	}
}

// says waits for an Event about an object, for whatever reason if it is empty.
func (w *fixture) says(o client.Object, reason, text string) {
	w.Helper()
	events := &eventsv1.EventList{}
	w.AwaitList(events, fmt.Sprintf("an Event %s says %q", reason, text), func() bool {
		return slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool {
			return e.Regarding.UID == o.GetUID() && (reason == "" || e.Reason == reason) && strings.Contains(e.Note, text)
		})
	})
}

// putRight reports whether a Secret has no longer what the test wrote into it.
func putRight(data map[string][]byte) bool { return string(data["uri"]) != "changed" }

func names(former []v1alpha1.FormerSecret) (names []string) {
	for _, f := range former {
		names = append(names, f.Name)
	}
	return names
}

// published returns a Secret of the namespace that must be there.
func (w *fixture) published(name string) *corev1.Secret {
	w.Helper()
	s := &corev1.Secret{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, s))
	return s
}

// theirs makes a Secret that is not Mooring's.
func (w *fixture) theirs(name string) *corev1.Secret {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: w.Meta(name), Type: corev1.SecretTypeOpaque, Data: map[string][]byte{"mine": []byte("1")}}
	w.Must(w.Client.Create(w.Context(), s))
	return s
}

// samePublished checks that two Secrets say the same.
func (w *fixture) samePublished(got, want *corev1.Secret) {
	w.Helper()
	w.equal("type", got.Type, want.Type)
	w.equal("labels", got.Labels, want.Labels)
	w.equal("data", got.Data, want.Data)
}
