package controllers

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/credential"
)

// The certificate is in a Secret, which is covered already.
//
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingwebhookconfigurations,verbs=get;patch,resourceNames=mooring

// addWebhook answers API servers that ask about objects before they store them.
func (s *setup) addWebhook() error {
	return admission.Add(s.mgr, admission.Options{Address: s.WebhookAddress, Name: s.WebhookName, Namespace: s.Namespace, CertDir: s.CertDir, Judge: admission.JudgeFunc(s.judge), Serves: s.metrics.Certificate})
}

// judge asks whoever knows about the kind.
func (s *setup) judge(ctx context.Context, r admission.Review) (admission.Verdict, error) {
	if r.Object == nil {
		return s.judgeDeletion(ctx, r.Old)
	}
	for _, kind := range s.kinds {
		var refusals []class.Problem
		var warnings []string
		var err error
		switch {
		case sameType(r.Object, kind.object):
			refusals, warnings, err = kind.admission.Object(ctx, r.Old, r.Object)
			if r.Old != nil && err == nil && len(refusals) == 0 {
				warnings = append(warnings, s.previewEdit(ctx, kind, r)...)
			}
			if r.Old == nil && err == nil && len(refusals) == 0 {
				warnings = append(s.previewCreation(ctx, kind, r.Object), warnings...)
			}
		case sameType(r.Object, kind.classes.Kind.Class()):
			refusals, warnings, err = kind.admission.Class(ctx, r.Old, r.Object)
		default:
			continue
		}
		return admission.Verdict{Refusals: fieldErrors(refusals), Warnings: warnings}, err
	}
	return admission.Verdict{}, fmt.Errorf("nobody knows %T", r.Object)
}

// previewEdit says what an edit would change in the cloud. What keeps it from saying that keeps nobody from the edit.
func (s *setup) previewEdit(ctx context.Context, kind addedKind, r admission.Review) (warnings []string) {
	failed := func(err error) []string {
		s.Log.Error(err, "an edit can't be previewed; it passes", "namespace", r.Object.GetNamespace(), "name", r.Object.GetName())
		return []string{"Mooring could not say in advance what this changes in the cloud; status.pendingChanges will say it"}
	}
	defer func() {
		if p := recover(); p != nil {
			warnings = failed(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	warnings, err := kind.preview(ctx, r.Old, r.Object)
	if err != nil {
		return failed(err)
	}
	return warnings
}

// A lifecyclePreview says in advance what the creation and the deletion of an object do, a line each, the dangerous first.
type lifecyclePreview interface {
	Creation(context.Context, client.Object) ([]string, error)
	Deletion(context.Context, client.Object) ([]string, error)
}

// previewCreation returns what a creation is warned of. The verdict on it stands without that.
func (s *setup) previewCreation(ctx context.Context, kind addedKind, object client.Object) []string {
	lines, err := kind.lifecycle.Creation(ctx, object)
	if err != nil {
		s.mgr.GetLogger().Error(err, "a creation can't be previewed; it goes on without warnings", "kind", kind.classes.Kind.Name, "namespace", object.GetNamespace(), "name", object.GetName())
	}
	return lines
}

// judgeDeletion says what a deletion does.
func (s *setup) judgeDeletion(ctx context.Context, old client.Object) (admission.Verdict, error) {
	for _, kind := range s.kinds {
		if sameType(old, kind.object) {
			lines, err := kind.lifecycle.Deletion(ctx, old)
			return admission.Verdict{Warnings: lines}, err
		}
	}
	return admission.Verdict{}, fmt.Errorf("nobody knows %T", old)
}

// providerOf returns the cloud that a provider config leads to, by the cache.
func (s *setup) providerOf(ctx context.Context, key credential.Key) (string, error) {
	return s.store.ProviderOf(ctx, s.mgr.GetClient(), key)
}

func sameType(a, b client.Object) bool { return fmt.Sprintf("%T", a) == fmt.Sprintf("%T", b) }

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
	use := credential.Use{Namespace: namespace}
	path := "spec.providerConfigRef"
	if ref != nil {
		use.Key = credential.KeyOf(ref, namespace)
	} else {
		path, use.ByClass = "spec.className", true
		use.Key = credential.KeyOfBound(*ofClass, namespace)
	}
	refusal, err := s.store.MayUse(ctx, from, use)
	if refusal == nil || err != nil {
		return nil, err
	}
	return &class.Problem{Reason: refusal.Reason, Field: path, Message: refusal.Message}, nil
}
