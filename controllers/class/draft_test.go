package class

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// refusing returns what answers for databases of a cloud that refuses what refuses says.
func refusing(t *testing.T, refuses func(spec Tree, location string) ([]driver.Refusal, error)) *Admission {
	t.Helper()
	c := cluster(t, "")
	return &Admission{
		Resolver: &Resolver{Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil }}, Live: c, MayUse: allUse,
		Place: func(context.Context, client.Reader, *v1alpha1.ProviderConfigReference, *v1alpha1.BoundProviderConfig, string) (Place, error) {
			return Place{Cloud: "aws", Region: "eu-central-1"}, nil
		},
		Refuses: func(_ context.Context, _ string, _ v1alpha1.ResourceObject, spec Tree, location string) ([]driver.Refusal, error) {
			return refuses(spec, location)
		},
	}
}

func draftedDatabase(edit func(*v1alpha1.Database)) *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Name: "team"}
	edit(d)
	return d
}

// oneAtATime is a cloud that refuses versions and names of databases that begin with bad. It names one of the two, the version first.
func oneAtATime(spec Tree, _ string) ([]driver.Refusal, error) {
	for _, field := range []string{"version", "databaseName"} {
		if value := StringField(spec, field); strings.HasPrefix(value, "bad") {
			return []driver.Refusal{{Fields: []string{field}, Message: value + " is refused"}}, nil
		}
	}
	return nil, nil
}

// A driver may name one refusal that hides another. Whoever mends the first is not refused for the second, which was there before; whoever changes it is.
func TestWhatWasHiddenIsNotNew(t *testing.T) {
	a := refusing(t, oneAtATime)
	old := draftedDatabase(func(d *v1alpha1.Database) { d.Spec.Version, d.Spec.DatabaseName = new("bad1"), new("bad2") })
	for name, tt := range map[string]struct {
		version, name string
		refused       string
	}{
		"the first is mended":               {"16", "bad2", ""},
		"both are mended":                   {"16", "app", ""},
		"the first is another bad one":      {"bad3", "bad2", "spec.version: bad3 is refused"},
		"the second becomes another, alone": {"16", "bad4", "spec.databaseName: bad4 is refused"},
		"nothing":                           {"bad1", "bad2", ""},
	} {
		edited := draftedDatabase(func(d *v1alpha1.Database) {
			d.Spec.Version, d.Spec.DatabaseName, d.Spec.DeletionProtection = &tt.version, &tt.name, new(true)
		})
		refusals, _, err := a.Object(t.Context(), old, edited)
		if err != nil || len(refusals) > 1 || (len(refusals) == 1) != (tt.refused != "") || len(refusals) == 1 && refusals[0].String() != tt.refused {
			t.Errorf("%s: refusals %q, %v, want %q", name, refusals, err, tt.refused)
		}
	}
}

// Another entry of a map that has an entry which is refused is no new refusal: the driver says the same as before.
func TestWhatIsSaidAgainIsNotNew(t *testing.T) {
	a := refusing(t, func(spec Tree, _ string) ([]driver.Refusal, error) {
		if _, bad := get(spec, path{"parameters", "bad"}); bad {
			return []driver.Refusal{{Fields: []string{"tls", "parameters"}, Message: "bad is refused"}}, nil
		}
		return nil, nil
	})
	with := func(names ...string) *v1alpha1.Database {
		return draftedDatabase(func(d *v1alpha1.Database) {
			d.Spec.Parameters = map[string]v1alpha1.ParameterValue{}
			for _, name := range names {
				d.Spec.Parameters[name] = "1"
			}
		})
	}
	refusals, warnings, err := a.Object(t.Context(), with("bad"), with("bad", "good"))
	if err != nil || len(refusals) > 0 || fmt.Sprint(warnings) != "[spec.parameters: bad is refused]" {
		t.Errorf("another entry: refusals %q, warnings %q, %v", refusals, warnings, err)
	}
	if refusals, _, err := a.Object(t.Context(), with("good"), with("bad", "good")); err != nil || len(refusals) != 1 {
		t.Errorf("the entry itself: refusals %q, %v", refusals, err)
	}
}

