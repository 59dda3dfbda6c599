package chart

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// clouds are the accounts of the fixture, as other people use them.
func (w *fixture) clouds() (all []*system.Cloud) {
	for _, name := range []string{"aws", "gcp"} {
		all = append(all, system.NewCloud(w.Cloud, name))
	}
	return all
}

func objectsOf(databases []*v1alpha1.Database) (all []client.Object) {
	for _, d := range databases {
		all = append(all, d)
	}
	return all
}

// databaseIn returns a small database in a cloud, directly in its account.
func databaseIn(c *system.Cloud, name string) *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: c.Name + "-" + name}}
	d.Spec.ProviderConfigRef, d.Spec.DatabaseParameters = c.Ref(), system.MinimalDatabase(c)
	return d
}

// makeWaiting makes databases that wait for approval in each cloud: of an edit of the spec, of the correction of drift, of a change of the class.
func (w *fixture) makeWaiting(s *inventory) {
	w.Helper()
	for _, c := range w.clouds() {
		edited, drifted, classed := databaseIn(c, "edited"), databaseIn(c, "drifted"), databaseIn(c, "classed")
		edited.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		class := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: c.Name + "-changing"}}
		class.Spec.ProviderConfigRef, class.Spec.AllowedNamespaces = v1alpha1.ClusterProviderConfigReference{Name: c.Config}, &metav1.LabelSelector{}
		size := func(n int) []v1alpha1.DatabaseSize {
			var p v1alpha1.DatabaseParameters
			system.SetSize(c, &p, system.Sizes[c.Name][n])
			return []v1alpha1.DatabaseSize{{Name: "small", AWS: p.AWS, GCP: p.GCP}}
		}
		class.Spec.Sizes = size(0)
		w.Must(w.Client.Create(w.Context(), class))
		classed.Spec.ProviderConfigRef, classed.Spec.ClassName, classed.Spec.Size, classed.Spec.AWS, classed.Spec.GCP = nil, class.Name, "small", nil, nil
		all := []*v1alpha1.Database{edited, drifted, classed}
		w.create(objectsOf(all))
		w.ready(objectsOf(all))

		w.edit(edited, func() { system.SetSize(c, &edited.Spec.DatabaseParameters, system.Sizes[c.Name][1]) })
		c.Databases().SetSize(w.T, drifted.Status.ExternalName, system.Sizes[c.Name][1])
		w.edit(class, func() { class.Spec.Sizes = size(1) })
		for _, d := range all {
			w.is(d, v1alpha1.ConditionSynced, v1alpha1.ReasonApprovalRequired)
			s.waiting, s.hashes = append(s.waiting, d), append(s.hashes, d.Status.Plan.Hash)
		}
	}
}

// makeFull makes a database in each cloud that sets every field of the first release.
func (w *fixture) makeFull() (all []client.Object) {
	w.Helper()
	w.Must(w.Client.Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "administrator"}, Data: map[string][]byte{"password": []byte("first-password")},
	}))
	for _, c := range w.clouds() {
		d := databaseIn(c, "full")
		d.Spec.Location, d.Spec.Version, d.Spec.DatabaseName = new(c.Region()), new("16"), new("app")
		d.Spec.Storage, d.Spec.Backup = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}, &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))}
		d.Spec.DeletionProtection, d.Spec.Tags = new(true), map[string]v1alpha1.TagValue{"team": "shop"}
		d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: new("keeper"), PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "administrator"}}
		d.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot
		system.Connect(d, d.Name)
		all = append(all, d)
	}
	w.create(all)
	w.ready(all)
	return all
}
