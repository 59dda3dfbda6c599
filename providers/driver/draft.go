package driver

import "encoding/json"

// A Draft is a merged spec that is checked before it is sent to the cloud.
type Draft struct {
	// Spec is the merged spec, as JSON of the kind's parameters.
	Spec json.RawMessage
	// Observed is the mirror of the last observation. It is empty for an object that was never observed, which counts
	// as new.
	Observed json.RawMessage `json:",omitempty"`
	// Location is where the object is, or is to be; empty if it is not known.
	Location string `json:",omitempty"`
}

// A Refusal says why a cloud would refuse a spec.
type Refusal struct {
	// Fields are the paths of all fields of the spec that the refusal depends on. As long as none of them changes, the
	// refusal stays the same. The most relevant field comes first. If the location of a Draft matters, "location" is
	// included.
	Fields []string
	// Message says why, and what to do.
	Message string
}
