package storage

import (
	"fmt"
	"net/http"
	"slices"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A field is a member of a bucket. A creation and a patch merge all of them in one way: null removes a member, objects
// merge, lists and all else replace
// (https://cloud.google.com/storage/docs/json_api/v1/how-tos/performance#patch-semantics). Then each is settled in the
// order of the rows, and what came of it is checked in the same order. A request with a member that has no row is
// refused.
type field struct {
	name     string // as JSON has it, with dots before members of members
	noun     string // in refusals: "Invalid <noun>: …", "The <noun> of a bucket can't be changed."
	output   bool   // only Cloud Storage sets it, and ignores it in a request
	optional bool   // an object without members is the same as none
	standard any    // the value where a request says nothing, and settle leaves nothing
	values   []string
	fixed    bool // nothing changes it after the creation
	// settle fills in what Cloud Storage adds, and refuses what it can't complete. valid refuses what can't be, of what
	// is settled.
	settle func(c *change) error
	valid  func(c *change) error
}

// fields are all members of a bucket. No recording shows the refusals of values, nor their words.
// https://cloud.google.com/storage/docs/json_api/v1/buckets
var fields = slices.Concat(outputs(
	"kind", "id", "selfLink", "projectNumber", "timeCreated", "updated", "etag", "metageneration",
	"locationType", "owner", "generation", "softDeleteTime", "hardDeleteTime", "satisfiesPZS", "satisfiesPZI",
), []field{
	{name: "name", noun: "name", fixed: true},
	{name: "location", noun: "location", fixed: true, settle: settleLocation},
	{name: "customPlacementConfig", noun: "placement", fixed: true, settle: settlePlacement},
	{name: "rpo", noun: "recovery point objective", settle: settleRPO, values: []string{"DEFAULT", "ASYNC_TURBO"}, valid: validRPO},
	{name: "labels", optional: true, valid: func(c *change) error { return google.ValidLabels(c.now.Labels) }},
	{name: "encryption", optional: true, settle: settleKey, valid: validKey},
	{name: "website", optional: true},
	{name: "cors", optional: true},
	{name: "lifecycle", optional: true, valid: validLifecycle},
	{name: "logging", optional: true, settle: settleLogging},
	{name: "ipFilter", settle: settleFilter, valid: validFilter},
	{name: "storageClass", noun: "storage class", standard: "STANDARD", settle: settleClass, values: gcsClasses},
	{name: "iamConfiguration", settle: settleAccess},
	{name: "iamConfiguration.publicAccessPrevention", noun: "public access prevention", values: []string{"inherited", "enforced"}},
	{name: "acl"},
	{name: "defaultObjectAcl"},
	{name: "hierarchicalNamespace"},
	{name: "hierarchicalNamespace.enabled", noun: "hierarchical namespace", fixed: true, valid: validHierarchy},
	{name: "versioning", valid: validVersioning},
	{name: "softDeletePolicy", settle: settleSoftDelete, valid: validSoftDelete},
	{name: "autoclass", settle: settleAutoclass, valid: validAutoclass},
	{name: "retentionPolicy", optional: true, settle: settleRetention, valid: validRetention},
	{name: "objectRetention"},
	{name: "defaultEventBasedHold"},
	{name: "billing"},
})

func outputs(names ...string) (rows []field) {
	for _, name := range names {
		rows = append(rows, field{name: name, output: true})
	}
	return rows
}

// A change is what a request makes of a bucket.
type change struct {
	*google.Request
	resource google.Object   // what the bucket will be
	former   google.Object   // what it was; nil for a new one
	old      *storage.Bucket // the same
	now      *storage.Bucket // what it will be, once all is settled
}

// taken returns the members of a request that it can set.
func taken(asked google.Object) (google.Object, error) {
	for member := range asked {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == member })
		switch {
		case i < 0:
			return nil, google.Err(http.StatusNotImplemented, "notImplemented", "The local cloud does not implement the field "+member+" of a bucket.")
		case fields[i].output:
			delete(asked, member)
		}
	}
	return asked, nil
}

// settleBucket turns what was asked for into what will be, or refuses it. former is the bucket as it was, nil for a new
// one.
func settleBucket(r *google.Request, resource, former google.Object) error {
	c := &change{Request: r, resource: resource, former: former}
	if former != nil {
		c.old = google.Typed[storage.Bucket](former)
	}
	for _, f := range fields {
		if f.optional && google.Empty(resource[f.name]) {
			delete(resource, f.name)
		}
		if f.settle != nil {
			if err := f.settle(c); err != nil {
				return err
			}
		}
		if f.standard != nil {
			google.Defaults(resource, google.Object{f.name: f.standard})
		}
	}
	c.now = google.Typed[storage.Bucket](resource)
	for _, f := range fields {
		if err := f.check(c); err != nil {
			return err
		}
	}
	return nil
}

func (f field) check(c *change) error {
	value := google.At(c.resource, f.name)
	text, _ := value.(string)
	switch {
	case f.fixed && c.former != nil && !google.Same(value, google.At(c.former, f.name)):
		return google.Invalid("The " + f.noun + " of a bucket can't be changed.")
	case f.values != nil && value != nil && !slices.Contains(f.values, text):
		return google.Invalid(fmt.Sprintf("Invalid %s: %s", f.noun, text))
	case f.valid != nil:
		return f.valid(c)
	}
	return nil
}
