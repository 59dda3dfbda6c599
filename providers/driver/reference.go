package driver

import "slices"

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
	ReferenceNetworkAttachment Reference = "network attachment"
)

// References are all sorts.
var References = []Reference{
	ReferenceKey, ReferenceNetwork, ReferenceAddressRange, ReferenceSubnetGroup, ReferenceSecurityGroup, ReferenceRole, ReferenceParameterGroup, ReferenceOptionGroup,
	ReferenceProject, ReferenceNetworkAttachment,
}

// Known reports whether a sort is one of References.
func (r Reference) Known() bool { return slices.Contains(References, r) }
