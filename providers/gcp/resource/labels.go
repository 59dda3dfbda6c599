package resource

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// MostLabels is how many labels Google Cloud takes of a resource.
// https://cloud.google.com/resource-manager/docs/labels-overview#requirements
const MostLabels = 64

// LabelLacks are tags that labels of Google Cloud can't hold. Keys and values have at most 63 lower-case letters, of any script, digits, hyphens and
// underscores; a key begins with a letter. The mark is made of such labels.
// https://cloud.google.com/storage/docs/tags-and-labels#bucket-labels
// https://cloud.google.com/sql/docs/postgres/label-instance
var LabelLacks = []driver.Lack{
	{
		Field: "tags", Each: driver.EntryKey, Match: `^$|^[^\p{Ll}\p{Lo}]|[^\p{Ll}\p{Lo}\p{N}_-]|.{64}`,
		Values:  "a key with upper-case letters, spaces or `.:/=+@`, that begins with a digit, - or _, or of more than 63 characters",
		Why:     "tags become labels in Google Cloud, whose keys have only lower-case letters, digits, - and _, at most 63, and begin with a letter",
		Instead: "write the key in that way, for example cost-center",
	},
	{
		Field: "tags", Each: driver.EntryValue, Match: `[^\p{Ll}\p{Lo}\p{N}_-]|.{64}`,
		Values:  "a value with upper-case letters, spaces or `.:/=+@`, or of more than 63 characters",
		Why:     "tags become labels in Google Cloud, whose values have only lower-case letters, digits, - and _, at most 63",
		Instead: "write the value in that way, for example team-shop",
	},
}

// Labels returns the spec's tags as labels: nil if the spec says nothing, empty for none.
func Labels(tags map[string]v1alpha1.TagValue) map[string]string {
	if tags == nil {
		return nil
	}
	labels := make(map[string]string, len(tags))
	for k, v := range tags {
		labels[k] = string(v)
	}
	return labels
}
