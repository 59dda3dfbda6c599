package class

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// knowing returns what answers for databases of a cloud that has two regions and two versions, as far as this release
// knows.
func knowing(t *testing.T, place Place) *Admission {
	t.Helper()
	a := refusing(t, func(Tree, string) ([]driver.Refusal, error) { return nil, nil })
	a.Place = func(context.Context, client.Reader, *v1alpha1.ProviderConfigReference, *v1alpha1.BoundProviderConfig, string) (Place, error) {
		return place, nil
	}
	a.KnownValues = func(string) KnownValues {
		return KnownValues{"Amazon RDS", driver.Known{Locations: []string{"eu-west-1", "eu-west-2"}, Versions: map[string][]string{"postgres": {"16", "17"}}}}
	}
	return a
}

// A location and a version of which this release knows none are warned of, and not refused: the cloud may have them by
// now. What exists already proves that it has them.
func TestUnknownValuesAreWarnedOf(t *testing.T) {
	observed := func(d *v1alpha1.Database) {
		d.Status.Location, d.Status.Observed = "eu-west-7", &v1alpha1.DatabaseParameters{Version: new("99")}
	}
	for name, tt := range map[string]struct {
		place    Place
		old, new func(*v1alpha1.Database)
		want     []string
	}{
		"known":                       {Place{Cloud: "aws"}, nil, func(d *v1alpha1.Database) { d.Spec.Location, d.Spec.Version = new("eu-west-1"), new("16.3") }, nil},
		"a location":                  {Place{Cloud: "aws"}, nil, func(d *v1alpha1.Database) { d.Spec.Location = new("eu-west-7") }, []string{"spec.location eu-west-7 is not a region of Amazon RDS that this release knows (nearest: eu-west-1, eu-west-2); if it is a newer one, ignore this warning"}},
		"a location of the account":   {Place{Cloud: "aws", Region: "eu-west-7"}, nil, func(*v1alpha1.Database) {}, []string{"eu-west-7, the region of the provider config, is not a region of Amazon RDS"}},
		"a location of another maker": {Place{Cloud: "aws", Region: "garage", OwnRegions: true}, nil, func(*v1alpha1.Database) {}, nil},
		"a version":                   {Place{Cloud: "aws"}, nil, func(d *v1alpha1.Database) { d.Spec.Version = new("99") }, []string{"spec.version 99 is not a major version of postgres in Amazon RDS"}},
		"an edit of something else": {Place{Cloud: "aws"}, func(d *v1alpha1.Database) { observed(d); d.Spec.Version = new("99") },
			func(d *v1alpha1.Database) { observed(d); d.Spec.Version, d.Spec.DatabaseName = new("99"), new("app") }, nil},
		"an edit of something else in a newer region": {Place{Cloud: "aws", Region: "eu-west-7"}, observed,
			func(d *v1alpha1.Database) { observed(d); d.Spec.DatabaseName = new("app") }, nil},
		"another version": {Place{Cloud: "aws"}, func(d *v1alpha1.Database) { observed(d); d.Spec.Version = new("16") },
			func(d *v1alpha1.Database) { observed(d); d.Spec.Version = new("98") }, []string{"spec.version 98"}},
	} {
		var old v1alpha1.ResourceObject
		if tt.old != nil {
			old = draftedDatabase(tt.old)
		}
		refusals, warnings, err := knowing(t, tt.place).Object(t.Context(), old, draftedDatabase(tt.new))
		if err != nil || len(refusals) > 0 || len(warnings) != len(tt.want) {
			t.Errorf("%s: refused %v, warned %q, error %v; want %q", name, refusals, warnings, err, tt.want)
			continue
		}
		for i, want := range tt.want {
			if !strings.HasPrefix(warnings[i], want) {
				t.Errorf("%s: the warning is %q, want %q", name, warnings[i], want)
			}
		}
	}
}
