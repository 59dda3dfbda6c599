package identity

import (
	"encoding/base64"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// kept returns how many tokens of a tenant there are in Mooring's own namespace, under whatever name.
func (w *fixture) kept(n tenant) (count int) {
	w.Helper()
	var all corev1.SecretList
	w.Must(w.Client.List(w.Context(), &all, client.InNamespace(system.Namespace)))
	for _, secret := range all.Items {
		for _, value := range secret.Data {
			parts := strings.Split(string(value), ".")
			if len(parts) != 3 {
				continue
			}
			claims, err := base64.RawURLEncoding.DecodeString(parts[1])
			if err == nil && strings.Contains(string(claims), `"`+n.subject()+`"`) {
				count++
			}
		}
	}
	return count
}

// verifyDeleted checks that a bucket was deleted in the cloud, once, by whom it belonged to.
func (w *fixture) verifyDeleted(way signIn, name, caller string) {
	w.Helper()
	deletions := 0
	for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{Service: way.service, Operation: way.deletion, Resource: name}) {
		if call.Committed {
			deletions++
		}
		if call.Caller != caller {
			w.Errorf("%s was deleted by %s, want %s", name, call.Caller, caller)
		}
	}
	if deletions != 1 {
		w.Errorf("%s was deleted %d times", name, deletions)
	}
}
