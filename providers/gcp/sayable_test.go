package gcp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
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
				if changes := previewDatabase(got, spec, nil); len(changes) > 0 {
					t.Errorf("a preview of %s shows %v", said, changes)
				}
			}
		})
	}
	optional := databaseParameters{GCP: &v1alpha1.DatabaseGCP{SSLMode: new(encryptedOrNot)}}
	if changes := previewDatabase(optional, databaseParameters{TLS: required}, nil); len(changes) != 1 || changes[0].From != "Optional" {
		t.Errorf("a preview of another tls shows %v", changes)
	}
	if changes := previewDatabase(databaseParameters{IAMAuthentication: new(false)}, databaseParameters{Parameters: flags()}, nil); len(changes) != 1 {
		t.Errorf("a preview of the flag where IAM has no logins shows %v", changes)
	}
}

// What a spec can't say of a bucket is not invisible.
func TestTheMirrorOfABucketSaysWhatASpecCannot(t *testing.T) {
	for name, tt := range map[string]struct {
		have *storage.BucketAttrs
		want string
	}{
		"a retention of hours":            {&storage.BucketAttrs{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: 25 * time.Hour, IsLocked: true}}, `"retention":{"days":-1,"locked":true}`},
		"a retention of days":             {&storage.BucketAttrs{RetentionPolicy: &storage.RetentionPolicy{RetentionPeriod: 48 * time.Hour}}, `"retention":{"days":2,"locked":false}`},
		"a soft delete of hours":          {&storage.BucketAttrs{SoftDeletePolicy: &storage.SoftDeletePolicy{RetentionDuration: 200 * time.Hour}}, `"softDeleteDays":-1`},
		"a soft delete of no time at all": {&storage.BucketAttrs{SoftDeletePolicy: &storage.SoftDeletePolicy{}}, `"softDeleteDays":0`},
		"a legacy class":                  {&storage.BucketAttrs{StorageClass: "MULTI_REGIONAL"}, `"storageClass":"(MULTI_REGIONAL: a legacy class`},
	} {
		mirror, err := bucketTable.Mirror(&bucket{BucketAttrs: *tt.have})
		if err != nil || !strings.Contains(string(mirror), tt.want) {
			t.Errorf("%s: %s, error %v; want %s", name, mirror, err, tt.want)
		}
		var from v1alpha1.BucketParameters
		if err := json.Unmarshal(mirror, &from); err != nil {
			t.Fatal(err)
		}
		if changes := previewBucket(from, from, nil); len(changes) > 0 {
			t.Errorf("%s: a preview of the mirror shows %v", name, changes)
		}
	}
	odd := v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{SoftDeleteDays: new(int32(-1))}}
	if changes := previewBucket(odd, v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{SoftDeleteDays: new(int32(7))}}, nil); len(changes) != 1 || changes[0].From != "(no whole number of days)" {
		t.Errorf("a preview of another soft delete shows %v", changes)
	}
}

// How long deleted objects stay that a mirror shows as -1, a preview does not know: it announces the worse.
func TestPreviewOfAnOddSoftDelete(t *testing.T) {
	odd, week, never := new(portable.InexpressibleRetention), int32(7), int32(0)
	for _, to := range []int32{week, never} {
		effect, why := softDeleteEffect(odd, to, &bucket{})
		if effect != driver.LosesBackups || why == "" {
			t.Errorf("to %d days: %s %q", to, effect, why)
		}
	}
	have := &bucket{BucketAttrs: storage.BucketAttrs{SoftDeletePolicy: &storage.SoftDeletePolicy{RetentionDuration: time.Hour}}}
	if effect, _ := softDeleteEffect(odd, week, have); effect != driver.Online {
		t.Errorf("of a bucket that keeps them for an hour: %s", effect)
	}
}
