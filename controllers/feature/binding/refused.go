package binding

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
)

// unpublished returns an outcome as that of an object whose connection Secret can't be written, which a person has to mend.
func unpublished(out outcome.Outcome, refused *identity.ValidationError) outcome.Outcome {
	switch held := out.State == condition.Updating && out.Reason == v1alpha1.ReasonWaitingForWindow; {
	case held, out.State == condition.Stalled, out.State == condition.EditWaits, out.State == condition.DriftWaits: // that is still so
		out.Message = refused.Message + "; " + out.Message
	default:
		out.Message = refused.Message
	}
	if out.State != condition.Stalled {
		out.Reason = refused.Reason
	}
	if out.Next != outcome.Polling { // the cloud is at work, and what comes of that is to be seen
		out.Next = outcome.AtSync
	}
	out.State, out.KeepConditions = condition.Stalled, false
	return out
}

// refusedForGood returns what to tell a person if the API server will not take a Secret, however often it is asked; nil if asking
// again may help.
func refusedForGood(secret *corev1.Secret, err error, redact func(string) string) *identity.ValidationError {
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause): // the object goes too
		return nil
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsRequestEntityTooLargeError(err), apierrors.IsBadRequest(err):
	default:
		return nil
	}
	// It is shortened once it is redacted: a secret that is cut in two would not be recognized.
	message := fmt.Sprintf("the API server refuses to store the connection Secret %s: %.500s; ", secret.Name, redact(err.Error()))
	if secret.Immutable != nil && *secret.Immutable {
		message += "the Secret is immutable: delete it, and Mooring writes it again, or change spec.connection.secretName"
	} else {
		message += "change what refuses it (a policy, a quota or a limit), or spec.connection.secretName"
	}
	return &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotWritten, Message: message}
}
