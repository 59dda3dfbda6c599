package identity

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// serviceAccounts reads from the API server whether a ServiceAccount may be used.
type serviceAccounts struct{ live client.Reader }

// checkConsent refuses a ServiceAccount that is not there, or whose namespace did not say that Mooring may sign in as it: else
// whoever may make a Bucket would be whatever runs beside it.
func (a serviceAccounts) checkConsent(ctx context.Context, namespace, name string) error {
	account := &corev1.ServiceAccount{}
	err := a.live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, account)
	switch {
	case apierrors.IsNotFound(err):
		return serviceAccountNotFound(namespace, name)
	case err != nil:
		return tokenError(name, err)
	case account.Annotations[v1alpha1.AnnotationIssueTokens] != "true":
		return &ValidationError{v1alpha1.ReasonDenied,
			fmt.Sprintf("ServiceAccount %s may not be used: it lacks the annotation %s: \"true\"", name, v1alpha1.AnnotationIssueTokens)}
	}
	return nil
}

func serviceAccountNotFound(namespace, name string) *ValidationError {
	return &ValidationError{v1alpha1.ReasonCredentialsNotFound, fmt.Sprintf(
		"there is no ServiceAccount %s in namespace %s; create it, with the annotation %s: \"true\"", name, namespace, v1alpha1.AnnotationIssueTokens)}
}

func namespaceTerminating(name string) *ValidationError {
	return &ValidationError{v1alpha1.ReasonCredentialsNotFound,
		fmt.Sprintf("namespace %s is being deleted, so no tokens are issued in it any more", name)}
}

// opToken is the call that errors about tokens are of.
const opToken = "TokenRequest"

// tokenError returns the error for what the API server said instead of issuing a token.
func tokenError(account string, err error) error {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return &driver.Error{Code: driver.Denied, Op: opToken, Err: err,
			Message: fmt.Sprintf("the API server refuses a token of ServiceAccount %s: %v", account, err)}
	}
	return &driver.Error{Code: driver.Unavailable, Op: opToken, Err: err,
		Message: fmt.Sprintf("the API server does not answer about ServiceAccount %s", account)}
}

// withCode gives an error a code, as drivers need it. It wraps the error.
func withCode(err error) error {
	if refusal, ok := errors.AsType[*ValidationError](err); ok {
		return &driver.Error{Code: driver.Denied, Op: opToken, Message: refusal.Message, Err: refusal}
	}
	if _, ok := errors.AsType[*driver.Error](err); ok {
		return err
	}
	return &driver.Error{Code: driver.Unavailable, Op: opToken, Message: "the API server does not answer", Err: err}
}
