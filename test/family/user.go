package family

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// A User is a user of a Database.
type User struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   UserSpec   `json:"spec"`
	Status UserStatus `json:"status,omitzero"`
}

// UserSpec is the desired state of a user. Its definition has neither className nor providerConfigRef.
type UserSpec struct {
	v1alpha1.ResourceSpec `json:",inline"`
	mem.UserParameters    `json:",inline"`

	DatabaseRef    DatabaseReference       `json:"databaseRef"`
	DeletionPolicy v1alpha1.DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// A DatabaseReference names a Database of the same namespace.
type DatabaseReference struct {
	Name string `json:"name"`
}

// UserStatus is the observed state of a user.
type UserStatus struct {
	v1alpha1.ResourceStatus `json:",inline"`

	Parent   v1alpha1.ParentStatus `json:"parent,omitzero"`
	Observed *mem.UserParameters   `json:"observed,omitempty"`
}

// UserList is a list of users.
type UserList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []User `json:"items"`
}

// Kind returns the kind User.
func Kind() *kind.Kind {
	return &kind.Kind{
		Name: "User", Plural: "users",
		New:     func() v1alpha1.ResourceObject { return &User{} },
		NewList: func() client.ObjectList { return &UserList{} },
		Parent: &kind.Parent{
			Kind: "Database", Field: "databaseRef.name",
			Name:   func(o v1alpha1.ResourceObject) string { return o.(*User).Spec.DatabaseRef.Name },
			Status: func(o v1alpha1.ResourceObject) *v1alpha1.ParentStatus { return &o.(*User).Status.Parent },
		},
		DeletionPolicy: v1alpha1.DeletionDelete,
		WhenVanished:   v1alpha1.WhenVanishedRecreate,
		Binding: func(v1alpha1.ResourceObject, *driver.Description, driver.Endpoint, string) (corev1.SecretType, map[string][]byte) {
			return "servicebinding.io/user", nil
		},
	}
}

// AddToScheme adds the kind to a scheme.
func AddToScheme(s *runtime.Scheme) { s.AddKnownTypes(v1alpha1.GroupVersion, &User{}, &UserList{}) }

// Definition returns the CustomResourceDefinition of the kind.
func Definition() *apiextensionsv1.CustomResourceDefinition {
	anything := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: Kind().Definition()},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: v1alpha1.GroupVersion.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "users", Singular: "user", Kind: "User", ListKind: "UserList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: v1alpha1.GroupVersion.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": anything, "status": anything},
				}},
			}},
		},
	}
}

// GetSpec implements v1alpha1.ResourceObject.
func (u *User) GetSpec() any { return &u.Spec }

// GetResourceSpec implements v1alpha1.ResourceObject.
func (u *User) GetResourceSpec() *v1alpha1.ResourceSpec { return &u.Spec.ResourceSpec }

// GetResourceStatus implements v1alpha1.ResourceObject.
func (u *User) GetResourceStatus() *v1alpha1.ResourceStatus { return &u.Status.ResourceStatus }

// GetConditions implements v1alpha1.ResourceObject.
func (u *User) GetConditions() []metav1.Condition { return u.Status.Conditions }

// GetParameters implements v1alpha1.ResourceObject.
func (u *User) GetParameters() any { return copied(&u.Spec.UserParameters) }

// GetLocation implements v1alpha1.ResourceObject: a user is where its database is.
func (u *User) GetLocation() string { return "" }

// GetConnection implements v1alpha1.ResourceObject.
func (u *User) GetConnection() *v1alpha1.Connection { return nil }

// GetCredentials implements v1alpha1.ResourceObject.
func (u *User) GetCredentials() *v1alpha1.DatabaseCredentials { return nil }

// GetDeletionPolicy implements v1alpha1.ResourceObject.
func (u *User) GetDeletionPolicy() v1alpha1.DeletionPolicy { return u.Spec.DeletionPolicy }

// GetForceDestroy implements v1alpha1.ResourceObject.
func (u *User) GetForceDestroy() bool { return false }

// GetObserved implements v1alpha1.ResourceObject.
func (u *User) GetObserved() any {
	if u.Status.Observed == nil {
		return nil
	}
	return u.Status.Observed
}

// SetObserved implements v1alpha1.ResourceObject.
func (u *User) SetObserved(mirror json.RawMessage) error {
	if len(mirror) == 0 {
		return nil
	}
	var fresh *mem.UserParameters
	if err := json.Unmarshal(mirror, &fresh); err != nil {
		return err
	}
	u.Status.Observed = fresh
	return nil
}

// DeepCopyObject implements runtime.Object.
func (u *User) DeepCopyObject() runtime.Object {
	out := *u
	u.DeepCopyInto(&out.ObjectMeta)
	u.Spec.DeepCopyInto(&out.Spec.ResourceSpec)
	out.Spec.UserParameters = *copied(&u.Spec.UserParameters)
	u.Status.DeepCopyInto(&out.Status.ResourceStatus)
	out.Status.Observed = copied(u.Status.Observed)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (l *UserList) DeepCopyObject() runtime.Object {
	out := *l
	l.DeepCopyInto(&out.ListMeta)
	out.Items = nil
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*User))
	}
	return &out
}

// copied returns a copy of parameters.
func copied(p *mem.UserParameters) *mem.UserParameters {
	if p == nil {
		return nil
	}
	out := *p
	if p.Role != nil {
		out.Role = new(*p.Role)
	}
	if p.Limit != nil {
		out.Limit = new(*p.Limit)
	}
	return &out
}
