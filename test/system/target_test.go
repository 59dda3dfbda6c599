package system

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// A kind without a target in a cloud that has it would go through no test that runs for all kinds, and nobody would notice.
func TestTargetsHaveEveryKindOfEveryCloud(t *testing.T) {
	for _, drv := range []driver.Driver{aws.New(aws.Options{}), gcp.New(gcp.Options{})} {
		cloud := drv.Describe()
		for _, k := range kind.All() {
			if _, has := cloud.Resource(k.Name); !has {
				continue
			}
			made := slices.ContainsFunc(MadeOf, func(of Made) bool { return of.Kind == k.Name && of.Cloud == cloud.Name })
			if !made && !slices.ContainsFunc(Targets, func(of Target) bool { return of.Kind == k.Name && of.Cloud == cloud.Name }) {
				t.Errorf("there is no target for a %s in %s: add one to the file of the kind", k.Name, cloud.Name)
			}
		}
	}
}
