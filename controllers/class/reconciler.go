package class

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// A Reconciler maintains the status of the classes of one kind: whether a class can be used, and how many objects use
// it.
type Reconciler struct {
	Resolver *Resolver
	// Client reads from a cache, and writes to the API server.
	Client client.Client
	// Check returns why a class's constraints and allowed references are invalid in a cloud; nil if they are valid. The
	// cloud is empty if it is not known.
	Check func(c *Class, cloud string) *Problem
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	stored := r.Resolver.Kind.Class.New()
	if err := r.Client.Get(ctx, req.NamespacedName, stored); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	object := stored.DeepCopyObject().(v1alpha1.ClassObject)
	c, err := Of(object)
	if err != nil {
		return reconcile.Result{}, err
	}
	ready, err := r.ready(ctx, c)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := r.count(ctx, c); err != nil {
		return reconcile.Result{}, err
	}
	c.Status.Sizes, c.Status.Catalogue, c.Status.Accounts = c.names(), c.catalogue(), c.configs()
	c.Status.ObservedGeneration = object.GetGeneration()
	ready.Message = condition.Message(ready.Message)
	meta.SetStatusCondition(&c.Status.Conditions, ready)
	if equality.Semantic.DeepEqual(stored, object) {
		return reconcile.Result{}, nil
	}
	err = r.Client.Status().Patch(ctx, object, client.MergeFrom(stored))
	return reconcile.Result{}, client.IgnoreNotFound(err)
}

// ready says whether a class can be used.
func (r *Reconciler) ready(ctx context.Context, c *Class) (metav1.Condition, error) {
	ready := metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, ObservedGeneration: c.Object.GetGeneration(),
		Reason: string(v1alpha1.ReasonClassInvalid),
	}
	clouds, err := cloudsOf(ctx, r.Client, c)
	if err != nil {
		return ready, err
	}
	if wrong := c.validate(clouds, r.Check); wrong != nil {
		ready.Message = wrong.String()
		return ready, nil
	}
	c.Status.Provider = c.cloud(clouds)
	return ready, r.accounts(ctx, c, &ready)
}

// accounts says whether the class's accounts can be used. Each that can't is named: the objects of the others go on.
func (r *Reconciler) accounts(ctx context.Context, c *Class, ready *metav1.Condition) error {
	var reasons, messages, names []string
	all := c.Accounts()
	for _, a := range all {
		reason, message, err := r.account(ctx, a)
		if err != nil {
			return err
		}
		if reason != "" {
			reasons, messages, names = append(reasons, reason), append(messages, message), append(names, a.Config)
		}
	}
	if len(reasons) == 0 {
		ready.Status, ready.Reason, ready.Message = metav1.ConditionTrue, string(v1alpha1.ReasonReady), "the class can be used"
		if c.Spec.AllowedNamespaces == nil {
			ready.Message = "no namespace may use the class, because spec.allowedNamespaces is not set; to allow all, set it to {}"
		}
		return nil
	}
	ready.Reason, ready.Message = reasons[0], strings.Join(messages[:min(most, len(messages))], "; ")
	if len(names) > most {
		ready.Message += "; nor can these be used: " + prose.Shorten(strings.Join(names[most:], ", "), condition.LongestMessage/2)
	}
	if len(reasons) < len(all) {
		ready.Message += "; objects in the other accounts of the class are not affected"
	}
	return nil
}

// account says why an account of a class can't be used; the reason is empty if it can.
func (r *Reconciler) account(ctx context.Context, a Account) (reason, message string, err error) {
	config := &v1alpha1.ClusterProviderConfig{}
	err = r.Client.Get(ctx, client.ObjectKey{Name: a.Config}, config)
	if apierrors.IsNotFound(err) {
		return string(v1alpha1.ReasonProviderConfigNotFound), fmt.Sprintf("there is no ClusterProviderConfig %s; create it, or change %s", a.Config, a.Field), nil
	}
	if err != nil {
		return "", "", err
	}
	switch verified := meta.FindStatusCondition(config.Status.Conditions, v1alpha1.ConditionReady); {
	case !config.DeletionTimestamp.IsZero():
		return string(v1alpha1.ReasonProviderConfigDeleting), fmt.Sprintf("ClusterProviderConfig %s is being deleted; change %s", a.Config, a.Field), nil
	case config.Spec.Cloud() == "":
		return string(v1alpha1.ReasonNotSupported), unknownCloud(a), nil
	case verified != nil && verified.Status == metav1.ConditionFalse:
		return verified.Reason, fmt.Sprintf("ClusterProviderConfig %s: %s", a.Config, verified.Message), nil
	default:
		return "", "", nil
	}
}

// stalled reports whether somebody has to act on an object.
func stalled(status *v1alpha1.ResourceStatus) bool {
	return meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionStalled)
}

// count says how many objects use a class, and how they stand.
func (r *Reconciler) count(ctx context.Context, c *Class) error {
	c.Status.Users, c.Status.UpToDate, c.Status.Waiting, c.Status.Stalled = 0, 0, 0, 0
	return r.Resolver.EachUser(ctx, c, func(user v1alpha1.ResourceObject) error {
		c.Status.Users++
		status := user.GetResourceStatus()
		if waits(status) {
			c.Status.Waiting++
		} else if stalled(status) {
			c.Status.Stalled++
		}
		upToDate, err := r.upToDate(ctx, user, status)
		if upToDate {
			c.Status.UpToDate++
		}
		return err
	})
}

// waits reports whether a disruptive change of the class waits for approval or for the maintenance window.
func waits(status *v1alpha1.ResourceStatus) bool {
	asked := status.Plan != nil && status.Plan.Hash != ""
	return slices.ContainsFunc(status.PendingChanges, func(c v1alpha1.PendingChange) bool {
		return c.Cause == v1alpha1.CauseClass && (asked || c.WaitsFor != "")
	})
}

// upToDate reports whether an object has from its class what that says now, and is as declared.
func (r *Reconciler) upToDate(ctx context.Context, user v1alpha1.ResourceObject, status *v1alpha1.ResourceStatus) (bool, error) {
	if status.ObservedGeneration != user.GetGeneration() || !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSynced) {
		return false, nil
	}
	now, err := r.Resolver.Resolve(ctx, user)
	if err != nil {
		return false, err
	}
	return Join(now.Problems) == nil && now.Name == status.ClassName && status.Effective != nil &&
		now.Effective.Stored(status.Effective) == status.Effective, nil
}

// EachUser calls visit for each object that uses a class. visit must not change the object.
func (r *Resolver) EachUser(ctx context.Context, c *Class, visit func(v1alpha1.ResourceObject) error) error {
	keys := []string{c.Name()}
	if IsDefault(c.Object) {
		keys = append(keys, Default)
	}
	for _, key := range keys {
		list := r.Kind.NewList()
		if err := r.Client.List(ctx, list, client.MatchingFields{Index: key}, client.UnsafeDisableDeepCopy); err != nil {
			return err
		}
		err := meta.EachListItem(list, func(item runtime.Object) error { return visit(item.(v1alpha1.ResourceObject)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// RecountDelay is how long changes of a class's objects are collected before the objects are counted again.
const RecountDelay = time.Second
