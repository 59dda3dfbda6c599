package preview

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// An edit that opens a server says so as a creation does, and once: what was open before is no news. An edit that closes it says nothing of it.
func TestEditThatOpensAServer(t *testing.T) {
	const public, wide, everybody = "the server has an address on the Internet", "contains 8.0.0.0/5", "lets in the whole Internet"
	network := func(access v1alpha1.PublicAccess, networks ...string) func(*v1alpha1.Database) {
		return func(d *v1alpha1.Database) {
			d.Spec.Network = &v1alpha1.DatabaseNetwork{PublicAccess: &access, AllowedCIDRs: networks}
		}
	}
	open := func(networks ...string) func(*v1alpha1.Database) {
		return network(v1alpha1.PublicAccessAllowed, networks...)
	}
	for _, tt := range []struct {
		name          string
		before, after func(*v1alpha1.Database)
		says          []string
	}{
		{"a public address", func(*v1alpha1.Database) {}, open(), []string{public}},
		{"every network", open("203.0.113.0/24"), open("203.0.113.0/24", "0.0.0.0/0"), []string{everybody}},
		{"a large network beside it", open("0.0.0.0/0"), open("0.0.0.0/0", "8.0.0.0/5"), []string{wide}},
		{"a network of clients", open(), open("203.0.113.0/24"), nil},
		{"closed", open("0.0.0.0/0"), network(v1alpha1.PublicAccessBlocked), nil},
		{"observed only", func(*v1alpha1.Database) {}, func(d *v1alpha1.Database) { open("0.0.0.0/0")(d); observeOnly(d) }, nil},
		{"not bound yet", unborn, func(d *v1alpha1.Database) { open("0.0.0.0/0")(d) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old := editOf(usual(), tt.before)
			old.Status.Observed = old.Spec.DatabaseParameters.DeepCopy()
			if tt.name == "not bound yet" {
				old.Status.Observed = nil
			}
			lines, err := linesOf(newPreview().Edit(t.Context(), old, editOf(old, tt.after)))
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(lines, "\n")
			for _, words := range []string{public, wide, everybody} {
				want := 0
				for _, w := range tt.says {
					if w == words {
						want = 1
					}
				}
				if got := strings.Count(all, words); got != want {
					t.Errorf("it says %q %d times, want %d:\n%s", words, got, want, all)
				}
			}
		})
	}
}
