package resource

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

var crdKind = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

// A guard must pass before the cloud is looked at. It returns an outcome to end the turn with, or nil to
// go on.
type guard func(context.Context, *turn) (*outcome.Outcome, error)

// guards is the chain, in order. Deletion passes all guards that are about permission.
func (r *Reconciler) guards() []guard {
	return []guard{
		r.notFinished,
		r.notPaused,
		r.notUnborn,
		r.notRemoved,
		r.hasClass,
		r.connects,
		r.isSupported,
		r.hasSlot,
		r.isSameAccount,
		r.isNotTiedToNothing,
	}
}

// notFinished: an object that is being deleted and no longer bears our finalizer is none of our business.
func (r *Reconciler) notFinished(_ context.Context, t *turn) (*outcome.Outcome, error) {
	if t.deleting && !t.held() {
		return &outcome.Outcome{Deleted: true}, nil
	}
	return nil, nil
}

// notPaused: a pause stops everything, deletion too.
func (r *Reconciler) notPaused(_ context.Context, t *turn) (*outcome.Outcome, error) {
	if t.obj.GetAnnotations()[v1alpha1.AnnotationPaused] != "true" {
		return nil, nil
	}
	if t.deleting {
		return &outcome.Outcome{
			State: condition.DeletionStalled, Reason: v1alpha1.ReasonPaused, Next: outcome.Never,
			Message: "it is being deleted, but it is paused by the annotation " + v1alpha1.AnnotationPaused + "; remove the annotation to continue",
		}, nil
	}
	return &outcome.Outcome{
		State: condition.Paused, Reason: v1alpha1.ReasonPaused, Next: outcome.Never,
		Message: "paused by the annotation " + v1alpha1.AnnotationPaused + "; remove it to continue",
	}, nil
}

// notUnborn: without a stored name nothing was ever created, so there is nothing to look for; nor is there if every creation was refused.
func (r *Reconciler) notUnborn(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	switch {
	case !t.deleting:
		return nil, nil
	case !t.bound():
		return r.actNow(ctx, t, plan.Action{Verb: plan.Forget, Message: "it was never created in the cloud"})
	case t.neverCreated():
		return r.actNow(ctx, t, plan.Action{Verb: plan.Forget, Message: "nothing was created in the cloud, because the cloud refused it", Verify: true})
	}
	return nil, nil
}

// notRemoved: if the kind itself is being removed from the cluster, deletion is nobody's wish, and everything stays
// in the cloud. That needs no cloud, which may be out of reach by then.
func (r *Reconciler) notRemoved(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	if !t.deleting {
		return nil, nil
	}
	crd := &metav1.PartialObjectMetadata{}
	crd.SetGroupVersionKind(crdKind)
	if err := r.Reader.Get(ctx, client.ObjectKey{Name: r.Kind.Definition()}, crd); err != nil {
		return nil, fmt.Errorf("check whether the CustomResourceDefinition is being deleted: %w", err)
	}
	if crd.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	return r.actNow(ctx, t, plan.Action{Verb: plan.Forget, Message: "the CustomResourceDefinition is being deleted, so the cloud object stays", Stays: true})
}

// connects: the provider config is there, for this namespace, and its credentials can be used.
func (r *Reconciler) connects(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	_, location := r.parameters(t)
	conn, err := r.Credentials.Connect(ctx, identity.Use{
		Key: t.config, ByClass: t.class != nil,
		Namespace: t.obj.GetNamespace(), Location: location, Bound: t.bound(), Deleting: t.deleting,
	})
	if err != nil {
		return nil, err
	}
	t.conn = conn
	if t.status.Provider != "" && t.status.Provider != conn.Provider {
		if !t.deleting && t.neverCreated() {
			return r.startElsewhere(ctx, t)
		}
		return t.stalled(v1alpha1.ReasonAccountChanged,
			fmt.Sprintf("it is in %s, but the provider config now leads to %s; change the provider config back, or refer to another", t.status.Provider, conn.Provider)), nil
	}
	return nil, nil
}

// isSupported: the cloud has such a kind.
func (r *Reconciler) isSupported(_ context.Context, t *turn) (*outcome.Outcome, error) {
	described, supported := t.conn.Resource(r.Kind.Name)
	if !supported {
		return t.stalled(v1alpha1.ReasonNotSupported, fmt.Sprintf("%s does not support the kind %s; refer to a provider config of another cloud", t.conn.Provider, r.Kind.Name)), nil
	}
	t.described, t.session = described, t.conn.Session
	if r.Metrics != nil {
		t.session = telemetry.Session(r.Metrics, t.session, t.conn.Provider)
	}
	r.prepare(t)
	return nil, nil
}

// isSameAccount: what is bound to one account is never looked for in another, where it would seem gone.
func (r *Reconciler) isSameAccount(ctx context.Context, t *turn) (*outcome.Outcome, error) {
	if t.lookNow {
		t.conn.RetrySoon()
	}
	account, err := t.conn.Account(ctx)
	if err != nil {
		t.answered(err)
		return nil, named(t.config, err)
	}
	if t.status.AccountID != "" && t.status.AccountID != string(account) {
		if !t.deleting && t.neverCreated() {
			return r.startElsewhere(ctx, t)
		}
		return t.stalled(v1alpha1.ReasonAccountChanged,
			fmt.Sprintf("it is in account %s, but the provider config now leads to %s; change the provider config back, or refer to another", t.status.AccountID, account)), nil
	}
	t.account = account
	return nil, nil
}

// named says of which provider config an error is about its account.
func named(config identity.Key, err error) error {
	if refusal, ok := errors.AsType[*identity.ValidationError](err); ok {
		return &identity.ValidationError{Reason: refusal.Reason, Message: fmt.Sprintf("%s: %s", config, refusal.Message)}
	}
	return fmt.Errorf("%s: %w", config, err)
}

func (t *turn) stalled(reason v1alpha1.Reason, message string) *outcome.Outcome {
	return &outcome.Outcome{State: condition.Stalled, Reason: reason, Message: message, Next: outcome.AtSync}
}
