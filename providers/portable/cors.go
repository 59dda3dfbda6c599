package portable

import (
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// NormalizeCORS returns a rule as all rules are written that mean the same: order means nothing within a rule, and upper case nothing in the names of
// headers. The order of rules does mean something: the first one that fits counts.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html
func NormalizeCORS(r v1alpha1.CORSRule) v1alpha1.CORSRule {
	return v1alpha1.CORSRule{
		AllowedOrigins: distinct(r.AllowedOrigins), AllowedMethods: distinct(r.AllowedMethods), MaxAgeSeconds: r.MaxAgeSeconds,
		AllowedHeaders: distinct(lower(r.AllowedHeaders)), ExposeHeaders: distinct(lower(r.ExposeHeaders)),
	}
}

func lower(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, strings.ToLower(s))
	}
	return out
}

// distinct returns each string once, sorted.
func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
