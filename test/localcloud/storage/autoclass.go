package storage

import (
	"slices"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// settleAutoclass fills in what only Cloud Storage sets: when Autoclass was switched on or off, and when its coldest class was chosen, which is
// NEARLINE unless somebody says another one. No recording shows Autoclass that is switched off, nor a class that changes: here a bucket without Autoclass
// reports no coldest class.
// https://cloud.google.com/storage/docs/json_api/v1/buckets (autoclass)
func settleAutoclass(r *google.Request, resource google.Object, old *storage.Bucket) {
	if _, said := resource["autoclass"].(google.Object); !said {
		return
	}
	autoclass := google.Member(resource, "autoclass")
	delete(autoclass, "toggleTime")
	delete(autoclass, "terminalStorageClassUpdateTime")
	enabled, _ := autoclass["enabled"].(bool)
	was := &storage.BucketAutoclass{}
	if old != nil && old.Autoclass != nil {
		was = old.Autoclass
	}
	switch {
	case enabled != was.Enabled:
		autoclass["toggleTime"] = gcsTime(r.Now)
	case was.ToggleTime != "":
		autoclass["toggleTime"] = was.ToggleTime
	default: // it never was on, and is not to be
		delete(resource, "autoclass")
		return
	}
	if !enabled {
		delete(autoclass, "terminalStorageClass")
		return
	}
	google.Defaults(autoclass, google.Object{"terminalStorageClass": "NEARLINE"})
	autoclass["terminalStorageClassUpdateTime"] = gcsTime(r.Now)
	if autoclass["terminalStorageClass"] == was.TerminalStorageClass {
		autoclass["terminalStorageClassUpdateTime"] = was.TerminalStorageClassUpdateTime
	}
}

// validAutoclass demands the class STANDARD of a bucket with Autoclass. No recording shows the refusals, nor their words.
// https://cloud.google.com/storage/docs/autoclass
func validAutoclass(b *storage.Bucket) error {
	switch a := b.Autoclass; {
	case a == nil || !a.Enabled:
		return nil
	case b.StorageClass != "STANDARD":
		return google.Invalid("Autoclass requires storage class STANDARD.")
	case !slices.Contains([]string{"NEARLINE", "ARCHIVE"}, a.TerminalStorageClass):
		return google.Invalid("Invalid terminal storage class: " + a.TerminalStorageClass)
	}
	return nil
}
