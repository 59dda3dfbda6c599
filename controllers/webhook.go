package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// The certificate is in a Secret, which is covered already.
//
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingwebhookconfigurations,verbs=get;patch,resourceNames=mooring

// addWebhook answers API servers that ask about objects before they store them.
func (s *setup) addWebhook() error {
	r := &reviewer{s.kinds, s.mgr.GetClient(), &secretHolders{cached: s.mgr.GetClient(), live: s.mgr.GetAPIReader()}, s.Drivers, s.Log}
	return admission.Add(s.mgr, admission.Options{
		Address: s.WebhookAddress, Name: s.WebhookName, Namespace: s.Namespace, CertDir: s.CertDir,
		Validator: admission.ValidatorFunc(r.validate), Consent: admission.ValidatorFunc(r.consent), OnCertificate: s.metrics.Certificate,
	})
}

// A reviewer says what is wrong with objects of the kinds, and previews what they do.
type reviewer struct {
	kinds   []addedKind
	reader  client.Reader
	secrets *secretHolders // nil if nobody is asked about them
	drivers map[string]driver.Driver
	log     logr.Logger
}

// validate asks whoever knows about the kind.
func (w *reviewer) validate(ctx context.Context, r admission.Review) (admission.Result, error) {
	if config, is := r.Object.(v1alpha1.ProviderConfigObject); is {
		return admission.Result{Warnings: configWarnings(w.drivers, r, config)}, nil
	}
	if r.Object == nil || r.Deleting {
		return w.warnOfDeletion(ctx, r)
	}
	for _, kind := range w.kinds {
		var refusals []class.Problem
		var warnings []string
		var err error
		switch {
		case kind.Has(r.Object) && r.OnlyAnnotations:
			warnings = safePreview{kind.preview, kind.Name, w.log}.edit(ctx, r.Old.(v1alpha1.ResourceObject), r.Object.(v1alpha1.ResourceObject))
		case kind.HasClass(r.Object) && r.OnlyAnnotations:
		case kind.Has(r.Object):
			old, _ := r.Old.(v1alpha1.ResourceObject)
			refusals, warnings, err = w.validateObject(ctx, kind, old, r.Object.(v1alpha1.ResourceObject))
		case kind.HasClass(r.Object):
			old, _ := r.Old.(v1alpha1.ClassObject)
			refusals, warnings, err = kind.admission.Class(ctx, old, r.Object.(v1alpha1.ClassObject))
		default:
			continue
		}
		return admission.Result{Refusals: fieldErrors(refusals), Warnings: warnings}, err
	}
	return admission.Result{}, fmt.Errorf("unknown type %T", r.Object)
}

// consent says which rules of spec.updates an object would lower.
func (w *reviewer) consent(ctx context.Context, r admission.Review) (admission.Result, error) {
	object, ok := r.Object.(v1alpha1.ResourceObject)
	if !ok {
		return admission.Result{}, fmt.Errorf("unknown type %T", r.Object)
	}
	old, _ := r.Old.(v1alpha1.ResourceObject)
	for _, kind := range w.kinds {
		if kind.Has(object) {
			problems, err := kind.admission.LoweredUpdateRules(ctx, old, object)
			return admission.Result{Refusals: fieldErrors(problems)}, err
		}
	}
	return admission.Result{}, fmt.Errorf("unknown type %T", r.Object)
}

// warnOfDeletion says what a deletion does, or what an edit changes in one that was requested before.
func (w *reviewer) warnOfDeletion(ctx context.Context, r admission.Review) (v admission.Result, err error) {
	if namespace, is := r.Old.(*corev1.Namespace); is {
		v.Warnings, err = w.namespaceDeletion(ctx, namespace.Name)
		return v, err
	}
	for _, kind := range w.kinds {
		switch {
		case kind.HasClass(r.Old): // nothing in the cloud is deleted with it
			return v, nil
		case !kind.Has(r.Old):
		case r.Object == nil:
			v.Warnings = safePreview{kind.preview, kind.Name, w.log}.deletion(ctx, r.Old.(v1alpha1.ResourceObject))
			return v, ctx.Err()
		default:
			v.Warnings = safePreview{kind.preview, kind.Name, w.log}.deletionEdit(ctx, r.Old.(v1alpha1.ResourceObject), r.Object.(v1alpha1.ResourceObject))
			return v, ctx.Err()
		}
	}
	return v, fmt.Errorf("unknown type %T", r.Old)
}

