package v1alpha1

// FormerServer is a server in whose place another one was put.
type FormerServer struct {
	// externalName is its name in the cloud, since then.
	// +required
	ExternalName string `json:"externalName"`

	// externalID is the cloud's own identity of it.
	// +optional
	ExternalID string `json:"externalID,omitempty"`
}
