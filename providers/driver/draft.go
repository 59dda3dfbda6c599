package driver

import "encoding/json"

// A Draft is a merged spec that nobody has sent to the cloud yet.
type Draft struct {
	// Spec is the merged spec: JSON of the kind's parameters.
	Spec json.RawMessage
	// Observed is what the object is, as Observe mirrored it; empty for one that nobody has observed yet, which counts as new.
	Observed json.RawMessage `json:",omitempty"`
	// Location is where the object is or is to be; empty if that is not known.
	Location string `json:",omitempty"`
}

// A Refusal says that a cloud does not take a spec.
type Refusal struct {
	// Fields are all fields of the spec that it depends on, as dotted paths: without a change of one of them it is neither new nor gone. The
	// field that says the most comes first. Where the location of a Draft matters, "location" is among them.
	Fields []string
	// Message says why, and what to do.
	Message string
}
