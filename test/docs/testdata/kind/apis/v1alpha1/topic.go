package v1alpha1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TopicParameters describes a topic of messages. Every field is optional: unset means unmanaged.
type TopicParameters struct {
	// location is the region. If unset, it is the region of the provider config. It can't change once the topic exists.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=63
	Location *string `json:"location,omitempty"`

	// retentionDays is for how many days the topic keeps messages.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=31
	RetentionDays *int32 `json:"retentionDays,omitempty"`

	// tags of the topic. Mooring keeps tags that others set.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Tags map[string]TagValue `json:"tags,omitzero"`
}

// TopicSpec is the desired state of a topic.
type TopicSpec struct {
	ResourceSpec    `json:",inline"`
	TopicParameters `json:",inline"`

	// connection requests a Secret with the connection details: type, provider, topic, uri.
	// +optional
	Connection *Connection `json:"connection,omitempty"`

	// deletionPolicy is Delete (default) or Retain (the topic stays in the cloud, marked as released).
	// +optional
	// +kubebuilder:validation:Enum=Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// TopicStatus is the observed state of a topic.
type TopicStatus struct {
	ResourceStatus `json:",inline"`

	// observed mirrors the topic in the cloud, with the field names of the spec.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Observed *TopicParameters `json:"observed,omitempty"`
}

// Topic is a topic of messages.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories=mooring
// +kubebuilder:selectablefield:JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="External name",type=string,JSONPath=`.status.externalName`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots, because it becomes a label in the cloud"
type Topic struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the topic.
	// +required
	Spec TopicSpec `json:"spec"`

	// status is the observed state of the topic.
	// +optional
	// +kubebuilder:default={observedGeneration:-1}
	Status TopicStatus `json:"status,omitempty"`
}

// TopicList is a list of topics.
//
// +kubebuilder:object:root=true
type TopicList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Topic `json:"items"`
}

func init() { register(&Topic{}, &TopicList{}) }

// GetSpec implements ResourceObject.
func (o *Topic) GetSpec() any { return &o.Spec }

// GetResourceSpec implements ResourceObject.
func (o *Topic) GetResourceSpec() *ResourceSpec { return &o.Spec.ResourceSpec }

// GetResourceStatus implements ResourceObject.
func (o *Topic) GetResourceStatus() *ResourceStatus { return &o.Status.ResourceStatus }

// GetConditions implements ResourceObject.
func (o *Topic) GetConditions() []metav1.Condition { return o.Status.Conditions }

// GetParameters implements ResourceObject.
func (o *Topic) GetParameters() any { return o.Spec.TopicParameters.DeepCopy() }

// GetLocation implements ResourceObject.
func (o *Topic) GetLocation() string { return value(o.Spec.Location) }

// GetConnection implements ResourceObject.
func (o *Topic) GetConnection() *Connection { return o.Spec.Connection }

// GetCredentials implements ResourceObject: a topic has no login.
func (o *Topic) GetCredentials() *DatabaseCredentials { return nil }

// GetDeletionPolicy implements ResourceObject.
func (o *Topic) GetDeletionPolicy() DeletionPolicy { return o.Spec.DeletionPolicy }

// GetForceDestroy implements ResourceObject: a topic has no contents that hold up its deletion.
func (o *Topic) GetForceDestroy() bool { return false }

// GetObserved implements ResourceObject.
func (o *Topic) GetObserved() any {
	if o.Status.Observed == nil {
		return nil
	}
	return o.Status.Observed
}

// SetObserved implements ResourceObject.
func (o *Topic) SetObserved(mirror json.RawMessage) error {
	return setObserved(&o.Status.Observed, mirror)
}
