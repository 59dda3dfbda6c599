package sql

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A mirror says nothing twice, and of two fields that exclude each other it has the one of the spec. A preview compares either with either.
func TestTheMirrorOfADatabaseSaysNothingTwice(t *testing.T) {
	mode, stricter, track := encryptedOnly, trustedClientsOnly, "stable"
	required := new(v1alpha1.TLSRequired)
	flag := iamFlags[v1alpha1.EnginePostgres]
	flags := func() map[string]v1alpha1.ParameterValue { return map[string]v1alpha1.ParameterValue{flag: "on"} }
	window := &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Monday), StartTime: new("03:00")}}
	for name, tt := range map[string]struct{ spec, have, want databaseParameters }{
		"tls, of no spec": {
			have: databaseParameters{TLS: required, GCP: &v1alpha1.DatabaseGCP{SSLMode: &mode}},
			want: databaseParameters{GCP: &v1alpha1.DatabaseGCP{SSLMode: &mode}},
		},
		"tls, of a spec with a mode": {
			spec: databaseParameters{GCP: &v1alpha1.DatabaseGCP{SSLMode: &mode}},
			have: databaseParameters{TLS: required, GCP: &v1alpha1.DatabaseGCP{SSLMode: &mode}},
			want: databaseParameters{GCP: &v1alpha1.DatabaseGCP{SSLMode: &mode}},
		},
		"tls, of a spec with tls": {
			spec: databaseParameters{TLS: required},
			have: databaseParameters{TLS: required, GCP: &v1alpha1.DatabaseGCP{SSLMode: &mode}},
			want: databaseParameters{TLS: required, GCP: &v1alpha1.DatabaseGCP{}},
		},
		"tls that says less than the mode, of a spec with tls": {
			spec: databaseParameters{TLS: required},
			have: databaseParameters{TLS: required, GCP: &v1alpha1.DatabaseGCP{SSLMode: &stricter}},
			want: databaseParameters{GCP: &v1alpha1.DatabaseGCP{SSLMode: &stricter}},
		},
		"logins by IAM, of no spec": {
			have: databaseParameters{IAMAuthentication: new(true), Parameters: flags()},
			want: databaseParameters{IAMAuthentication: new(true)},
		},
		"logins by IAM, of a spec with the flag": {
			spec: databaseParameters{Parameters: flags()},
			have: databaseParameters{IAMAuthentication: new(true), Parameters: flags()},
			want: databaseParameters{Parameters: flags()},
		},
		"a track without a window": {
			have: databaseParameters{GCP: &v1alpha1.DatabaseGCP{MaintenanceTrack: &track}},
			want: databaseParameters{GCP: &v1alpha1.DatabaseGCP{}},
		},
		"a track and a window": {
			have: databaseParameters{Maintenance: window, GCP: &v1alpha1.DatabaseGCP{MaintenanceTrack: &track}},
			want: databaseParameters{Maintenance: window, GCP: &v1alpha1.DatabaseGCP{MaintenanceTrack: &track}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := *tt.have.DeepCopy()
			sayOnce(&tt.spec, &got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for said, spec := range map[string]databaseParameters{"the same spec": tt.spec, "tls": {TLS: tt.have.TLS}, "the switch": {IAMAuthentication: tt.have.IAMAuthentication}, "the flag": {Parameters: tt.have.Parameters}} {
				if changes := preview(got, spec, nil); len(changes) > 0 {
					t.Errorf("a preview of %s shows %v", said, changes)
				}
			}
		})
	}
	optional := databaseParameters{GCP: &v1alpha1.DatabaseGCP{SSLMode: new(encryptedOrNot)}}
	if changes := preview(optional, databaseParameters{TLS: required}, nil); len(changes) != 1 || changes[0].From != "Optional" {
		t.Errorf("a preview of another tls shows %v", changes)
	}
	if changes := preview(databaseParameters{IAMAuthentication: new(false)}, databaseParameters{Parameters: flags()}, nil); len(changes) != 1 {
		t.Errorf("a preview of the flag where IAM has no logins shows %v", changes)
	}
}
