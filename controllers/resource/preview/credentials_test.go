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
			got, err := newLifecycle(t, kind.Database()).Edit(t.Context(), old, edited)
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("%v, -want +got:\n%s", err, cmp.Diff(tc.want, got))
			}
		})
	}
}
