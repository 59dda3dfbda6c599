package storage_test

import (
	"testing"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// A bucket may give each new object a hold. While it has one, an object is neither deleted nor replaced.
func TestNewObjectsGetTheHoldOfTheirBucket(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-held","location":"us-east1","defaultEventBasedHold":true}`, nil), 0, "")
	upload, object := "/upload/storage/v1/b/acme-held/o?uploadType=media&name=a", "/storage/v1/b/acme-held/o/a"
	sdk.WantGCP(t, g.Send(t, "POST", upload, "x", nil), 0, "")
	sdk.WantGCP(t, g.Send(t, "POST", upload, "y", nil), 403, "objectUnderActiveHold")
	sdk.WantGCP(t, g.Send(t, "DELETE", object, "", nil), 403, "objectUnderActiveHold")
	sdk.WantGCP(t, g.Send(t, "PATCH", object, `{"temporaryHold":true,"eventBasedHold":false}`, nil), 0, "")
	sdk.WantGCP(t, g.Send(t, "DELETE", object, "", nil), 403, "objectUnderActiveHold")
	var seen struct{ TemporaryHold, EventBasedHold bool }
	sdk.WantGCP(t, g.Send(t, "PATCH", object, `{"temporaryHold":false}`, &seen), 0, "")
	if seen.TemporaryHold || seen.EventBasedHold {
		t.Errorf("it has holds: %+v", seen)
	}
	sdk.WantGCP(t, g.Send(t, "DELETE", object, "", nil), 0, "")
	sdk.WantGCP(t, g.Send(t, "PATCH", object, `{}`, nil), 404, "notFound")
}