// All that a driver says of a field is told. Where it can't say, the object passes with a warning, and what its class refuses stays refused.
func TestAllRefusalsAreTold(t *testing.T) {
	two := func(Tree, string) ([]driver.Refusal, error) {
		return []driver.Refusal{{Fields: []string{"version"}, Message: "one"}, {Fields: []string{"version", "engine"}, Message: "two"}}, nil
	}
	d := draftedDatabase(func(d *v1alpha1.Database) { d.Spec.Version = new("16") })
	if refusals, _, err := refusing(t, two).Object(t.Context(), nil, d); err != nil || len(refusals) != 2 {
		t.Errorf("%q, %v", refusals, err)
	}
	broken := errors.New("the pipe broke")
	a := refusing(t, func(Tree, string) ([]driver.Refusal, error) { return nil, broken })
	refusals, warnings, err := a.Object(t.Context(), nil, d)
	if err != nil || len(refusals) > 0 || len(warnings) != 1 || !strings.Contains(warnings[0], "could not check") {
		t.Errorf("refusals %q, warnings %q, %v", refusals, warnings, err)
	}
	a.Resolver.References = func(string) References {
		return References{"aws.caCertificateIdentifier": {Sort: driver.ReferenceRole}}
	}
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "aws"}
	d.Spec.AWS = &v1alpha1.DatabaseAWS{CACertificateIdentifier: new("of-somebody")}
	refusals, warnings, err = a.Object(t.Context(), nil, d)
	if err != nil || len(refusals) != 1 || refusals[0].Field != "spec.aws.caCertificateIdentifier" || len(warnings) != 1 {
		t.Errorf("beside what is not allowed: refusals %q, warnings %q, %v", refusals, warnings, err)
	}
}

// The location is that of what is there, or else what the spec says, or the region of the account. It counts where the driver says so.
func TestLocationOfADraft(t *testing.T) {
	a := refusing(t, func(_ Tree, location string) ([]driver.Refusal, error) {
		return []driver.Refusal{{Fields: []string{"encryption.key", "location"}, Message: "in " + location}}, nil
	})
	key := func(d *v1alpha1.Database) { d.Spec.Encryption = &v1alpha1.Encryption{Key: new("k")} }
	for want, edit := range map[string]func(*v1alpha1.Database){
		"eu-central-1": func(*v1alpha1.Database) {},
		"eu-west-1":    func(d *v1alpha1.Database) { d.Spec.Location = new("eu-west-1") },
		"us-east-1": func(d *v1alpha1.Database) {
			d.Status.Location, d.Status.Observed = "us-east-1", &v1alpha1.DatabaseParameters{}
		},
		"us-east-2": func(d *v1alpha1.Database) { d.Status.Location = "us-east-2" },
		"us-west-1": func(d *v1alpha1.Database) { d.Status.Location, d.Spec.Location = "us-west-2", new("us-west-1") },
	} {
		d := draftedDatabase(func(d *v1alpha1.Database) { key(d); edit(d) })
		refusals, _, err := a.Object(t.Context(), nil, d)
		if err != nil || fmt.Sprint(refusals) != "[spec.encryption.key: in "+want+"]" {
			t.Errorf("%v, %v, want in %s", refusals, err, want)
		}
	}
	old := draftedDatabase(func(d *v1alpha1.Database) { key(d) })
	moved := draftedDatabase(func(d *v1alpha1.Database) { key(d); d.Spec.Location = new("eu-west-1") })
	if refusals, _, err := a.Object(t.Context(), old, moved); err != nil || len(refusals) != 1 {
		t.Errorf("a location that comes: %v, %v", refusals, err)
	}
}

// A class is warned of what the cloud refuses of objects that leave all to it, once, in each account that there is.
func TestWarningsOfAClass(t *testing.T) {
	object := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
	object.Spec.Defaults = &v1alpha1.DatabaseParameters{Version: new("bad1")}
	object.Spec.Accounts = []v1alpha1.ClassAccount{{ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "absent"}}, {ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "one"}},
		{ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: "two"}}}
	c, err := Of(object)
	if err != nil {
		t.Fatal(err)
	}
	a := refusing(t, oneAtATime)
	a.Place = func(_ context.Context, _ client.Reader, ref *v1alpha1.ProviderConfigReference, _ *v1alpha1.BoundProviderConfig, _ string) (Place, error) {
		if ref.Name == "absent" {
			return Place{}, nil
		}
		return Place{Cloud: "aws"}, nil
	}
	warnings, err := a.unsound(t.Context(), c)
	if want := "[objects that leave spec.version to this class are refused by the cloud: bad1 is refused]"; err != nil || fmt.Sprint(warnings) != want {
		t.Errorf("%v, %v, want %s", warnings, err, want)
	}
}
