package sql

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

func TestGrowth(t *testing.T) {
	for name, test := range map[string]struct {
		most       *int64
		size, have int64
		grows      *bool
		limit      int64
	}{
		"nothing said":               {nil, 80, 50, nil, 0},
		"a limit":                    {new(int64(100)), 0, 50, new(true), 100},
		"a limit, and a larger disk": {new(int64(100)), 80, 50, new(true), 100},
		"no growth":                  {new(int64(50)), 0, 50, new(false), 0},
		"no growth of a larger disk": {new(int64(80)), 80, 50, new(false), 0},
		"no growth of a grown disk":  {new(int64(40)), 0, 50, new(false), 0},
	} {
		s := &sqladmin.Settings{DataDiskSizeGb: test.size}
		(&instanceParams{MaxDiskSizeGb: test.most}).limitGrowth(s, test.have)
		if (s.StorageAutoResize == nil) != (test.grows == nil) || test.grows != nil && *s.StorageAutoResize != *test.grows || s.StorageAutoResizeLimit != test.limit {
			t.Errorf("%s: %v up to %d", name, s.StorageAutoResize, s.StorageAutoResizeLimit)
		}
		if test.grows != nil && len(s.ForceSendFields) != 1 {
			t.Errorf("%s: a limit of 0 would not be sent", name)
		}
	}
}

func TestHaveGrowth(t *testing.T) {
	for name, test := range map[string]struct {
		settings sqladmin.Settings
		want     *portable.Growth
	}{
		"without a limit": {sqladmin.Settings{DataDiskSizeGb: 50, StorageAutoResize: new(true)}, nil},
		"unsaid":          {sqladmin.Settings{DataDiskSizeGb: 50}, nil},
		"with a limit":    {sqladmin.Settings{DataDiskSizeGb: 50, StorageAutoResize: new(true), StorageAutoResizeLimit: 100}, &portable.Growth{Max: 100, Size: 50}},
		"off":             {sqladmin.Settings{DataDiskSizeGb: 50, StorageAutoResize: new(false), StorageAutoResizeLimit: 100}, &portable.Growth{Max: 50, Size: 50}},
	} {
		got := haveGrowth(&instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &test.settings}})
		if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A disk that shall not grow by itself is told so also where its new size is not in the same call, and that is no difference any more.
func TestNoGrowthWithoutTheSize(t *testing.T) {
	size := new(int32(200))
	spec := databaseParameters{Storage: &v1alpha1.DatabaseStorage{SizeGiB: size, MaxSizeGiB: size}}
	have := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{
		DataDiskSizeGb: 50, StorageAutoResize: new(true), StorageAutoResizeLimit: 100,
	}}}
	var params instanceParams
	if err := fields.Patch(&spec, have, []driver.Change{{Field: "storage.maxSizeGiB"}}, &params); err != nil {
		t.Fatal(err)
	}
	sent, err := params.forPatch(have)
	if err != nil || sent.Settings.StorageAutoResize == nil || *sent.Settings.StorageAutoResize || sent.Settings.StorageAutoResizeLimit != 0 {
		t.Fatalf("sent %+v, %v; want a disk that does not grow", sent, err)
	}
	have.Settings.StorageAutoResize, have.Settings.StorageAutoResizeLimit = sent.Settings.StorageAutoResize, 0
	if changes := fields.Diff(&spec, have, nil, nil); len(changes) != 1 || changes[0].Field != "storage.sizeGiB" {
		t.Errorf("afterwards: %v, want the size alone", changes)
	}
}
