package kind

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The status has what the cloud says, in whole seconds. What the cloud was asked for in vain stays as long as the version does.
func TestDatabaseSupport(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2029, 2, d, 23, 59, 59, 999e6, time.FixedZone("", 3600)) }
	shown := func(d int) *metav1.Time { return &metav1.Time{Time: time.Date(2029, 2, d, 22, 59, 59, 0, time.UTC)} }
	last := &v1alpha1.DatabaseSupport{EngineVersion: "16", EngineEndOfStandardSupport: shown(1), EngineEndOfExtendedSupport: shown(2), CertificateExpires: shown(3)}
	for name, tt := range map[string]struct {
		last *v1alpha1.DatabaseSupport
		is   *driver.Support
		want *v1alpha1.DatabaseSupport
	}{
		"first":                {nil, &driver.Support{Version: "16", StandardUntil: day(1), ExtendedUntil: day(2), CertificateExpires: day(3)}, last},
		"moved":                {last, &driver.Support{Version: "16", StandardUntil: day(4)}, &v1alpha1.DatabaseSupport{EngineVersion: "16", EngineEndOfStandardSupport: shown(4)}},
		"nothing":              {last, &driver.Support{Version: "16"}, nil},
		"the certificate only": {last, &driver.Support{CertificateExpires: day(5)}, &v1alpha1.DatabaseSupport{CertificateExpires: shown(5)}},
		"asked in vain": {last, &driver.Support{Version: "16", Unread: true, CertificateExpires: day(5)}, &v1alpha1.DatabaseSupport{
			EngineVersion: "16", EngineEndOfStandardSupport: shown(1), EngineEndOfExtendedSupport: shown(2), CertificateExpires: shown(5),
		}},
		"asked in vain, at first":                {nil, &driver.Support{Version: "16", Unread: true}, nil},
		"asked in vain, of another version":      {last, &driver.Support{Version: "17", Unread: true, CertificateExpires: day(3)}, &v1alpha1.DatabaseSupport{CertificateExpires: shown(3)}},
		"asked in vain, and said a day before":   {last, &driver.Support{Version: "16", Unread: true, StandardUntil: day(6)}, &v1alpha1.DatabaseSupport{EngineVersion: "16", EngineEndOfStandardSupport: shown(6)}},
		"another object in place of the present": {last, nil, nil},
	} {
		d := &v1alpha1.Database{}
		d.Status.Support = tt.last.DeepCopy()
		setDatabaseSupport(d, tt.is)
		if diff := cmp.Diff(tt.want, databaseSupport(d)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
