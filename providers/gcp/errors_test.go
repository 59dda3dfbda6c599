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

// Cloud SQL says with three statuses that an operation is under way. Each means: come back later.
func TestOperationInProgressIsBusy(t *testing.T) {
	key := newCloud(t, localcloud.Durations{}).config(project)
	for _, status := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
			if r.URL.Path == "/token" {
				_, _ = fmt.Fprint(w, `{"access_token":"t","token_type":"Bearer","expires_in":3600}`)
				return
			}
			w.WriteHeader(status)
			const text = "Operation failed because another operation was already in progress."
			_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"message":%q,"errors":[{"message":%q,"domain":"global","reason":"operationInProgress"}]}}`, status, text, text)
		}))
		defer server.Close()
		conn, err := gcp.New(gcp.Options{Endpoint: server.URL}).Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		req := newDatabase("busy", v1alpha1.EnginePostgres)
		if _, err := drivertest.Databases(conn).Delete(t.Context(), req); driver.CodeOf(err) != driver.Busy {
			t.Errorf("status %d: Delete: %v is %v, want Busy", status, err, driver.CodeOf(err))
		}
		if _, err := drivertest.Databases(conn).Create(t.Context(), req); driver.CodeOf(err) != driver.Busy {
			t.Errorf("status %d: Create: %v is %v, want Busy", status, err, driver.CodeOf(err))
		}
	}
}
