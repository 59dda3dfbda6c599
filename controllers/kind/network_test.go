package kind

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Who opens a server to the Internet is told, and how far.
func TestNetworkRegrets(t *testing.T) {
	allowed, blocked := v1alpha1.PublicAccessAllowed, v1alpha1.PublicAccessBlocked
	const address = "network.publicAccess is Allowed: the server has an address on the Internet"
	for name, tt := range map[string]struct {
		network *v1alpha1.DatabaseNetwork
		want    []string
	}{
		"nothing is said": {nil, nil},
		"private":         {&v1alpha1.DatabaseNetwork{PublicAccess: &blocked}, nil},
		"public":          {&v1alpha1.DatabaseNetwork{PublicAccess: &allowed, AllowedCIDRs: []string{"203.0.113.0/24", "17.0.0.0/8"}}, []string{address}},
		"the Internet": {&v1alpha1.DatabaseNetwork{PublicAccess: &allowed, AllowedCIDRs: []string{"0.0.0.0/0"}}, []string{
			address, "network.allowedCIDRs contains 0.0.0.0/0, which lets in the whole Internet: name the networks of the clients",
		}},
		"half of it": {&v1alpha1.DatabaseNetwork{AllowedCIDRs: []string{"128.0.0.0/1"}}, []string{
			"network.allowedCIDRs contains 128.0.0.0/1, which lets in 1 of 2 addresses of the Internet: name the networks of the clients",
		}},
	} {
		d := &v1alpha1.Database{}
		d.Spec.Network = tt.network
		d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders"}
		if got := databaseRegrets(d); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
