package controllers

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The certificate is in a Secret, which is covered already.
//
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingwebhookconfigurations,verbs=get;patch,resourceNames=mooring

// addWebhook answers API servers that ask about objects before they store them.
func (s *setup) addWebhook() error {
	return admission.Add(s.mgr, admission.Options{Address: s.WebhookAddress, Name: s.WebhookName, Namespace: s.Namespace, CertDir: s.CertDir, Validator: admission.ValidatorFunc(s.validate), Serves: s.metrics.Certificate})
}

// validate asks whoever knows about the kind.
func (s *setup) validate(ctx context.Context, r admission.Review) (admission.Result, error) {
	if r.Object == nil || r.Deleting {
		return s.warnOfDeletion(ctx, r)
	}
	for _, kind := range s.kinds {
		var refusals []class.Problem
		var warnings []string
		var err error
		switch {
		case kind.Has(r.Object) && r.OnlyAnnotations:
			warnings = safePreview{kind.preview, kind.Name, s.Log}.edit(ctx, r.Old.(v1alpha1.ResourceObject), r.Object.(v1alpha1.ResourceObject))
		case kind.HasClass(r.Object) && r.OnlyAnnotations:
		case kind.Has(r.Object):
			old, _ := r.Old.(v1alpha1.ResourceObject)
			refusals, warnings, err = s.validateObject(ctx, kind, old, r.Object.(v1alpha1.ResourceObject))
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

// warnOfDeletion says what a deletion does, or what an edit changes in one that was requested before.
func (s *setup) warnOfDeletion(ctx context.Context, r admission.Review) (v admission.Result, err error) {
	for _, kind := range s.kinds {
		switch {
		case kind.HasClass(r.Old): // nothing in the cloud is deleted with it
			return v, nil
		case !kind.Has(r.Old):
		case r.Object == nil:
			v.Warnings = safePreview{kind.preview, kind.Name, s.Log}.deletion(ctx, r.Old.(v1alpha1.ResourceObject))
			return v, ctx.Err()
		default:
			v.Warnings = safePreview{kind.preview, kind.Name, s.Log}.deletionEdit(ctx, r.Old.(v1alpha1.ResourceObject), r.Object.(v1alpha1.ResourceObject))
			return v, ctx.Err()
		}
	}
	return v, fmt.Errorf("unknown type %T", r.Old)
}

// validateObject validates an object that is to be created, or updated if there is an old one. What is not refused is previewed.
func (s *setup) validateObject(ctx context.Context, kind addedKind, old, object v1alpha1.ResourceObject) (refusals []class.Problem, warnings []string, err error) {
	refusals, warnings, err = kind.admission.Object(ctx, old, object)
	switch {
	case err != nil || len(refusals) > 0:
	case old != nil:
		warnings = append(safePreview{kind.preview, kind.Name, s.Log}.edit(ctx, old, object), warnings...)
	default:
		warnings = append(safePreview{kind.preview, kind.Name, s.Log}.creation(ctx, object), warnings...)
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
		cloud, region, err := store.PlaceOf(ctx, from, key)
		return class.Place{Cloud: cloud, Region: region}, err
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

// fieldErrors says problems as the API server says what breaks a schema.
func fieldErrors(problems []class.Problem) (list field.ErrorList) {
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
	use := identity.Use{Namespace: namespace}
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
