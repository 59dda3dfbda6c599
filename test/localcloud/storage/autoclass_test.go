package storage_test

import (
	"testing"
	"time"

	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestAutoclassIsSwitchedOnAndOff(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	path := "/storage/v1/b/acme-auto"
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-auto","location":"us-east1","storageClass":"NEARLINE","autoclass":{"enabled":true}}`, nil), 400, "invalid")
	sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-auto","location":"us-east1","autoclass":{"enabled":false}}`, nil), 0, "")
	for _, test := range []struct {
		patch                     string
		want                      int
		terminal, toggled, chosen string
	}{
		{`{}`, 0, "", "", ""},
		{`{"autoclass":{"enabled":true}}`, 0, "NEARLINE", "04:01", "04:01"},
		{`{"autoclass":{"enabled":true,"terminalStorageClass":"ARCHIVE"}}`, 0, "ARCHIVE", "04:01", "05:01"},
		{`{"autoclass":{"enabled":true,"terminalStorageClass":"COLDLINE"}}`, 400, "ARCHIVE", "04:01", "05:01"},
		{`{"storageClass":"COLDLINE"}`, 400, "ARCHIVE", "04:01", "05:01"},
		{`{"labels":{"a":"b"},"autoclass":{"toggleTime":"1999-01-01T00:00:00Z"}}`, 0, "ARCHIVE", "04:01", "05:01"},
		{`{"autoclass":{"enabled":false},"storageClass":"COLDLINE"}`, 0, "", "09:01", ""},
		{`{"autoclass":{"enabled":true}}`, 400, "", "09:01", ""},
		{`{"autoclass":{"enabled":true},"storageClass":"STANDARD"}`, 0, "NEARLINE", "11:01", "11:01"},
	} {
		g.Clock.Advance(time.Minute)
		sdk.WantGCP(t, g.Send(t, "PATCH", path, test.patch, nil), test.want, "")
		var b raw.Bucket
		sdk.WantGCP(t, g.Send(t, "GET", path, "", &b), 0, "")
		got := raw.BucketAutoclass{}
		if b.Autoclass != nil {
			got = *b.Autoclass
		}
		at := func(minute string) string {
			if minute == "" {
				return ""
			}
			return "2026-05-04T03:" + minute + ".000Z"
		}
		if got.TerminalStorageClass != test.terminal || got.ToggleTime != at(test.toggled) || got.TerminalStorageClassUpdateTime != at(test.chosen) {
			t.Errorf("after %s: %+v, want %q, toggled at %q, chosen at %q", test.patch, got, test.terminal, test.toggled, test.chosen)
		}
	}
}

func TestPlacements(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	for _, test := range []struct {
		body string
		want int
		kind string
	}{
		{`"location":"EU","customPlacementConfig":{"dataLocations":["europe-west1","EUROPE-WEST4"]},"rpo":"ASYNC_TURBO"`, 0, "dual-region"},
		{`"location":"EUR4","rpo":"ASYNC_TURBO"`, 0, "dual-region"},
		{`"location":"EU","rpo":"ASYNC_TURBO"`, 400, ""},
		{`"location":"EU","customPlacementConfig":{"dataLocations":["europe-west1"]}`, 400, ""},
		{`"location":"EU","customPlacementConfig":{"dataLocations":["europe-west1","EUROPE-WEST1"]}`, 400, ""},
		{`"location":"EU","customPlacementConfig":{"dataLocations":["europe-west1","nowhere"]}`, 400, ""},
		{`"location":"EUR4","customPlacementConfig":{"dataLocations":["europe-west1","europe-west4"]}`, 400, ""},
		{`"location":"europe-west1","customPlacementConfig":{"dataLocations":["europe-west1","europe-west4"]}`, 400, ""},
	} {
		var b raw.Bucket
		sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-placed",`+test.body+`}`, &b), test.want, "")
		if test.want != 0 {
			continue
		}
		if b.LocationType != test.kind || b.Rpo != "ASYNC_TURBO" {
			t.Errorf("%s is a %s, with %s", test.body, b.LocationType, b.Rpo)
		}
		sdk.WantGCP(t, g.Send(t, "PATCH", "/storage/v1/b/acme-placed", `{"customPlacementConfig":{"dataLocations":["europe-west2","europe-west3"]}}`, nil), 400, "")
		sdk.WantGCP(t, g.Send(t, "DELETE", "/storage/v1/b/acme-placed", "", nil), 0, "")
	}
}
