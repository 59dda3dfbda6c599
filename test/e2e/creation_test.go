package e2e

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// lead makes the cloud's ClusterProviderConfig lead to another account, as a person does who corrects it.
func (w *fixture) lead(c *system.Cloud, account string) {
	w.Helper()
	if c.Account = account; c.Name == "gcp" {
		w.editConfig(c, func(s *v1alpha1.ClusterProviderConfigSpec) { s.GCP.Project = account })
		return
	}
	secret := &corev1.Secret{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Namespace: system.Namespace, Name: c.Config}, secret))
	secret.Data = c.Keys()
	w.Must(w.Client.Update(w.Context(), secret))
}

// mistaken returns a cloud whose ClusterProviderConfig leads to an account in which nothing may be created, and the account that was
// meant. In Google Cloud that is a mistyped project, in AWS another account.
func (w *fixture) mistaken(name string) (c *system.Cloud, meant string) {
	w.Helper()
	c = w.alone(name)
	if meant = c.Account; name == "gcp" {
		w.lead(c, meant+"-mistyped")
		return c, meant
	}
	w.Cleanup(c.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Operation: "CreateBucket", Account: c.Account}, Kind: localcloud.Denied,
	}))
	return c, fmt.Sprintf("9%011d", w.number)
}

// An object for which nothing was created follows its provider config to the account that was meant, and can be deleted without the
// account that was not.
func TestRefusedCreationTiesToNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"aws", "gcp"} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			c, meant := w.mistaken(name)
			stays, goes := w.bucket(c, "stays", v1alpha1.BucketParameters{}), w.bucket(c, "goes", v1alpha1.BucketParameters{})
			for _, b := range []*v1alpha1.Bucket{stays, goes} {
				w.create(b)
				w.stalled(b, v1alpha1.ReasonDenied)
				noted := slices.ContainsFunc(w.States("Bucket", b.Name, 0), func(s system.Snapshot) bool { return s.Status.CreationRefused })
				if !noted {
					w.Error("that the creation was refused was never stored")
				}
			}
			w.calm(c, c.Account)
			edit(w, goes, func(b *v1alpha1.Bucket) { b.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} })
			w.delete(goes)
			w.stalled(goes, v1alpha1.ReasonPaused)
			mark := len(c.Writes(goes.Status.ExternalName))
			w.Disturb()
			w.lead(c, meant)
			s := w.ready(stays)
			w.equal("account", s.Status.AccountID, meant)
			w.equal("creation refused", s.Status.CreationRefused, false)
			edit(w, goes, func(b *v1alpha1.Bucket) { b.Annotations = nil })
			w.awaitDeleted(goes)
			w.equal("writes", len(c.Writes(goes.Status.ExternalName)), mark)
		})
	}
}

// Who is told that a name is another's can choose another one, or delete the object, although the other's bucket may not be looked at.
func TestNameOfAnothersCanBeChanged(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	for _, end := range []string{"renamed", "deleted"} {
		w.run(end, func(w *fixture) {
			b := w.bucket(c, end, v1alpha1.BucketParameters{})
			b.Spec.ExternalName = w.Namespace + "-taken-" + end
			on := func(operation string, kind localcloud.FaultKind, before int) {
				w.Cleanup(c.Faults.Add(localcloud.Fault{
					Filter: localcloud.Filter{Operation: operation, Resource: b.Spec.ExternalName}, Kind: kind, Skip: before,
				}))
			}
			on("buckets.insert", localcloud.Conflict, 0)
			on("buckets.get", localcloud.Denied, 1) // from when the other has it
			w.create(b)
			w.stalled(b, v1alpha1.ReasonConflict, "choose another spec.externalName")
			w.stalled(b, v1alpha1.ReasonDenied, "choose another spec.externalName")
			if end == "deleted" {
				w.delete(b)
				w.awaitDeleted(b)
				return
			}
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.ExternalName = w.Namespace + "-free" })
			w.equal("name", w.ready(b).Status.ExternalName, b.Spec.ExternalName)
		})
	}
}

// A word that RDS or Cloud SQL keeps for itself can be corrected, since nothing has it yet.
func TestRefusedLoginCanBeCorrected(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		for field, set := range map[string]func(d *v1alpha1.Database, value string){
			"databaseName": func(d *v1alpha1.Database, value string) { d.Spec.DatabaseName = &value },
			"credentials.username": func(d *v1alpha1.Database, value string) {
				d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: &value}
			},
		} {
			reserved := map[string]map[string]string{
				"aws": {"databaseName": "user", "credentials.username": "user"},
				"gcp": {"databaseName": "template0", "credentials.username": "pg_boss"},
			}[c.Name][field]
			d := w.database(c, "refused-"+map[string]string{"databaseName": "database", "credentials.username": "username"}[field], system.MinimalDatabase(c))
			set(d, reserved)
			system.Connect(d, d.Name)
			w.create(d)
			w.stalled(d, v1alpha1.ReasonInvalid)
			edit(w, d, func(d *v1alpha1.Database) { set(d, "shop") })
			w.equal("fixed "+field, w.ready(d).Status.Fixed[field], "shop")
		}
	})
}
