package resource

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// Absence is sure once it lasted as long as reads may lag; one sighting begins the count anew.
func TestAbsenceIsSureOnceItLasts(t *testing.T) {
	const settle = 5 * time.Second
	r := &Reconciler{Settings: Settings{Settle: settle}}
	mem, began := &memory{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		at                   time.Duration
		state, snapshot      driver.State
		object, snapshotGone bool
	}{
		{0, driver.Absent, driver.Absent, false, false},
		{settle - 1, driver.Absent, driver.Absent, false, false},
		{settle, driver.Absent, driver.Absent, true, true},
		{2 * settle, driver.Absent, driver.Pending, true, false},
		{3 * settle, driver.Absent, driver.Absent, true, false},
		{4 * settle, driver.Absent, driver.Absent, true, true},
		{5 * settle, driver.Deleting, driver.Unknown, false, false},
		{6 * settle, driver.Absent, driver.Absent, false, false},
	} {
		d := &v1alpha1.Database{}
		turn := &turn{
			obj: d, status: &d.Status.ResourceStatus, mem: mem, now: began.Add(step.at),
			seen: driver.Observation{State: step.state, Snapshot: step.snapshot},
		}
		r.look(turn)
		if v := turn.view; v.AbsenceSure != step.object || v.SnapshotAbsenceSure != step.snapshotGone {
			t.Errorf("after %s: %t for the object and %t for its snapshot, want %t and %t",
				step.at, v.AbsenceSure, v.SnapshotAbsenceSure, step.object, step.snapshotGone)
		}
	}
}

// asker is a cloud that asks for a token when it is asked who it is, and tells the token in its answer.
type asker struct{ driver.Driver }

func (asker) Open(_ context.Context, cfg driver.Opening) (driver.Session, error) {
	return asked{cfg: cfg}, nil
}

type asked struct {
	driver.Session
	cfg driver.Opening
}

func (a asked) Identity(ctx context.Context) (driver.AccountID, error) {
	token, err := a.cfg.Host.Token(ctx, "sts.amazonaws.com")
	return "", errors.Join(errors.New("not welcome: "+token), err)
}

// A token that came in the course of a turn is cut out of what the turn says, like a secret that was there before.
func TestTurnsTellNoToken(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	cfg := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "team"}}
	cfg.Spec.AWS = &v1alpha1.AWSAccount{Region: "eu-central-1"}
	cfg.Spec.Credentials.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "cloud"}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(cfg,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "uid-of-shop"}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cloud",
			Annotations: map[string]string{v1alpha1.AnnotationIssueTokens: "true"}}},
	).Build()
	store := identity.New(identity.Options{Client: c, Reader: c, Drivers: map[string]driver.Driver{"aws": asker{mem.New(mem.Options{}).Driver()}}, Limiters: account.New(1, time.Now, nil), Now: time.Now})
	key := identity.Key{Kind: identity.KindProviderConfig, Namespace: "shop", Name: "team"}
	conn, err := store.Connect(t.Context(), identity.Use{Key: key, Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Account(t.Context())
	if err == nil || !strings.Contains(err.Error(), "fake-token") {
		t.Fatalf("there is nothing to cut out of %v", err)
	}
	turn := &turn{conn: conn}
	if got := turn.redact(err.Error()); strings.Contains(got, "fake-token") || !strings.Contains(got, "not welcome") {
		t.Errorf("told %q", got)
	}
	turn.knows("fake-t") // a part of the token
	if got := turn.redact(err.Error()); strings.Contains(got, "oken") {
		t.Errorf("the rest of the token is shown: %q", got)
	}
}

// What was found is where it was found, whatever region the account has by default; what was to be created moves with the account.
func TestMoved(t *testing.T) {
	for _, tt := range []struct {
		name       string
		origin     v1alpha1.Origin
		id, chosen string
		want       bool
	}{
		{"adopted", v1alpha1.OriginAdopted, "", "", false},
		{"adopted, and the spec says where it is", v1alpha1.OriginAdopted, "", "us", false},
		{"adopted, and the spec says otherwise", v1alpha1.OriginAdopted, "", "eu", true},
		{"seen by an earlier release", "", "id", "", false},
		{"to be created", v1alpha1.OriginCreated, "", "", true},
		{"to be created where the spec says", v1alpha1.OriginCreated, "", "us", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			if tt.chosen != "" {
				d.bucket().Spec.Location = &tt.chosen
			}
			d.conn.Region, d.spec.ExternalName = "europe-west3", d.status.ExternalName
			d.status.Origin, d.status.ExternalID, d.status.Location = tt.origin, tt.id, "us"
			if got := d.moved(d.turn); got != tt.want {
				t.Errorf("moved: %t, want %t", got, tt.want)
			}
		})
	}
}
