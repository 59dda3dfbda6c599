package driver

import (
	"encoding/json"
	"fmt"
)

// PreviewOf decodes the two specs of a preview, and returns what one kind of a driver says of them.
func PreviewOf[S any](from, to json.RawMessage, applied Applied, preview func(from, to S, applied Applied) []Change) ([]Change, error) {
	var before, after S
	if err := json.Unmarshal(from, &before); err != nil {
		return nil, fmt.Errorf("preview: the present spec: %w", err)
	}
	if err := json.Unmarshal(to, &after); err != nil {
		return nil, fmt.Errorf("preview: the new spec: %w", err)
	}
	return preview(before, after, applied), nil
}

// NoKind is the error of a driver that is asked about a kind that its cloud lacks.
func NoKind(cloud, kind string) error {
	return &Error{Code: Invalid, Message: fmt.Sprintf("%s has no %s", cloud, kind)}
}
