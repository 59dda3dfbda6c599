package record

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

const (
	// roomy is how large an object may be, status and all, before the status leaves out what is long, in bytes as plan.Weight counts them. The API server
	// stores 1.5 MiB, with the names of the fields that somebody manages.
	roomy = 1 << 20
	// longestMirrored is how long a value of the mirror may be then.
	longestMirrored = 16 << 10
)

// lean returns an object whose status leaves out what is long: values of pending changes, by which they are still known, and the most of long values of the
// mirror, of which what is left says that they are set. All else that Mooring goes by stays: what it applied, what it bound, and the conditions.
func lean(object v1alpha1.ResourceObject) v1alpha1.ResourceObject {
	out := object.DeepCopyObject().(v1alpha1.ResourceObject)
	status := out.GetResourceStatus()
	for i, p := range status.PendingChanges {
		status.PendingChanges[i].From, status.PendingChanges[i].To = plan.Brief(p.From), plan.Brief(p.To)
	}
	mirror := map[string]any{}
	raw, err := json.Marshal(out.GetObserved())
	if err != nil || json.Unmarshal(raw, &mirror) != nil {
		return out
	}
	trim(mirror)
	if raw, err = json.Marshal(mirror); err == nil && len(mirror) > 0 {
		_ = out.SetObserved(raw) // it is what was there, with less in it
	}
	return out
}

// trim shortens the values that are too long.
func trim(mirror map[string]any) {
	for key, value := range mirror {
		if plan.Weight(value) > longestMirrored {
			mirror[key] = outline(value)
		}
	}
}

// outline returns the beginning of a value that is too long: of a list and of a map the first entry, of an object all its fields, shortened.
func outline(value any) any {
	switch value := value.(type) {
	case string:
		return prose.Shorten(value, longestMirrored)
	case []any:
		first := value[0]
		if plan.Weight(first) > longestMirrored {
			first = outline(first)
		}
		return []any{first}
	case map[string]any:
		trim(value)
		if plan.Weight(value) > 10*longestMirrored {
			key := slices.Min(slices.Collect(maps.Keys(value)))
			return map[string]any{key: value[key]}
		}
	}
	return value
}
