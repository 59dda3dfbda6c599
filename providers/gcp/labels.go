package gcp

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// Labels of Google Cloud take what the spec's tags and the mark take: keys and values of at most 63
// lower-case letters, digits, hyphens and underscores, a key beginning with a letter.
// https://cloud.google.com/storage/docs/tags-and-labels#bucket-labels
// https://cloud.google.com/sql/docs/postgres/label-instance

// tagLabels returns the spec's tags as labels: nil if the spec says nothing, empty for none.
func tagLabels(tags map[string]v1alpha1.TagValue) map[string]string {
	if tags == nil {
		return nil
	}
	labels := make(map[string]string, len(tags))
	for k, v := range tags {
		labels[k] = string(v)
	}
	return labels
}
