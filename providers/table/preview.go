package table

import (
	"encoding/json"
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// PreviewOf decodes the two specs of a preview, and calls preview for their kind.
func PreviewOf[S any](from, to json.RawMessage, applied driver.Applied, preview func(from, to S, applied driver.Applied) []driver.Change) ([]driver.Change, error) {
	var before, after S
	if err := json.Unmarshal(from, &before); err != nil {
		return nil, fmt.Errorf("preview: the present spec: %w", err)
	}
	if err := json.Unmarshal(to, &after); err != nil {
		return nil, fmt.Errorf("preview: the new spec: %w", err)
	}
	return preview(before, after, applied), nil
}

// CheckOf decodes a draft, and calls check for its kind. observed is nil for a new object.
func CheckOf[S any](draft driver.Draft, check func(spec, observed *S, location string) []driver.Refusal) ([]driver.Refusal, error) {
	var spec S
	var observed *S
	if err := json.Unmarshal(draft.Spec, &spec); err != nil {
		return nil, fmt.Errorf("check: the spec: %w", err)
	}
	if len(draft.Observed) > 0 {
		if err := json.Unmarshal(draft.Observed, &observed); err != nil {
			return nil, fmt.Errorf("check: what was observed: %w", err)
		}
	}
	return check(&spec, observed, draft.Location), nil
}
