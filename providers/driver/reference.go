package driver

import (
	"fmt"
	"maps"
	"slices"
)

// A Reference is the sort of other cloud object that a field names. The cloud uses that object with the rights of the
// account. So a field with a Reference is accepted through a shared account only if the platform team allows its value.
type Reference string

// The sorts of cloud objects that fields name.
const (
	ReferenceKey            Reference = "encryption key"
	ReferenceNetwork        Reference = "network"
	ReferenceAddressRange   Reference = "address range"
	ReferenceSubnetGroup    Reference = "subnet group"
	ReferenceSecurityGroup  Reference = "security group"
	ReferenceRole           Reference = "role"
	ReferenceParameterGroup Reference = "parameter group"
	ReferenceOptionGroup    Reference = "option group"

	ReferenceProject           Reference = "project"
	ReferenceBucket            Reference = "bucket"
	ReferenceQueue             Reference = "queue"
	ReferenceTopic             Reference = "topic"
	ReferenceFunction          Reference = "function"
	ReferenceNetworkAttachment Reference = "network attachment"

	// ReferencePrincipal is a principal that a policy or an IAM binding grants access to. Names says how principals are
	// found.
	ReferencePrincipal Reference = "principal"
)

// References are all values of Reference.
var References = []Reference{
	ReferenceKey, ReferenceNetwork, ReferenceAddressRange, ReferenceSubnetGroup, ReferenceSecurityGroup, ReferenceRole, ReferenceParameterGroup, ReferenceOptionGroup,
	ReferenceProject, ReferenceNetworkAttachment,
	ReferenceBucket, ReferenceQueue, ReferenceTopic, ReferenceFunction, ReferencePrincipal,
}

// A Referrer is a field that names another cloud object.
type Referrer struct {
	// In is, for a list of objects, the field of each entry that has the name; empty if the whole value is the name.
	In string
	// Sort is the sort of cloud object that it names.
	Sort Reference
}

// Referrers returns what in the field names other cloud objects. The key is the path by which a class allows the
// reference. It is the path of the field. For each Further field of a list, it is the path of the list followed by the
// name of that field.
func (f Field) Referrers() map[string]Referrer {
	if f.Refers == "" {
		return nil
	}
	all := map[string]Referrer{f.Field: {f.ReferredIn, f.Refers}}
	for _, further := range f.Further {
		all[f.Field+"."+further.In] = further
	}
	return all
}

// Known reports whether a sort is one of References.
func (r Reference) Known() bool { return slices.Contains(References, r) }

// Names returns the names of other cloud objects in the value of a field, as decoded JSON. A string is a name, and a
// list has the names of its entries. For principals, an entry is a statement or a binding, and the names are all
// strings in its principals and members. A statement that denies access has none.
func (r Reference) Names(value any) (names []string) {
	switch value := value.(type) {
	case string:
		if value != "" {
			names = append(names, value)
		}
	case []any:
		for _, entry := range value {
			names = append(names, r.Names(entry)...)
		}
	case map[string]any:
		switch {
		case r != ReferencePrincipal:
			names = append(names, fmt.Sprint(value))
		case value["effect"] != "Deny":
			names = append(textsIn(value["principals"]), textsIn(value["members"])...)
		}
	case nil:
	default:
		names = append(names, fmt.Sprint(value))
	}
	return names
}

// Reserved is a value that only the platform team may set in a shared account. It removes protection from the account
// or from other users of it, or it can't be undone, not even by deleting the object. It is accepted only if the class
// sets it.
type Reserved struct {
	// Field is the path of the field in the spec. Value is the value: a string as it is, any other value as JSON.
	Field, Value string
	// Most is the path of a number. An object with the value may have at most the number that its class has. It is
	// empty if there is no such limit.
	Most string `json:",omitempty"`
	// Does is the effect of the value, as a clause that follows "because": "the bucket loses its policy".
	Does string
}

// textsIn returns all texts in a value, in order.
func textsIn(value any) (texts []string) {
	switch value := value.(type) {
	case string:
		texts = append(texts, value)
	case []any:
		for _, entry := range value {
			texts = append(texts, textsIn(entry)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			texts = append(texts, textsIn(value[key])...)
		}
	}
	return texts
}
