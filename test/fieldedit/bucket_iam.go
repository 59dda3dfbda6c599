package fieldedit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// iamBindings are the roles that a bucket grants.
func iamBindings() []v1alpha1.BucketIAMBinding {
	return []v1alpha1.BucketIAMBinding{
		{Role: "roles/storage.objectUser", Members: []string{"serviceAccount:writer@other.iam.gserviceaccount.com"}},
		{Role: "roles/storage.objectViewer", Members: []string{"group:readers@example.com", "user:jane@example.com"}},
	}
}

// bindingsField is the edit of the roles.
var bindingsField = drivertest.Field{
	Name: "gcp.iamBindings", Releases: true, To: []v1alpha1.BucketIAMBinding{
		{Role: "roles/storage.objectViewer", Members: []string{"user:jane@example.com", "domain:example.com"}},
		{Role: "roles/storage.objectAdmin", Members: []string{"serviceAccount:writer@other.iam.gserviceaccount.com"}},
	},
	Listed: &drivertest.Listed{
		Map: func(t testing.TB, list []byte) map[string]string {
			var bindings []v1alpha1.BucketIAMBinding
			if err := json.Unmarshal(list, &bindings); err != nil {
				t.Fatal(err)
			}
			return Grants(bindings)
		},
		List: func(grants map[string]string) any { return BindingsOf(grants) },
		New:  "roles/storage.objectViewer user:new@example.com", NewValue: "granted",
	},
}

// IAMEntries are grants that tests have others make.
func IAMEntries() drivertest.Entries {
	return drivertest.Entries{Other: "roles/storage.objectCreator user:other@example.com", Theirs: "granted", Ours: "granted"}
}

// Grants returns each role of each member as an entry.
func Grants(bindings []v1alpha1.BucketIAMBinding) map[string]string {
	grants := map[string]string{}
	for _, b := range bindings {
		for _, member := range b.Members {
			grants[b.Role+" "+member] = "granted"
		}
	}
	return grants
}

// BindingsOf returns a binding for each role in grants.
func BindingsOf(grants map[string]string) []v1alpha1.BucketIAMBinding {
	bindings := []v1alpha1.BucketIAMBinding{}
	for _, name := range slices.Sorted(maps.Keys(grants)) {
		role, member, _ := strings.Cut(name, " ")
		if last := len(bindings) - 1; last >= 0 && bindings[last].Role == role {
			bindings[last].Members = append(bindings[last].Members, member)
			continue
		}
		bindings = append(bindings, v1alpha1.BucketIAMBinding{Role: role, Members: []string{member}})
	}
	return bindings
}
