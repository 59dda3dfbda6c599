package driver

// Known is what a release knows of values of which a cloud gets more from time to time. Nothing is refused because it
// is not here: the cloud may have it by now. People are warned, who may have misspelt it.
type Known struct {
	// Locations are those where objects of the kind can be, in lower case. None says that nobody knows.
	Locations []string `json:",omitempty"`
	// Versions are the major versions of each engine, the oldest first. None of an engine says that nobody knows.
	Versions map[string][]string `json:",omitempty"`
}
