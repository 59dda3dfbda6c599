// Package admission implements the validating webhook. Users learn from it at once what the controller would refuse later.
//
// The webhook is not the place that protects anything: the reconciler checks everything again. So if the webhook fails,
// by an error, a panic or a timeout, the object is allowed with a warning. Objects that are being deleted are allowed
// without a validation. So is every update that changes nothing that is validated. A deletion is never refused: the
// response has warnings that say what it does.
//
// Every replica serves the webhook, whether it leads or not. The replicas share one certificate, which they create and
// renew themselves: see rotator.
package admission
