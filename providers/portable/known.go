package portable

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// mostNear is how many known values are named in place of one that is not.
const mostNear = 3

// UnknownLocation says that a release does not know a location, and names the known ones that are spelled most like it. It is empty if
// the release knows the location, or none at all. The text goes on after the location. title is what people call the kind in the cloud.
func UnknownLocation(k driver.Known, location, title string) string {
	asked := strings.ToLower(location)
	if len(k.Locations) == 0 || slices.Contains(k.Locations, asked) {
		return ""
	}
	near := slices.DeleteFunc(slices.Clone(k.Locations), func(known string) bool { return EditDistance(asked, known) > len(asked)/2 })
	slices.SortFunc(near, func(a, b string) int {
		return cmp.Or(cmp.Compare(EditDistance(asked, a), EditDistance(asked, b)), cmp.Compare(a, b))
	})
	return fmt.Sprintf("is not a region of %s that this release knows%s; if it is a newer one, ignore this warning",
		title, nearest(near[:min(mostNear, len(near))]))
}

// UnknownVersion says that a release does not know the major version of an engine, and names the known ones next to it. It is empty if
// the release knows the version, or none at all. The text goes on after the version. title is what people call the kind in the cloud.
func UnknownVersion(k driver.Known, engine v1alpha1.Engine, version, title string) string {
	known, major := k.Versions[string(engine)], MajorVersion(engine, version)
	serves := func(one string) bool { return one == major || strings.HasPrefix(one, major+".") }
	if len(known) == 0 || slices.ContainsFunc(known, serves) {
		return ""
	}
	older := 0
	for older < len(known) && CompareVersions(known[older], major) < 0 {
		older++
	}
	from := max(0, min(older-2, len(known)-mostNear))
	return fmt.Sprintf("is not a major version of %s in %s that this release knows%s; if it is a newer one, ignore this warning",
		engine, title, nearest(known[from:min(len(known), from+mostNear)]))
}

func nearest(known []string) string {
	if len(known) == 0 {
		return ""
	}
	return " (nearest: " + strings.Join(known, ", ") + ")"
}

// EditDistance returns how many letters have to be put in, left out or replaced to make one word of another (the distance of
// Levenshtein).
func EditDistance(from, to string) int {
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(from) {
		before := row[0]
		row[0] = i + 1
		for j := range len(to) {
			cost := before
			if from[i] != to[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(to)]
}
