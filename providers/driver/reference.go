package driver

import (
	"fmt"
	"maps"
	"slices"
)

// A Reference says what sort of cloud object a field names, beside the one that it describes. The cloud uses that object with the rights
// of the account, so a field with a Reference is accepted through a shared account only if the platform team allows its value.
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

	// ReferencePrincipal is whom a policy or a binding lets in. Names says how they are found.
	ReferencePrincipal Reference = "principal"
)

// References are all sorts.
var References = []Reference{
	ReferenceKey, ReferenceNetwork, ReferenceAddressRange, ReferenceSubnetGroup, ReferenceSecurityGroup, ReferenceRole, ReferenceParameterGroup, ReferenceOptionGroup,
	ReferenceProject, ReferenceNetworkAttachment,
	ReferenceBucket, ReferenceQueue, ReferenceTopic, ReferenceFunction, ReferencePrincipal,
}

// A Referrer is a field that names another cloud object.
type Referrer struct {
	// In is the field of each object in a list; empty if the value of the whole field names it.
	In string
	// Sort is what it names.
	Sort Reference
}

// Referrers returns what names other cloud objects in a field, by the path that a class allows it by: that of the field. Of an object in a list
// that names several, each further one has a path of its own, with its own name behind that of the list.
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

// Names returns the names of other cloud objects in the value of a field, which was decoded from JSON. A value names itself, and a list what its entries
// name. Of principals, an entry is a statement or a binding: it names all texts in principals and members, unless it denies, which lets nobody in.
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

// Reserved is a value of a field by which an object gives up what protects the account or others who use it, or which nobody can take back, not even by
// deleting the object. Through an account that namespaces share, it is accepted only if the class sets it: a tenant's word is not enough.
type Reserved struct {
	// Field is the dotted path of the field in the spec, Value the value: a string as it is, and everything else as JSON.
	Field, Value string
	// Most is the dotted path of a number of which an object with the value may have no more than its class has; empty for none.
	Most string `json:",omitempty"`
	// Does is what it brings about, as a clause that follows "because": the bucket loses its policy.
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
