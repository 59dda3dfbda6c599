package driver

// Known are values that this release knows, of a set to which the cloud adds values over time. An unknown value is
// never refused, because the cloud may have it by now. The user gets a warning, because it may be misspelt.
type Known struct {
	// Locations are the known locations for the kind, in lower case. If it is empty, no location is checked.
	Locations []string `json:",omitempty"`
	// Versions are the known major versions of each engine, the oldest first. If an engine has none, its versions are
	// not checked.
	Versions map[string][]string `json:",omitempty"`
}