// validateObject validates an object that is to be created, or updated if there is an old one. What is not refused is previewed.
func (w *reviewer) validateObject(ctx context.Context, kind addedKind, old, object v1alpha1.ResourceObject) (refusals []class.Problem, warnings []string, err error) {
	if says := plan.TooLarge(object); says != "" { // and is evaluated no further
		if old != nil && plan.Weight(object.GetSpec()) <= plan.Weight(old.GetSpec()) {
			return nil, []string{"spec: " + says}, nil // a step towards what it is to be, or an edit of something else
		}
		return []class.Problem{{Reason: v1alpha1.ReasonInvalid, Message: says}}, nil, nil
	}
	refusals, warnings, err = kind.admission.Object(ctx, old, object)
	if err == nil && len(refusals) == 0 {
		refusals, err = w.secrets.refuse(ctx, w.kinds, old, object)
	}
	switch {
	case err != nil || len(refusals) > 0:
	case old != nil:
		warnings = append(safePreview{kind.preview, kind.Name, w.log}.edit(ctx, old, object), warnings...)
	default:
		warnings = append(safePreview{kind.preview, kind.Name, w.log}.creation(ctx, object), warnings...)
	}
	return refusals, warnings, err
}

// providerOf returns the cloud that a provider config leads to, by the cache.
func (s *setup) providerOf(ctx context.Context, key identity.Key) (string, error) {
	return s.store.ProviderOf(ctx, s.mgr.GetClient(), key)
}

// placeFrom returns what finds where an object is to be.
func placeFrom(store *identity.Store) class.PlaceFunc {
	return func(ctx context.Context, from client.Reader, ref *v1alpha1.ProviderConfigReference, ofClass *v1alpha1.BoundProviderConfig, namespace string) (class.Place, error) {
		var key identity.Key
		if ref != nil {
			key = identity.KeyOf(ref, namespace)
		} else {
			key = identity.KeyOfBound(*ofClass, namespace)
		}
		return store.PlaceOf(ctx, from, key)
	}
}

// lacksOf returns what says of a kind what clouds do not have of it, as their drivers do.
func lacksOf(drivers map[string]driver.Driver, k *kind.Kind) func(cloud string) []driver.Lack {
	return func(cloud string) []driver.Lack {
		drv := drivers[cloud]
		if drv == nil {
			return nil
		}
		described := drv.Describe()
		r, _ := described.Resource(k.Name)
		return r.Lacks
	}
}

// fieldErrors says problems as the API server says what breaks a schema: the first ones, and as a last one how many more.
func fieldErrors(problems []class.Problem) (list field.ErrorList) {
	if n := len(problems) - prose.MostListed; n > 0 {
		more := problems[prose.MostListed]
		more.Message = fmt.Sprintf("and %d more; correct these first", n)
		problems = append(slices.Clone(problems[:prose.MostListed]), more)
	}
	for _, p := range problems {
		path := field.NewPath("spec")
		if rest, ok := strings.CutPrefix(p.Field, "spec."); ok { // its own steps are of no interest here
			path = path.Child(rest)
		}
		list = append(list, fieldError(path, p))
	}
	return list
}

// fieldError tells what is not allowed from what is wrong whoever asks for it.
func fieldError(path *field.Path, p class.Problem) *field.Error {
	switch p.Reason {
	case v1alpha1.ReasonClassViolated, v1alpha1.ReasonClassNotAllowed, v1alpha1.ReasonProviderConfigNotAllowed, v1alpha1.ReasonProviderConfigDeleting:
		return field.Forbidden(path, p.Message)
	default:
		return field.Invalid(path, field.OmitValueType{}, p.Message)
	}
}

// mayUse asks the credentials whether a namespace may use a provider config, by its own reference or by its class's.
func (s *setup) mayUse(ctx context.Context, from client.Reader, ref *v1alpha1.ProviderConfigReference, ofClass *v1alpha1.BoundProviderConfig, namespace string) (*class.Problem, error) {
	use := identity.Request{Namespace: namespace}
	path := "spec.providerConfigRef"
	if ref != nil {
		use.Key = identity.KeyOf(ref, namespace)
	} else {
		path, use.ByClass = "spec.className", true
		use.Key = identity.KeyOfBound(*ofClass, namespace)
	}
	refusal, err := s.store.MayUse(ctx, from, use)
	if refusal == nil || err != nil {
		return nil, err
	}
	return &class.Problem{Reason: refusal.Reason, Field: path, Message: refusal.Message}, nil
}
