package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// A Validator validates objects, and says what deleting them does. It is called for:
//
//   - Buckets, Databases and DatabaseSnapshots that are created, edited or deleted, also while they are being deleted;
//   - their classes and provider configs that are created or edited;
//   - namespaces that are deleted.
//
// It is called concurrently, and must not write anything.
type Validator interface {
	// Validate validates what is under review. It should return when ctx ends, because the response is sent then. After
	// an error the object is allowed.
	Validate(ctx context.Context, r Review) (Result, error)
}

// ValidatorFunc is a function that implements Validator.
type ValidatorFunc func(context.Context, Review) (Result, error)

// Validate implements Validator.
func (f ValidatorFunc) Validate(ctx context.Context, r Review) (Result, error) { return f(ctx, r) }

// Review is a request to validate an object.
type Review struct {
	// Object is the object as it is to be stored; nil for a deletion, which is never refused.
	Object client.Object
	// Old is the object as it is stored now; nil for a creation.
	Old client.Object
	// OnlyAnnotations: the spec stays as it is. Then nothing is refused, because the spec was validated before.
	OnlyAnnotations bool
	// Deleting: the object is being deleted already. Then nothing is refused, because the deletion may need the edit to
	// complete.
	Deleting bool
	// DryRun: the request is a dry run, so the object will not be stored.
	DryRun bool
}

// Result is the result of a validation.
type Result struct {
	// Refusals are all the errors that were found. The object is refused if there is one.
	Refusals field.ErrorList
	// Warnings are shown to the user who makes the request, whether or not it is refused. The dangerous ones come
	// first. The API server limits the length of warnings; those that exceed it are left out from the end.
	Warnings []string
}

// deadline is how long a validation may take. The API server waits for 3 seconds, and would then say less well what happened.
const deadline = 2 * time.Second

// deletionDeadline is the same for deletions, for which the API server waits a second.
const deletionDeadline = 600 * time.Millisecond

// handler answers the API server.
type handler struct {
	validator Validator
	decoder   runtime.Decoder
	// deadline is how long a validation may take, deletionDeadline that on a deletion.
	deadline, deletionDeadline time.Duration
}

// Handle implements admission.Handler.
func (h *handler) Handle(ctx context.Context, req admission.Request) admission.Response {
	log := logf.FromContext(ctx).WithValues("kind", req.Kind.Kind, "namespace", req.Namespace, "name", req.Name)
	if req.Operation == admissionv1.Delete {
		return h.deletion(ctx, log, req)
	}
	review, err := h.review(req)
	if err != nil {
		log.Error(err, "a request for admission can't be read; the object passes")
		return unvalidated(req, nil, "because it could not be read")
	}
	if review == nil {
		return admission.Allowed("")
	}
	within := h.deadline
	if review.Deleting {
		within = h.deletionDeadline
	}
	result, err := h.validate(ctx, *review, within)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		log.Error(err, "the validation took too long; the object passes")
		return unvalidated(req, review.Object, "because that took too long")
	case err != nil:
		log.Error(err, "the validation failed; the object passes")
		return unvalidated(req, review.Object, "because of an internal error")
	case len(result.Refusals) == 0 || review.OnlyAnnotations || review.Deleting:
		return admission.Allowed("").WithWarnings(fit(subject(req, review.Object), result.Warnings)...)
	}
	return refused(req, review.Object, result)
}

// unvalidated lets an object pass that was not validated.
func unvalidated(req admission.Request, object client.Object, why string) admission.Response {
	return admission.Allowed("").WithWarnings(subject(req, object) + ": Mooring could not check this in advance, " + why + "; status.conditions will say what it makes of it")
}

// refused answers as the API server does itself: Forbidden where all that is wrong is not allowed to this object, else Invalid, as where an
// object breaks its schema.
func refused(req admission.Request, object client.Object, v Result) admission.Response {
	name := req.Name
	if name == "" {
		name = object.GetGenerateName()
	}
	status := apierrors.NewInvalid(schema.GroupKind{Group: req.Kind.Group, Kind: req.Kind.Kind}, name, v.Refusals).Status()
	if !slices.ContainsFunc(v.Refusals, func(e *field.Error) bool { return e.Type != field.ErrorTypeForbidden }) {
		resource := schema.GroupResource{Group: req.Resource.Group, Resource: req.Resource.Resource}
		causes := status.Details.Causes
		status = apierrors.NewForbidden(resource, name, nil).Status()
		status.Message = subject(req, object) + ": " + saying(v.Refusals) // kubectl puts "admission webhook … denied the request" in front of it
		status.Details.Causes = causes
	}
	status.Message = prose.Plain(status.Message)
	for i, cause := range status.Details.Causes {
		status.Details.Causes[i].Message, status.Details.Causes[i].Field = prose.Plain(cause.Message), prose.Plain(cause.Field)
	}
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{Result: &status, Warnings: fit(subject(req, object), v.Warnings)}}
}

