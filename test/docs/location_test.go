package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// inLocation is where a cloud object is that a class names, by its name.
var inLocation = regexp.MustCompile(`/locations/([a-z0-9-]+)/|:kms:([a-z0-9-]+):`)

// TestClassesOfOneLocationListIt demands that a class whose defaults or enforced values name a key or a network of one location lists that location:
// a Database elsewhere could use neither, and the developer would learn it from the cloud.
func TestClassesOfOneLocationListIt(t *testing.T) {
	named := 0
	for path, content := range files(t, filepath.Join(root(t), "config", "samples", "classes"), ".yaml") {
		for _, object := range decode(t, content) {
			if object.GetKind() != "DatabaseClass" {
				continue
			}
			text, err := object.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			class := &v1alpha1.DatabaseClass{}
			if err := yaml.UnmarshalStrict(text, class); err != nil {
				t.Fatal(err)
			}
			for _, p := range []*v1alpha1.DatabaseParameters{class.Spec.Defaults, class.Spec.Enforced} {
				at, one := locationOf(p)
				if !one {
					continue
				}
				named++
				if l := class.Spec.Locations; len(l) != 1 || at != "" && !slices.Contains(l, at) {
					t.Errorf("%s: %s names cloud objects of one location %s, and its locations are %q", path, class.Name, at, l)
				}
			}
		}
	}
	if named < 2 {
		t.Errorf("%d classes name cloud objects of one location, want one for each cloud", named)
	}
}

// locationOf reports whether parameters name a cloud object that is in one location alone, and in which one if its name says so.
func locationOf(p *v1alpha1.DatabaseParameters) (location string, one bool) {
	if p == nil {
		return "", false
	}
	if p.Encryption != nil && p.Encryption.Key != nil {
		if at := inLocation.FindStringSubmatch(*p.Encryption.Key); at != nil {
			return strings.Join(at[1:], ""), true
		}
	}
	return "", p.AWS != nil && (p.AWS.DBSubnetGroupName != nil || len(p.AWS.VPCSecurityGroupIDs) > 0)
}
