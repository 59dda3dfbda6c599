package driver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Known is what a release knows of values of which a cloud gets more from time to time. Nothing is refused because it
// is not here: the cloud may have it by now. People are warned, who may have misspelt it.
type Known struct {
	// Locations are those where objects of the kind can be, in lower case. None says that nobody knows.
	Locations []string `json:",omitempty"`
	// Versions are the major versions of each engine, the oldest first. None of an engine says that nobody knows.
	Versions map[string][]string `json:",omitempty"`
}

// mostNear is how many known values are named in place of one that is not.
const mostNear = 3

// LacksLocation says that a location is not known, and names those that are written most like it; empty if it is
// known, or if none is. It goes on after the location. title is what people call the kind in the cloud.
func (k *Known) LacksLocation(location, title string) string {
	asked := strings.ToLower(location)
	if len(k.Locations) == 0 || slices.Contains(k.Locations, asked) {
		return ""
	}
	near := slices.DeleteFunc(slices.Clone(k.Locations), func(known string) bool { return Edits(asked, known) > len(asked)/2 })
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(Edits(asked, a), Edits(asked, b)), cmp.Compare(a, b)) })
	return fmt.Sprintf("is not a region of %s that this release knows%s; if it is a newer one, ignore this warning",
		title, nearest(near[:min(mostNear, len(near))]))
}

// LacksVersion says that the major version of an engine is not known, and names those that come next to it; empty if
// it is known, or if none is. It goes on after the version. title is what people call the kind in the cloud.
func (k *Known) LacksVersion(engine v1alpha1.Engine, version, title string) string {
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

// Edits returns how many letters have to be put in, left out or replaced to make one word of another (the distance of
// Levenshtein).
func Edits(from, to string) int {
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
