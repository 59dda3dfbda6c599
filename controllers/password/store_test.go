package password

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var orders = Owner{Kind: "Database", Name: "orders", UID: "0c1d"}

func storeOf(objects ...client.Object) *Store {
	c := fake.NewClientBuilder().WithObjects(objects...).Build()
	return &Store{Reader: c, Writer: c, Namespace: "mooring-system"}
}

// secretOf is a password Secret as release 0.1.0 stores it.
func secretOf(data map[string]string) *corev1.Secret {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: "mooring-system", Name: "password-0c1d",
		Labels: map[string]string{"mooring.dev/kind": "Database", "mooring.dev/name": "orders", "mooring.dev/uid": "0c1d"},
	}, Data: map[string][]byte{}}
	for key, value := range data {
		secret.Data[key] = []byte(value)
	}
	return secret
}

// What 0.1.0 stored, at every point of a rotation, is read as what it means, and what is written is what 0.1.0 would have written.
func TestStoredLayout(t *testing.T) {
	for _, tt := range []struct {
		name   string
		data   map[string]string
		stored Stored
	}{
		{"to be created", map[string]string{"next": "one", "serial": "1"}, Stored{Next: "one", Serial: 1}},
		{"to be created with the user's", map[string]string{"next": "mine", "serial": "1", "named": "true"}, Stored{Next: "mine", Serial: 1, Named: true}},
		{"in force", map[string]string{"current": "one", "serial": "1"}, Stored{Current: "one", Serial: 1}},
		{"a rotation that is half done", map[string]string{"current": "one", "next": "two", "serial": "2"}, Stored{Current: "one", Next: "two", Serial: 2}},
		{"a rotation to the user's that is half done", map[string]string{"current": "one", "next": "mine", "serial": "12", "named": "true"},
			Stored{Current: "one", Next: "mine", Serial: 12, Named: true}},
		{"a rotation that is half done, and the server was created anew", map[string]string{"current": "one", "next": "two", "serial": "2", "superseded": "true"},
			Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}},
		{"a password whose period has passed", map[string]string{"current": "one", "next": "two", "serial": "2", "rotated": "true", "confirmed": "2026-11-23T17:00:00Z"},
			Stored{Current: "one", Next: "two", Serial: 2, Rotated: true, Confirmed: time.Date(2026, 11, 23, 17, 0, 0, 0, time.UTC).Unix()}},
		{"after a rotation", map[string]string{"current": "two", "serial": "2"}, Stored{Current: "two", Serial: 2}},
		{"taken over", map[string]string{"serial": "1", "foreign": "true"}, Stored{Serial: 1, Foreign: true}},
		{"taken over, and awaiting approval", map[string]string{"next": "one", "serial": "2", "foreign": "true"}, Stored{Next: "one", Serial: 2, Foreign: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := storeOf(secretOf(tt.data))
			read, err := s.Get(t.Context(), orders)
			if err != nil || !read.Exists {
				t.Fatalf("exists %t, %v", read != nil && read.Exists, err)
			}
			if diff := cmp.Diff(tt.stored, read.Stored); diff != "" {
				t.Errorf("what is read (-want +got):\n%s", diff)
			}
			s = storeOf()
			if err := s.Put(t.Context(), s.New(orders), tt.stored); err != nil {
				t.Fatal(err)
			}
			got := &corev1.Secret{}
			if err := s.Reader.Get(t.Context(), client.ObjectKey{Namespace: "mooring-system", Name: "password-0c1d"}, got); err != nil {
				t.Fatal(err)
			}
			got.ResourceVersion = ""
			if diff := cmp.Diff(secretOf(tt.data), got); diff != "" {
				t.Errorf("what is written (-want +got):\n%s", diff)
			}
		})
	}
}

// 0.1.0 does not know which passwords are superseded: it ends a rotation, and the note stays behind.
func TestNoteThatAnEarlierReleaseLeaves(t *testing.T) {
	s := storeOf(secretOf(map[string]string{"current": "two", "serial": "2", "superseded": "true"}))
	read, err := s.Get(t.Context(), orders)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Stored{Current: "two", Serial: 2}, read.Stored); diff != "" {
		t.Errorf("what is read (-want +got):\n%s", diff)
	}
}

