package rds_test

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A new disk that is not to grow by itself has no limit, and is as declared. It can be made larger, and told to grow later.
func TestNewDiskThatDoesNotGrow(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", func(s *v1alpha1.DatabaseParameters) { s.Storage.MaxSizeGiB = new(int32(50)) })
	w.createDatabase(&req)
	for _, storage := range []v1alpha1.DatabaseStorage{
		{SizeGiB: new(int32(80)), MaxSizeGiB: new(int32(80))}, {SizeGiB: new(int32(80)), MaxSizeGiB: new(int32(200))},
		{SizeGiB: new(int32(60)), MaxSizeGiB: new(int32(60))}, // of a disk that has 80
	} {
		req.Spec.Storage = &storage
		seen := w.database(req)
		if len(seen.Changes) != 1 {
			t.Fatalf("%d up to %d: changes %+v", *storage.SizeGiB, *storage.MaxSizeGiB, seen.Changes)
		}
		w.updateDatabase(req, seen.Changes...)
		w.Clock.Advance(slow.StorageOptimization * 2)
		if seen = w.database(req); len(seen.Changes) > 0 {
			t.Errorf("%d up to %d: changes %+v", *storage.SizeGiB, *storage.MaxSizeGiB, seen.Changes)
		}
	}
}
