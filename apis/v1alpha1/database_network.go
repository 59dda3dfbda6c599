package v1alpha1

// DatabaseNetwork says from where clients can reach a server. The settings of each cloud choose the private network of the server:
// aws.dbSubnetGroupName and aws.vpcSecurityGroupIDs, or gcp.privateNetwork.
// +kubebuilder:validation:XValidation:rule="!has(self.publicAccess) || self.publicAccess != 'Blocked' || !has(self.allowedCIDRs) || self.allowedCIDRs.size() == 0",message="allowedCIDRs lets networks in at the server's public address, and with publicAccess Blocked the server has none: remove the entries of allowedCIDRs, or set publicAccess to Allowed"
type DatabaseNetwork struct {
	// publicAccess is Blocked or Allowed. With Blocked, the server has no public address, and only its private network can reach it. With
	// Allowed, the server also has a public address. Who can connect there is limited further: by the security groups (AWS), or by allowedCIDRs
	// and connectors (Google Cloud). If unset, a new server is private where the cloud can make it so, and an existing server keeps what it has. If
	// it was set and becomes unset, it returns to Blocked, except on a server of Google Cloud that has no private address by then.
	//
	// AWS: unset, a new server is private. A change interrupts no connection inside the VPC. The name of the server stays the same: from
	// outside the VPC, it resolves to the public address with Allowed, and to a private address with Blocked. A server with a public address
	// needs a DB subnet group whose subnets have a route to the Internet.
	//
	// Google Cloud: Blocked needs gcp.privateNetwork or gcp.pscConfig.enabled, because Cloud SQL accepts no server without a way in. Unset, a new server without
	// gcp.privateNetwork has a public address. There Mooring lets no network in and requires TLS: only the Cloud SQL Auth Proxy and
	// connectors can connect. From Allowed to Blocked the server loses its public address for good, and connections there break. If somebody
	// gives a server with Blocked a public address, Mooring asks for approval before it takes that address away, unless updates.disruptive is
	// Always. The server still lets in no network other than those in allowedCIDRs, if that is set.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.WorkingWithRDSInstanceinaVPC.html
	// Source: https://cloud.google.com/sql/docs/postgres/configure-ip
	// +optional
	// +kubebuilder:validation:Enum=Blocked;Allowed
	PublicAccess *PublicAccess `json:"publicAccess,omitempty"`

	// allowedCIDRs are the networks that can connect to the server's public address, in CIDR notation: 203.0.113.0/24, or 203.0.113.7/32 for
	// one address. It needs publicAccess Allowed. The list is complete: Mooring removes networks that somebody else adds, at once. An empty list
	// means none. If unset, a new server lets no network in, and an existing server keeps what it has. If it was set and becomes unset, the
	// server lets no network in.
	//
	// Google Cloud: the authorized networks of the server, public IPv4 addresses only. Private networks need gcp.privateNetwork instead. Clients
	// that connect through the Cloud SQL Auth Proxy or a connector need no entry. A change restarts nothing. Connections from a network that
	// is removed stay open until they end. AWS has no such list: set aws.vpcSecurityGroupIDs.
	// Source: https://cloud.google.com/sql/docs/postgres/configure-ip
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(e, self.exists_one(o, o == e))",message="an entry is there twice: remove one of the two"
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=43
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[0-9a-fA-F:]*:[0-9a-fA-F:.]*/[0-9]{1,3}$') || self.matches('^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])/(3[0-2]|[12]?[0-9])$')",message="must be a network in CIDR notation, such as 203.0.113.0/24, or 203.0.113.7/32 for one address"
	AllowedCIDRs []string `json:"allowedCIDRs,omitzero"`
}
