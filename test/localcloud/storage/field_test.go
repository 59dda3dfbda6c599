package storage_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/api/googleapi"
	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// The stand-in knows each member of a bucket that the API has. One that a later version of the API adds needs a row.
func TestEachMemberOfABucketHasARow(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-rows","location":"us-east1"}`, nil), 0, "")
	for field := range reflect.TypeFor[raw.Bucket]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		var failed *googleapi.Error
		if err := g.Send(t, "PATCH", "/storage/v1/b/acme-rows", `{"`+name+`":null}`, nil); errors.As(err, &failed) && failed.Code == http.StatusNotImplemented {
			t.Error(err)
		}
	}
}

// What only Cloud Storage sets is ignored in a request, and what is fixed is refused.
func TestMembersOfABucketThatNobodySets(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	var made, patched raw.Bucket
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-fixed","location":"us"}`, &made), 0, "")
	const path = "/storage/v1/b/acme-fixed"
	sdk.WantGCP(t, g.Send(t, "PATCH", path, `{"timeCreated":"1999-01-01T00:00:00Z","generation":"1","hierarchicalNamespace":{"enabled":false}}`, &patched), 0, "")
	if made.TimeCreated != patched.TimeCreated || made.Generation != patched.Generation {
		t.Errorf("created at %s as %d, then %s as %d", made.TimeCreated, made.Generation, patched.TimeCreated, patched.Generation)
	}
	for _, body := range []string{
		`{"name":"acme-other"}`, `{"location":"EU"}`, `{"customPlacementConfig":{"dataLocations":["US-EAST1","US-WEST1"]}}`,
		`{"hierarchicalNamespace":{"enabled":true},"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}}`,
		`{"rpo":"NEVER"}`, `{"storageClass":"LUKEWARM"}`, `{"iamConfiguration":{"publicAccessPrevention":"sometimes"}}`,
	} {
		if err := g.Send(t, "PATCH", path, body, nil); err == nil {
			t.Errorf("Cloud Storage takes %s", body)
		} else {
			sdk.WantGCP(t, err, http.StatusBadRequest, "invalid")
		}
	}
}
