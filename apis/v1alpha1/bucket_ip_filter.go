package v1alpha1

// BucketIPFilter says from where a bucket of Cloud Storage can be reached.
// +kubebuilder:validation:XValidation:rule="has(self.mode) || !(has(self.publicCIDRs) || has(self.networks) || has(self.allowCrossOrgNetworks) || has(self.allowAllServiceAgents))",message="mode is missing, and Cloud Storage takes no filter without it: set mode to Enabled or Disabled, or set ipFilter to {} for no filter"
// +kubebuilder:validation:XValidation:rule="!has(self.mode) || self.mode != 'Enabled' || (has(self.publicCIDRs) && self.publicCIDRs.size() > 0) || (has(self.networks) && self.networks.size() > 0)",message="a filter with mode Enabled that names no address lets nobody in: add entries to publicCIDRs or networks, or set mode to Disabled"
type BucketIPFilter struct {
	// mode is Enabled if only the addresses in publicCIDRs and networks can reach the bucket and its objects, and Disabled if the filter is
	// kept and does nothing. A correction never waits for approval, so that a filter that somebody disabled is in force again at once. A filter
	// keeps Mooring out too, unless it lists the addresses that Mooring calls from, which Mooring does not know, or Mooring's identity has the
	// permission storage.buckets.exemptFromIpFilter. That exempts it for the bucket alone, and not for objects, so forceDestroy may be denied, nor for
	// iamBindings and notifications.
	// A new bucket gets its filter by the last call of its creation: until then, for seconds or as long as that call fails, it can be reached from
	// anywhere, by whom IAM lets in.
	// Source: https://cloud.google.com/storage/docs/ip-filtering-overview
	// Source: https://cloud.google.com/storage/docs/bypass-ip-filter
	// +optional
	// +kubebuilder:validation:Enum=Enabled;Disabled
	Mode *string `json:"mode,omitempty"`

	// publicCIDRs are the networks that come from the public internet, in CIDR notation of IPv4 or IPv6: 203.0.113.0/24, or 203.0.113.7/32 for
	// one address. The address is the first of its network. Their order means nothing. [] lets nobody in from there. If unset, a new filter has
	// none, and an existing filter keeps what it has. A bucket can have 200 networks, those of all VPC networks among them.
	// Source: https://cloud.google.com/storage/docs/ip-filtering-overview
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=200
	// +kubebuilder:validation:items:MaxLength=43
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[0-9a-fA-F:]*:[0-9a-fA-F:.]*/[0-9]{1,3}$') || self.matches('^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])/(3[0-2]|[12]?[0-9])$')",message="must be a network in CIDR notation, such as 203.0.113.0/24, or 203.0.113.7/32 for one address"
	PublicCIDRs []string `json:"publicCIDRs,omitzero"`

	// networks are the VPC networks that the bucket can be reached from, and from which of their addresses. Their order means nothing. [] lets
	// nobody in from there. If unset, a new filter has none, and an existing filter keeps what it has. Through a ClusterProviderConfig, the class
	// decides which networks an object may name.
	// Source: https://cloud.google.com/storage/docs/ip-filtering-overview
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=25
	// +kubebuilder:validation:XValidation:rule="self.all(n, self.exists_one(o, o.network == n.network))",message="two entries name one network: put all addresses of a network into the allowedCIDRs of one entry"
	Networks []BucketIPFilterNetwork `json:"networks,omitzero"`

	// allowCrossOrgNetworks is true if networks may name VPC networks of other organizations than the bucket's. If unset, a new filter has
	// false, and an existing filter keeps what it has.
	// Source: https://cloud.google.com/storage/docs/json_api/v1/buckets
	// +optional
	AllowCrossOrgNetworks *bool `json:"allowCrossOrgNetworks,omitempty"`

	// allowAllServiceAgents is true if the service agents of Google Cloud, by which its services use the bucket, come in from any address. IAM
	// decides as before what they may do. If unset, a new filter has false, and an existing filter keeps what it has.
	// Source: https://cloud.google.com/storage/docs/json_api/v1/buckets
	// +optional
	AllowAllServiceAgents *bool `json:"allowAllServiceAgents,omitempty"`
}

// BucketIPFilterNetwork is a VPC network that a bucket can be reached from.
type BucketIPFilterNetwork struct {
	// network is the VPC network, in the form projects/PROJECT/global/networks/NETWORK. For a shared VPC, PROJECT is the host project.
	// Source: https://cloud.google.com/storage/docs/json_api/v1/buckets
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^projects/([a-z0-9.-]+:)?[a-z0-9-]+/global/networks/[a-z]([a-z0-9-]*[a-z0-9])?$')",message="must name a VPC network in the form projects/PROJECT/global/networks/NETWORK; for a shared VPC, PROJECT is the host project"
	Network string `json:"network"`

	// allowedCIDRs are the addresses of the network that get in, in CIDR notation of IPv4 or IPv6, such as 10.128.0.0/20, or 0.0.0.0/0 for all
	// that are IPv4. The address is the first of its network. Their order means nothing.
	// Source: https://cloud.google.com/storage/docs/ip-filtering-overview
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	// +kubebuilder:validation:items:MaxLength=43
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[0-9a-fA-F:]*:[0-9a-fA-F:.]*/[0-9]{1,3}$') || self.matches('^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])/(3[0-2]|[12]?[0-9])$')",message="must be a network in CIDR notation, such as 10.128.0.0/20"
	AllowedCIDRs []string `json:"allowedCIDRs"`
}
