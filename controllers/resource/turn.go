package resource

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A turn is one reconcile of one object: everything that is known and done on the way.
type turn struct {
	obj v1alpha1.ResourceObject
	// stored is the object as the API server last had it: what a patch is made against.
	stored v1alpha1.ResourceObject
	// want is what is wanted: the object with the class merged into its spec. It is never written.
	want     v1alpha1.ResourceObject
	spec     *v1alpha1.ResourceSpec
	status   *v1alpha1.ResourceStatus
	policy   plan.Policy
	deleting bool
	mem      *memory
	now      time.Time

	// class is what the object's class makes of it; nil if it goes by none. config leads to the account.
	class  *class.Resolution
	config identity.Key

	conn *identity.Connection
	// session makes the calls of conn, and described is what the cloud says of the kind.
	session   driver.Session
	described driver.Resource
	account   driver.AccountID
	request   driver.Request
	// password is the administrator's that Create and Update send; empty if none is to be touched.
	password driver.Password
	// release gives the slot of the account back, if the turn has one. hung: a call got no answer.
	release func(answered bool)
	hung    bool
	// queued: the object waits for a slot of its account.
	queued bool

	// toldBefore is what the conditions said before. wasReady: it had been usable before.
	toldBefore []metav1.Condition
	wasReady   bool
	// wanted: a person edited the spec, or asked for the reconciliation. lookNow: the latter.
	wanted, lookNow bool
	// action is what the turn is at; changed: it wrote to the status.
	action  string
	changed bool

	looked bool // seen holds an observation
	// unmade: something that the connection Secret names may not be in the cloud yet.
	unmade bool
	seen   driver.Observation
	view   plan.View
	// login is what is known of the password; nil if its Secret was not read.
	login *login
	// asPublished is what the connection Secret holds, as it was found or written.
	asPublished *credential.ConnectionSecret
	// letGo are fields that are managed no longer, which is told once it is stored.
	letGo []string
	// notes are Events that are recorded once the status that they tell of is stored.
	notes []outcome.Note
	// canary are the secret values that this turn has touched; they are cut out of every message.
	canary []string
}

func (r *Reconciler) begin(obj v1alpha1.ResourceObject) *turn {
	now := r.Now()
	t := &turn{
		obj: obj, stored: obj.DeepCopyObject().(v1alpha1.ResourceObject), want: obj,
		spec: obj.GetResourceSpec(), status: obj.GetResourceStatus(),
		policy: plan.PolicyOf(r.Kind, obj), deleting: !obj.GetDeletionTimestamp().IsZero(),
		mem: r.memories.of(client.ObjectKeyFromObject(obj), obj.GetUID(), r.Cadence, now), now: now,
		action: report.Observing,
	}
	t.resume()
	t.toldBefore = slices.Clone(t.status.Conditions)
	t.wasReady = t.status.FirstReadyTime != nil
	if request := obj.GetAnnotations()[v1alpha1.AnnotationReconcile]; t.mem.generation != obj.GetGeneration() || t.mem.request != request {
		t.mem.report = t.mem.report.Wanted() // no waiting for what was before
		t.mem.cloud.InVain, t.mem.failure = false, ""
		t.mem.queueNews = newsNone
		t.wanted = t.mem.generation != 0
		t.lookNow = t.wanted && t.mem.request != request
		if t.mem.generation != 0 || t.status.ObservedGeneration != obj.GetGeneration() { // else it was merely not met yet
			t.mem.report.Priority = min(t.mem.report.Priority, account.UserRequested)
		}
		if t.wasReady && t.mem.generation != 0 && t.mem.generation != obj.GetGeneration() {
			t.mem.report.Edited = now
		}
		t.mem.generation, t.mem.request = obj.GetGeneration(), request
	}
	return t
}

func (t *turn) bound() bool { return t.status.ExternalName != "" }

func (t *turn) held() bool {
	return controllerutil.ContainsFinalizer(t.obj, v1alpha1.FinalizerResource)
}

// leave gives the slot of the account back.
func (t *turn) leave() {
	if t.release != nil {
		t.release(!t.hung)
		t.release = nil
	}
}

// answered notes what an error of the cloud says about the account as a whole.
func (t *turn) answered(err error) {
	if err == nil {
		return
	}
	code := driver.CodeOf(err)
	t.hung = code == driver.Unavailable
	if code == driver.Denied {
		t.conn.Recheck()
	}
}

// knows adds values that must never be shown.
func (t *turn) knows(secrets ...string) {
	t.canary = append(t.canary, secrets...)
}

// redact cuts secret values out of a message. Drivers promise that there are none; this is the second lock.
func (t *turn) redact(message string) string {
	if t.conn != nil {
		return t.conn.Redact(message, t.canary...) // what it is now: tokens come and go in a turn
	}
	return driver.Redact(message, t.canary...)
}

// parameters returns the parameters of the object's request, and its location.
func (r *Reconciler) parameters(t *turn) (parameters any, location string) {
	parameters, location = t.want.GetParameters(), t.want.GetLocation()
	if t.status.Location != "" {
		location = t.status.Location // bound at creation
	}
	return parameters, location
}

// prepare fills the request once the connection is there.
func (r *Reconciler) prepare(t *turn) {
	parameters, location := r.parameters(t)
	if location == "" {
		location = t.conn.Location
	}
	name := t.status.ExternalName
	if name == "" {
		name = r.asks(t).Name
	}
	t.request = driver.Request{
		Name: name, Location: location, ID: t.status.ExternalID,
		Mark: driver.Mark{
			Cluster: r.ClusterID, Namespace: t.obj.GetNamespace(), Name: t.obj.GetName(), UID: string(t.obj.GetUID()),
		},
		Spec: driver.NewSpec(parameters), Applied: driver.Applied(t.status.Applied), Operation: t.status.Operation,
		NotBefore: t.mem.cloud.NotBefore,
	}
	if r.Kind.Login {
		if c := t.want.GetCredentials(); c != nil && c.Username != nil {
			t.request.Username = *c.Username
		}
	}
	if t.deleting {
		force := t.want.GetForceDestroy()
		t.request.Deletion = &driver.Deletion{Force: force}
		if t.policy.Deletion == v1alpha1.DeletionSnapshot {
			t.request.Deletion.Snapshot = plan.SnapshotName(name, string(t.obj.GetUID()))
		}
	}
}

// asks returns where the object asks to be.
func (r *Reconciler) asks(t *turn) plan.Place {
	return plan.PlaceOf(t.want, t.spec.ExternalName, r.ClusterID, t.conn.Region, t.described.Name.MaxLength)
}

// look fills the view: what is known beside the cloud.
func (r *Reconciler) look(t *turn) {
	looked := plan.Look(plan.Sight{
		Kind: r.Kind, Object: t.obj, Class: t.class, Mark: t.request.Mark, Applied: t.request.Applied, Asks: r.asks(t),
		Observation: t.seen, Memory: t.mem.cloud, Now: t.now, Window: r.Settle,
	})
	looked.Note(t.status)
	t.view, t.mem.cloud = looked.View, looked.Memory
}
