package class

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// A class that names a key of another cloud is refused, and says so in its status where it is stored already.
func TestAClassNamesNoKeyOfAnotherCloud(t *testing.T) {
	drivers := map[string]driver.Driver{"aws": aws.New(aws.Options{}), "gcp": gcp.New(gcp.Options{})}
	const ofGoogle = "projects/p/locations/europe-west3/keyRings/r/cryptoKeys/k"
	for _, k := range kind.All() {
		if k.Class == nil {
			continue
		}
		rules := Rules{Kind: k, References: ReferencesOf(k.Name, drivers), Lacks: func(cloud string) []driver.Lack {
			description := drivers[cloud].Describe()
			r, _ := description.Resource(k.Name)
			return r.Lacks
		}}
		for key, cloud := range map[string]string{
			ofGoogle: "gcp", "arn:aws:kms:eu-central-1:123456789012:key/1": "aws", "alias/team": "aws", "1234abcd-12ab-34cd-56ef-1234567890ab": "aws", "mrk-1234abcd12ab34cd56ef1234567890ab": "aws",
		} {
			for _, layer := range []string{"defaults", "enforced"} {
				for is := range drivers {
					names := Tree{"encryption": Tree{"key": key}}
					c := &Class{Spec: &v1alpha1.ClassSpec{}, Defaults: Tree{}, Enforced: Tree{}}
					if layer == "defaults" {
						c.Defaults = names
					} else {
						c.Enforced = names
					}
					p := rules.Check(c, is)
					if (p != nil) != (is != cloud) || p != nil && (p.Reason != v1alpha1.ReasonClassInvalid || p.Field != "spec."+layer+".encryption.key" || !strings.Contains(p.Message, "set spec.encryption.key to")) {
						t.Errorf("%s in %s of a class of %s in %s: %v", key, layer, k.Plural, is, p)
					}
				}
			}
		}
	}
}

// A class whose tags the labels of its cloud can't hold is refused, with each of them named: no object of it could have them.
func TestTagsThatTheCloudCantHold(t *testing.T) {
	drivers := map[string]driver.Driver{"aws": aws.New(aws.Options{}), "gcp": gcp.New(gcp.Options{})}
	tags := Tree{"tags": Tree{"CostCenter": "Team Shop", "team": "shop"}}
	for _, k := range kind.All() {
		if k.Class == nil {
			continue
		}
		rules := Rules{Kind: k, References: ReferencesOf(k.Name, drivers), Lacks: func(cloud string) []driver.Lack {
			description := drivers[cloud].Describe()
			r, _ := description.Resource(k.Name)
			return r.Lacks
		}}
		for layer, c := range map[string]*Class{
			"defaults": {Spec: &v1alpha1.ClassSpec{}, Defaults: tags, Enforced: Tree{}}, "enforced": {Spec: &v1alpha1.ClassSpec{}, Defaults: Tree{}, Enforced: tags},
		} {
			if p := rules.Check(c, "aws"); p != nil {
				t.Errorf("%s of a class of %s in AWS: %v", layer, k.Plural, p)
			}
			p := rules.Check(c, "gcp")
			if p == nil || p.Reason != v1alpha1.ReasonClassInvalid {
				t.Errorf("%s of a class of %s in Google Cloud: %v, want it refused", layer, k.Plural, p)
				continue
			}
			for _, says := range []string{"spec." + layer + `.tags: the key "CostCenter" is`, `the value "Team Shop" of the key "CostCenter" is`, "cost-center"} {
				if !strings.Contains(p.String(), says) {
					t.Errorf("%s of a class of %s in Google Cloud: %q says nothing of %q", layer, k.Plural, p, says)
				}
			}
		}
	}
}
