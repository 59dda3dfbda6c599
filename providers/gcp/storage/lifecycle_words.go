package storage

import (
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/storage"
)

// inWords names all conditions of a rule, as Cloud Storage names them. Where a spec can't say a rule, whoever reads it has to know for which objects it is.
// https://cloud.google.com/storage/docs/lifecycle#conditions
func inWords(c storage.LifecycleCondition) string {
	var all []string
	add := func(there bool, name string, value any) {
		if there {
			all = append(all, fmt.Sprintf("%s %v", name, value))
		}
	}
	date := func(t time.Time) string { return t.Format("2006-01-02") }
	add(c.AllObjects || c.AgeInDays > 0, "age", c.AgeInDays)
	add(!c.CreatedBefore.IsZero(), "createdBefore", date(c.CreatedBefore))
	add(!c.CustomTimeBefore.IsZero(), "customTimeBefore", date(c.CustomTimeBefore))
	add(c.DaysSinceCustomTime > 0, "daysSinceCustomTime", c.DaysSinceCustomTime)
	add(c.DaysSinceNoncurrentTime > 0, "daysSinceNoncurrentTime", c.DaysSinceNoncurrentTime)
	add(c.Liveness != storage.LiveAndArchived, "isLive", c.Liveness == storage.Live)
	add(len(c.MatchesPrefix) > 0, "matchesPrefix", fmt.Sprintf("%q", c.MatchesPrefix))
	add(len(c.MatchesStorageClasses) > 0, "matchesStorageClass", fmt.Sprintf("%q", c.MatchesStorageClasses))
	add(len(c.MatchesSuffix) > 0, "matchesSuffix", fmt.Sprintf("%q", c.MatchesSuffix))
	add(!c.NoncurrentTimeBefore.IsZero(), "noncurrentTimeBefore", date(c.NoncurrentTimeBefore))
	add(c.NumNewerVersions > 0, "numNewerVersions", c.NumNewerVersions)
	if len(all) == 0 {
		return "no conditions"
	}
	return strings.Join(all, ", ")
}
