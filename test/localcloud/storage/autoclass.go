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
func settleAutoclass(c *change) error {
	if _, said := c.resource["autoclass"].(google.Object); !said {
		return nil
	}
	autoclass := google.Member(c.resource, "autoclass")
	delete(autoclass, "toggleTime")
	delete(autoclass, "terminalStorageClassUpdateTime")
	enabled, _ := autoclass["enabled"].(bool)
	was := &storage.BucketAutoclass{}
	if c.old != nil && c.old.Autoclass != nil {
		was = c.old.Autoclass
	}
	switch {
	case enabled != was.Enabled:
		autoclass["toggleTime"] = gcsTime(c.Now)
	case was.ToggleTime != "":
		autoclass["toggleTime"] = was.ToggleTime
	default: // it never was on, and is not to be
		delete(c.resource, "autoclass")
		return nil
	}
	if !enabled {
		delete(autoclass, "terminalStorageClass")
		return nil
	}
	google.Defaults(autoclass, google.Object{"terminalStorageClass": "NEARLINE"})
	autoclass["terminalStorageClassUpdateTime"] = gcsTime(c.Now)
	if autoclass["terminalStorageClass"] == was.TerminalStorageClass {
		autoclass["terminalStorageClassUpdateTime"] = was.TerminalStorageClassUpdateTime
	}
	return nil
}

// validAutoclass demands the class STANDARD of a bucket with Autoclass. No recording shows the refusals, nor their words.
// https://cloud.google.com/storage/docs/autoclass
func validAutoclass(c *change) error {
	switch a := c.now.Autoclass; {
	case a == nil || !a.Enabled:
		return nil
	case c.now.StorageClass != "STANDARD":
		return google.Invalid("Autoclass requires storage class STANDARD.")
	case !slices.Contains([]string{"NEARLINE", "ARCHIVE"}, a.TerminalStorageClass):
		return google.Invalid("Invalid terminal storage class: " + a.TerminalStorageClass)
	}
	return nil
}
