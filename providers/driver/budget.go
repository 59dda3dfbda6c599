package driver

// A Budget is a class of calls that a cloud counts together when it limits how many calls an account makes in a time. How many that are
// nobody has to say: the caller learns it from the error Throttled.
type Budget struct {
	// Name is what people call the class, for example "Cloud SQL calls".
	Name string
	// Service and Operations say which calls are of it, as Call names them. An operation may end in *, and none are all of the service.
	Service    string
	Operations []string `json:",omitempty"`
	// Regional: the cloud counts the calls of each region by themselves.
	Regional bool `json:",omitempty"`
	// ByObject: the cloud counts the calls about each object by themselves, so that a refusal says nothing about calls about others.
	ByObject bool `json:",omitempty"`
}