// A rotation that 0.1.0 left half done is carried on with: what it sent counts if the status says so, and is sent again otherwise.
func TestHalfDoneRotation(t *testing.T) {
	s := storeOf(secretOf(map[string]string{"current": "one", "next": "two", "serial": "2"}))
	for accepted, want := range map[int]Decision{
		1: {Step: Send, State: State{Stored: Stored{Current: "one", Next: "two", Serial: 2}, Accepted: 1}},
		2: {Step: Nothing, Store: AtOnce, State: State{Stored: Stored{Current: "two", Serial: 2}, Accepted: 2}},
	} {
		read, err := s.Get(t.Context(), orders)
		if err != nil {
			t.Fatal(err)
		}
		got := State{Stored: read.Stored, Accepted: accepted}.Observe(Observation{Ready: true, Fresh: fresh})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("accepted %d (-want +got):\n%s", accepted, diff)
		}
	}
}

// Nothing is stored over what somebody else stored since, and other keys stay.
func TestPutIsGuarded(t *testing.T) {
	s := storeOf()
	first, second := s.New(orders), s.New(orders)
	if err := s.Put(t.Context(), first, Stored{Next: "one", Serial: 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), second, Stored{Next: "two", Serial: 1}); !apierrors.IsConflict(err) {
		t.Errorf("a second creation: %v, want a conflict", err)
	}
	stale, err := s.Get(t.Context(), orders)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), first, Stored{Current: "one", Serial: 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), stale, Stored{Next: "two", Serial: 2}); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v, want a conflict", err)
	}
	if stale.Stored.Serial != 1 {
		t.Errorf("what was not stored counts as stored: %+v", stale.Stored)
	}

	s = storeOf(secretOf(map[string]string{"current": "one", "serial": "1", "note": "of a person"}))
	read, err := s.Get(t.Context(), orders)
	if err == nil {
		err = s.Put(t.Context(), read, Stored{Current: "two", Serial: 2})
	}
	if err != nil || string(read.object.Data["note"]) != "of a person" {
		t.Errorf("%v, and the other keys are %v", err, read.object.Data)
	}
}

func TestGetRefuses(t *testing.T) {
	for name, change := range map[string]func(*corev1.Secret){
		"no labels":       func(s *corev1.Secret) { s.Labels = nil },
		"another's":       func(s *corev1.Secret) { s.Labels[v1alpha1.LabelName] = "invoices" },
		"another type":    func(s *corev1.Secret) { s.Type = corev1.SecretTypeTLS },
		"no such serial":  func(s *corev1.Secret) { s.Data["serial"] = []byte("two") },
		"a serial's fuzz": func(s *corev1.Secret) { s.Data["serial"] = []byte("2 ") },
	} {
		t.Run(name, func(t *testing.T) {
			secret := secretOf(map[string]string{"current": "one", "serial": "2"})
			owned := secret.DeepCopy()
			change(secret)
			_, err := storeOf(secret).Get(t.Context(), orders)
			_, notOwned := errors.AsType[*NotOwnedError](err)
			if err == nil || notOwned == (string(secret.Data["serial"]) != string(owned.Data["serial"])) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	s := storeOf(secretOf(nil))
	for range 2 { // the second time there is none
		if err := s.Delete(t.Context(), orders.UID); err != nil {
			t.Fatal(err)
		}
	}
	if read, err := s.Get(t.Context(), orders); err != nil || read.Exists {
		t.Errorf("it is still there, %v", err)
	}
}

func TestReferenceRefuses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		ref     Reference
		current string
		want    v1alpha1.Reason
	}{
		{"usable", Reference{Value: "mine"}, "one", ""},
		{"not there", Reference{}, "one", v1alpha1.ReasonPasswordNotFound},
		{"not there, and nothing known", Reference{}, "", v1alpha1.ReasonPasswordNotFound},
		{"too short", Reference{Value: "mine", Problem: "it is too short"}, "", v1alpha1.ReasonPasswordInvalid},
		{"too short, and in force", Reference{Value: "mine", Problem: "it is too short"}, "mine", ""},
		{"of the own connection", Reference{Value: "mine", OwnConnection: true}, "", v1alpha1.ReasonPasswordInvalid},
		{"of the own connection, and in force", Reference{Value: "mine", OwnConnection: true}, "mine", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reason, message := tt.ref.Refuse(tt.current)
			if reason != tt.want || (message != "") != (tt.want != "") {
				t.Errorf("got %s: %s, want %s", reason, message, tt.want)
			}
		})
	}
}
