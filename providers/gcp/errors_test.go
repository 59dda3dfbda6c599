package gcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// refusing returns a session with a cloud that answers each call with an error.
func refusing(t *testing.T, key driver.Opening, status int, reason, text string) driver.Session {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		if r.URL.Path == "/token" {
			_, _ = fmt.Fprint(w, `{"access_token":"t","token_type":"Bearer","expires_in":3600}`)
			return
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"message":%q,"errors":[{"message":%q,"domain":"global","reason":%q}]}}`, status, text, text, reason)
	}))
	t.Cleanup(server.Close)
	conn, err := gcp.New(gcp.Options{Endpoint: server.URL}).Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// Cloud SQL says with three statuses that an operation is under way. Each means: come back later.
func TestOperationInProgressIsBusy(t *testing.T) {
	key := newCloud(t, localcloud.Durations{}).config(project)
	for _, status := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict} {
		conn := refusing(t, key, status, "operationInProgress", "Operation failed because another operation was already in progress.")
		req := newDatabase("busy", v1alpha1.EnginePostgres)
		if _, err := drivertest.Databases(conn).Delete(t.Context(), req); driver.CodeOf(err) != driver.Busy {
			t.Errorf("status %d: Delete: %v is %v, want Busy", status, err, driver.CodeOf(err))
		}
		if _, err := drivertest.Databases(conn).Create(t.Context(), req); driver.CodeOf(err) != driver.Busy {
			t.Errorf("status %d: Create: %v is %v, want Busy", status, err, driver.CodeOf(err))
		}
	}
}

// A key may have been granted a moment ago, in whose words ever it is refused. A key of another place never passes.
func TestRefusedKeysSettle(t *testing.T) {
	key := newCloud(t, localcloud.Durations{}).config(project)
	for text, want := range map[string]bool{
		"Permission denied on Cloud KMS key. Please ensure that your Cloud Storage service account has been authorized to use this key.":                  true,
		"Insufficient permission to use KMS key projects/p/locations/l/keyRings/r/cryptoKeys/k":                                                           true,
		"Permission 'cloudkms.cryptoKeyVersions.useToEncrypt' denied on resource 'projects/p/locations/l/keyRings/r/cryptoKeys/k' (or it may not exist).": true,
		"Cloud KMS key location 'us' does not match bucket location 'EU'.":                                                                                false,
		"Malformed Cloud KMS crypto key: k": false,
	} {
		for _, status := range []int{http.StatusBadRequest, http.StatusForbidden} {
			req := newDatabase("encrypted", v1alpha1.EnginePostgres)
			req.Spec.Encryption = &v1alpha1.Encryption{Key: new("projects/p/locations/europe-west3/keyRings/r/cryptoKeys/k")}
			_, err := drivertest.Databases(refusing(t, key, status, "forbidden", text)).Create(t.Context(), req)
			if err == nil || driver.Settles(err) != want {
				t.Errorf("status %d: %v settles: %t, want %t", status, err, driver.Settles(err), want)
			}
		}
	}
}