// saying says refusals without the words "is forbidden: … Forbidden", which everybody knows by then.
func saying(refusals field.ErrorList) string {
	lines := make([]string, 0, len(refusals))
	for _, r := range refusals {
		if line := r.Field + ": " + r.Detail; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// deletion says what a deletion does. It allows every deletion, whatever the Validator says and whatever goes wrong.
func (h *handler) deletion(ctx context.Context, log logr.Logger, req admission.Request) admission.Response {
	if req.SubResource != "" {
		return admission.Allowed("")
	}
	old, err := h.decode(req.OldObject)
	if err != nil {
		log.Error(err, "a request for a deletion can't be read; the deletion is allowed")
		return unpreviewed(req, nil, "because it could not be read")
	}
	if !old.GetDeletionTimestamp().IsZero() {
		return admission.Allowed("")
	}
	result, err := h.validate(ctx, Review{Old: old, DryRun: req.DryRun != nil && *req.DryRun}, h.deletionDeadline)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		log.Error(err, "the preview of a deletion took too long; the deletion is allowed")
		return unpreviewed(req, old, "because that took too long")
	case err != nil:
		log.Error(err, "the preview of a deletion failed; the deletion is allowed")
		return unpreviewed(req, old, "because of an internal error")
	}
	return admission.Allowed("").WithWarnings(fit(subject(req, old), result.Warnings)...)
}

// unpreviewed allows a deletion that nothing can be said about in advance.
func unpreviewed(req admission.Request, object client.Object, why string) admission.Response {
	instead := "spec.deletionPolicy and status.effective say what is to be kept"
	if ofNamespace(req) {
		instead = "to see what is in it, run kubectl get mooring -n " + req.Name
	}
	return admission.Allowed("").WithWarnings(subject(req, object) + ": Mooring could not say in advance what this deletion does, " + why + "; " + instead)
}

// review returns what is to be validated, or nil if nothing is. The configuration of the webhook keeps most of that
// from being asked; but whoever edits it must not be able to make Mooring refuse a deletion.
func (h *handler) review(req admission.Request) (*Review, error) {
	if req.SubResource != "" || (req.Operation != admissionv1.Create && req.Operation != admissionv1.Update) {
		return nil, nil
	}
	object, err := h.decode(req.Object)
	if err != nil {
		return nil, err
	}
	r := &Review{Object: object, Deleting: !object.GetDeletionTimestamp().IsZero(), DryRun: req.DryRun != nil && *req.DryRun}
	if object.GetNamespace() == "" {
		object.SetNamespace(req.Namespace)
	}
	if req.Operation == admissionv1.Create {
		return r, nil
	}
	if r.Old, err = h.decode(req.OldObject); err != nil {
		return nil, err
	}
	specChanged, err := changesSpec(req, r)
	if err != nil {
		return nil, err
	}
	if r.OnlyAnnotations = !specChanged; r.OnlyAnnotations && !changesWhatIsDone(r) {
		return nil, nil
	}
	return r, nil
}

func (h *handler) decode(raw runtime.RawExtension) (client.Object, error) {
	decoded, _, err := h.decoder.Decode(raw.Raw, nil, nil)
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(client.Object)
	if !ok {
		return nil, fmt.Errorf("%T is no object", decoded)
	}
	return object, nil
}

// changesWhatIsDone reports whether an update changes an annotation that decides what Mooring does in the cloud.
func changesWhatIsDone(r *Review) bool {
	decide := []string{v1alpha1.AnnotationAdoptFrom, v1alpha1.AnnotationApprove, v1alpha1.AnnotationPaused}
	if r.Deleting {
		decide = []string{v1alpha1.AnnotationPaused}
	}
	return slices.ContainsFunc(decide, func(name string) bool {
		return r.Object.GetAnnotations()[name] != r.Old.GetAnnotations()[name]
	})
}

// changesSpec says whether an update changes anything that may be refused. What is wrong already was told
// already, and must not keep people from changing labels, nor Mooring from changing finalizers.
func changesSpec(req admission.Request, r *Review) (bool, error) {
	if r.Object.GetAnnotations()[v1alpha1.AnnotationDefaultClass] != r.Old.GetAnnotations()[v1alpha1.AnnotationDefaultClass] {
		return true, nil
	}
	now, err := specOf(req.Object.Raw)
	if err != nil {
		return false, err
	}
	before, err := specOf(req.OldObject.Raw)
	return !reflect.DeepEqual(now, before), err
}

// specOf returns a spec as it was sent: a Go struct can't tell an empty value from one that is not there.
func specOf(raw []byte) (any, error) {
	var object struct {
		Spec any `json:"spec"`
	}
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	return object.Spec, numbers.Decode(&object)
}

// validate asks the Validator, and does not wait for it longer than the deadline.
func (h *handler) validate(ctx context.Context, r Review, within time.Duration) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	type answer struct {
		Result
		err error
	}
	answered := make(chan answer, 1) // nobody may be waiting any more
	go func() {
		defer func() {
			if p := recover(); p != nil {
				answered <- answer{err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		v, err := h.validator.Validate(ctx, r)
		answered <- answer{v, err}
	}()
	select {
	case a := <-answered:
		return a.Result, a.err
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}
