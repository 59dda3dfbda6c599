package v1alpha1

// ParentStatus says within which cloud object, its parent, the cloud object of an object is. The status of a kind that has a parent holds one.
type ParentStatus struct {
	// externalName is the parent's name in the cloud.
	// +optional
	ExternalName string `json:"externalName,omitempty"`

	// externalID is the cloud's immutable id of the parent, if the cloud has one.
	// +optional
	ExternalID string `json:"externalID,omitempty"`

	// className is the class of the parent when the object was created. A limit of that class counts the object, also once the parent is gone.
	// +optional
	ClassName string `json:"className,omitempty"`

	// recorded is true once Mooring knows that it created the cloud object within this parent, or took it over there. Where the cloud
	// has no place for a mark, this stands for the mark.
	// +optional
	Recorded bool `json:"recorded,omitempty"`
}
