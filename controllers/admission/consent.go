package admission

import (
	"context"
	"errors"
	"net/http"

	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// consentPath is where the API server asks about what may need a consent that its user can't give. Like path it never changes.
const consentPath = "/consent"

// A consentHandler answers the API server about requests that may need a consent which their users can't give. Unlike a handler it refuses what it can't
// find out: a rule that holds only as long as Mooring runs well restricts nobody.
type consentHandler handler

// Handle implements admission.Handler.
func (c *consentHandler) Handle(ctx context.Context, req admission.Request) admission.Response {
	h := (*handler)(c)
	log := logf.FromContext(ctx).WithValues("kind", req.Kind.Kind, "namespace", req.Namespace, "name", req.Name)
	review, err := h.review(req)
	if err != nil {
		log.Error(err, "a request for consent can't be read; it is refused")
		return admission.Errored(http.StatusBadRequest, err)
	}
	if review == nil || review.OnlyAnnotations || review.Deleting {
		return admission.Allowed("")
	}
	result, err := h.validate(ctx, *review, h.deadline)
	switch {
	case err != nil:
		log.Error(err, "nobody knows whether a request needs a consent; it is refused")
		return admission.Errored(http.StatusServiceUnavailable, errUnknownConsent)
	case len(result.Refusals) == 0:
		return admission.Allowed("")
	}
	return refused(req, review.Object, result)
}

var errUnknownConsent = errors.New(`could not find out whether this lowers a rule of spec.updates, for which you need the verb "approve"; try again, or leave out the edit of spec.updates, spec.className and spec.providerConfigRef`)
