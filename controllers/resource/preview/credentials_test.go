package preview

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
)

func TestPreviewEditOfCredentials(t *testing.T) {
	const (
		named = "credentials.passwordSecretRef: Mooring sets the password in Secret mine, and logins with the present one then fail"
		kept  = "credentials: Mooring no longer reads the password from Secret mine, and the server keeps the password that it has"
		often = "credentials.rotationPeriod (none) -> 720h: Mooring changes the password before it gets older than that, and within a day if it is older already; " +
			"logins with the former password then fail until the application has read the connection Secret again"
		never = "credentials.rotationPeriod 90m -> (none): Mooring no longer changes the password by itself"
	)
	every := func(period string) v1alpha1.DatabaseCredentials {
		return v1alpha1.DatabaseCredentials{RotationPeriod: period}
	}
	mine := v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "mine"}}
	cloud := v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsCloudManaged}
	generated := v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsGenerated}
	for _, tc := range []struct {
		name          string
		before, after v1alpha1.DatabaseCredentials
		edit          func(*v1alpha1.Database)
		want          []string
	}{
		{name: "nothing", before: mine, after: mine},
		{name: "the source is said", after: generated},
		{name: "the source of a named one is said", before: mine, after: v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsSecretRef, PasswordSecretRef: mine.PasswordSecretRef}},
		{name: "to a Secret", before: generated, after: mine, want: []string{named}},
		{name: "to another Secret", before: v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "other"}}, after: mine, want: []string{named}},
		{name: "from a Secret", before: mine, after: generated, want: []string{kept}},
		{name: "from a Secret, and nobody is told", before: mine, edit: func(d *v1alpha1.Database) { d.Spec.Connection = nil }},
		{name: "from a Secret, to change often", before: mine, after: every("720h"), want: []string{kept, often}},
		{name: "to change often", after: every("720h"), want: []string{often}},
		{name: "to stay", before: every("90m"), after: generated, want: []string{never}},
		{name: "to the cloud", before: mine, after: cloud, want: []string{"credentials.source CloudManaged: the cloud sets a password of its own, and logins with the present one then fail; " +
			"Secret orders-db then has password-secret, which says where the password is, in place of password and uri"}},
		{name: "to the cloud, as before", before: cloud, after: cloud},
		{name: "to the cloud, which manages it already", after: cloud, edit: func(d *v1alpha1.Database) {
			d.Status.PendingChanges = []v1alpha1.PendingChange{{Field: "credentials.source", From: "CloudManaged", To: "Generated", Effect: "Irreversible", Cause: "Drift"}}
		}, want: []string{"credentials.source CloudManaged: the cloud manages the password already, and goes on to do so"}},
		{name: "from the cloud", before: cloud, after: generated, want: []string{"credentials.source is no longer CloudManaged: Mooring generates a password and sets it, " +
			"and the cloud deletes the one that it manages, so logins with that then fail"}},
		{name: "from the cloud to a Secret", before: cloud, after: mine, want: []string{"credentials.source is no longer CloudManaged: Mooring sets the password in Secret mine, " +
			"and the cloud deletes the one that it manages, so logins with that then fail"}},
		{name: "from the cloud, and nobody is told", before: cloud, after: generated, edit: func(d *v1alpha1.Database) { d.Spec.Connection = nil }, want: []string{
			"credentials.source is no longer CloudManaged, but nobody would learn another password: the cloud goes on to manage it; set spec.connection.secretName"}},
		{name: "only observed", after: mine, edit: func(d *v1alpha1.Database) {
			d.Spec.Management, d.Spec.ExternalName = v1alpha1.ManagementObserve, d.Status.ExternalName
		}},
		{name: "nothing is there yet", after: mine, edit: func(d *v1alpha1.Database) { d.Status.ResourceStatus = v1alpha1.ResourceStatus{} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			old := &v1alpha1.Database{ObjectMeta: created()}
			old.Spec.ProviderConfigRef, old.Status.ResourceStatus, old.Status.Observed = itsConfig, working("orders-db"), &v1alpha1.DatabaseParameters{}
			old.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
			if tc.edit != nil {
				tc.edit(old)
			}
			edited := old.DeepCopy()
			old.Spec.Credentials, edited.Spec.Credentials = &tc.before, &tc.after
			got, err := linesOf(newLifecycle(t, kind.Database()).Edit(t.Context(), old, edited))
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("%v, -want +got:\n%s", err, cmp.Diff(tc.want, got))
			}
		})
	}
}
