package controllers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/mooring-dev/mooring/controllers/admission"
)

// WebhookOptions says how API servers are answered that ask about objects before they store them.
type WebhookOptions struct {
	// Address is where to listen, as ":9443".
	Address string
	// Namespace is Mooring's own.
	Namespace string
	// Judge says what is wrong with objects. Default: nothing ever is.
	Judge admission.Judge
}

// The certificate is in a Secret, which is covered already.
//
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingwebhookconfigurations,verbs=get;patch,resourceNames=mooring

// SetupWebhook adds the answers to a manager.
func SetupWebhook(mgr manager.Manager, o WebhookOptions) error {
	if o.Judge == nil {
		o.Judge = admission.JudgeFunc(func(context.Context, admission.Review) (admission.Verdict, error) {
			return admission.Verdict{}, nil
		})
	}
	return admission.Add(mgr, admission.Options{Address: o.Address, Namespace: o.Namespace, Judge: o.Judge})
}
