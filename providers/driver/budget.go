package driver

// A Budget is a class of API calls for which a cloud limits the rate of an account. The limit itself is not described:
// the caller learns it from errors with the code Throttled.
type Budget struct {
	// Name is what people call the class, for example "Cloud SQL calls".
	Name string
	// Service and Operations select the calls of the class, by the names in Call. An operation may end in *. Without
	// Operations, the class has all calls of the service.
	Service    string
	Operations []string `json:",omitempty"`
	// Regional: the cloud counts the calls of each region separately.
	Regional bool `json:",omitempty"`
	// ByObject: the cloud counts the calls for each object separately. So a throttled call for one object does not slow
	// down the others.
	ByObject bool `json:",omitempty"`
}
