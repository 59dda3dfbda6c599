package plan

import (
	"regexp"
	"strings"
	"testing"
)

// Names that were given must be given for ever: whoever changes one of these loses every cloud object that
// bears it. A failure here is never mended by changing the table.
func TestExternalNameIsFrozen(t *testing.T) {
	const cluster = "6d4b3f62-8c1e-4b57-9a39-1f0c8f2f4a10"
	for _, tt := range []struct {
		cluster, namespace, name string
		maxLength                int
		want                     string
	}{
		{cluster, "shop", "orders", 63, "shop-orders-tksr7pj957"},
		{cluster, "shop", "orders", 98, "shop-orders-tksr7pj957"},
		{"c1", "shop", "orders", 63, "shop-orders-shkpm47019"},
		{cluster, "a-b", "c", 63, "a-b-c-skpvjdmlom"},
		{cluster, "a", "b-c", 63, "a-b-c-fbeer3bgje"},
		{cluster, "1st", "2nd", 63, "m1st-2nd-fd2g5bt4r5"},
		{cluster, "team", "a--b---c", 63, "team-a-b-c-n33fv1f5ic"},
		{cluster, "production-europe-west", "customer-orders-and-invoices-archive", 63, "production-europe-west-customer-orders-and-invoices-cfceg3fnem"},
		{cluster, "production-europe-west", "customer-orders-and-invoices-archive", 40, "production-europe-west-custom-cfceg3fnem"},
		{cluster, strings.Repeat("n", 63), strings.Repeat("o", 63), 63, "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn-lp5vgpn13b"},
		{cluster, strings.Repeat("n", 51), "o", 63, "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn-n70scif6v2"}, // the cut falls on the hyphen
	} {
		if got := ExternalName(tt.cluster, tt.namespace, tt.name, tt.maxLength); got != tt.want {
			t.Errorf("ExternalName(%q, %q, %q, %d) = %q, want %q", tt.cluster, tt.namespace, tt.name, tt.maxLength, got, tt.want)
		}
	}
}

func TestScopedNameIsFrozen(t *testing.T) {
	const cluster, suffix = "6d4b3f62-8c1e-4b57-9a39-1f0c8f2f4a10", "-123456789012-eu-central-1-an"
	for _, tt := range []struct{ namespace, name, suffix, want string }{
		{"shop", "orders", suffix, "shop-orders-tksr7pj957-123456789012-eu-central-1-an"},
		{"1st", "2nd", suffix, "m1st-2nd-fd2g5bt4r5-123456789012-eu-central-1-an"},
		{"production-europe-west", "customer-orders-and-invoices-archive", suffix, "production-europe-west-cfceg3fnem-123456789012-eu-central-1-an"},
		{"production-europe-west", "customer-orders-and-invoices-archive", "-123456789012-ap-southeast-2-an", "production-europe-wes-cfceg3fnem-123456789012-ap-southeast-2-an"},
		{"shop", "orders", "-" + strings.Repeat("x", 60), "s-tksr7pj957-" + strings.Repeat("x", 60)}, // no room: the cloud refuses it
	} {
		got := ScopedName(cluster, tt.namespace, tt.name, 63, tt.suffix)
		if got != tt.want || len(got) > 63 && len(tt.suffix) < 52 {
			t.Errorf("ScopedName(%q, %q, %q) = %q, want %q", tt.namespace, tt.name, tt.suffix, got, tt.want)
		}
	}
}

// Nobody takes the name that another object will have. Names that only look like one are everybody's.
func TestNamesOfOthers(t *testing.T) {
	const cluster = "6d4b3f62-8c1e-4b57-9a39-1f0c8f2f4a10"
	long := ExternalName(cluster, "production-europe-west", "customer-orders-and-invoices-archive", 63)
	for chosen, want := range map[string]bool{
		"shop-orders-tksr7pj957":                                        true,
		"a-b-c-skpvjdmlom":                                              true,  // of a-b/c
		"a-b-c-fbeer3bgje":                                              true,  // of a/b-c
		"m1st-2nd-fd2g5bt4r5":                                           true,  // of 1st/2nd
		"shop-orders-shkpm47019":                                        false, // of another cluster
		ExternalName(cluster, "team", "own", 63):                        false, // its own
		ExternalName(cluster, "team", "other", 63):                      false, // of its namespace
		ExternalName(cluster, "team", strings.Repeat("other-", 12), 63): false,
		long:                     true,
		"shop-orders-production": false, // ten letters that a hash may have
		"shop-orders-2024backup": false,
		"shop-orders":            false,
		"production":             false,
		"-production":            false,
		"":                       false,
		"customers-" + strings.Repeat("x", 42) + "-production": false, // as long as a name that was cut
	} {
		if got := IsNameOfOthers(cluster, "team", chosen, 63); got != want {
			t.Errorf("%q is the name of an object of another namespace: %t, want %t", chosen, got, want)
		}
	}
}

func TestScopedNamesOfOthers(t *testing.T) {
	const cluster, suffix = "6d4b3f62-8c1e-4b57-9a39-1f0c8f2f4a10", "-123456789012-eu-central-1-an"
	for chosen, want := range map[string]bool{
		"shop-orders-tksr7pj957" + suffix:                  true,
		"shop-orders-tksr7pj957-123456789012-us-east-1-an": false, // elsewhere
		"shop-orders-tksr7pj957":                           false,
		"shop-orders" + suffix:                             false,
		ScopedName(cluster, "team", "own", 63, suffix):     false,
		ScopedName(cluster, "production-europe-west", "customer-orders-and-invoices-archive", 63, suffix): true,
		ScopedName(cluster, "team", "customer-orders-and-invoices-archive", 63, suffix):                   false,
	} {
		if got := IsScopedNameOfOthers(cluster, "team", chosen, 63, suffix); got != want {
			t.Errorf("%q is the name of an object of another namespace: %t, want %t", chosen, got, want)
		}
	}
	IsScopedNameOfOthers(cluster, "team", "shop-orders-tksr7pj957-x", 8, "-x") // a suffix that leaves no room is no panic
}

func TestSnapshotNameIsFrozen(t *testing.T) {
	for _, tt := range []struct{ name, uid, want string }{
		{"shop-orders-0123456789", "6d4b3f62-8c1e-4b57-9a39-1f0c8f2f4a10", "shop-orders-0123456789-final-6d4b3f62"},
		{"shop-orders-0123456789", "6d4b-3f62-8c1e", "shop-orders-0123456789-final-6d4b3f62"},
		{"o", "u1", "o-final-u1"},
	} {
		if got := SnapshotName(tt.name, tt.uid); got != tt.want {
			t.Errorf("SnapshotName(%q, %q) = %q, want %q", tt.name, tt.uid, got, tt.want)
		}
	}
}

// cloudName is what every cloud takes as the name of a bucket or an instance (driver.NameRule).
var cloudName = regexp.MustCompile(`^[a-z]([a-z0-9]|-[a-z0-9])*$`)

// kubernetesName is what the API server takes as a namespace, and our CRDs as a name.
var kubernetesName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func FuzzExternalName(f *testing.F) {
	f.Add("c1", "shop", "orders", "shop-orders", "x", 63)
	f.Add("c1", "a-b", "c", "a", "b-c", 63)
	f.Add("c1", "1", "2", "m1", "2", 20)
	f.Add("c1", "a--b", "c", "a-b", "c", 63)
	f.Add("c1", strings.Repeat("n", 63), strings.Repeat("o", 63), strings.Repeat("n", 63), strings.Repeat("o", 62), 63)
	f.Add("c1", "n-----------", "o", "n", "o", 14)
	f.Fuzz(func(t *testing.T, cluster, namespace, name, otherNamespace, otherName string, maxLength int) {
		for _, part := range []string{namespace, name, otherNamespace, otherName} {
			if !kubernetesName.MatchString(part) {
				t.Skip()
			}
		}
		if maxLength < shortestName || maxLength > 200 {
			t.Skip()
		}
		got := ExternalName(cluster, namespace, name, maxLength)
		if len(got) > maxLength || !cloudName.MatchString(got) {
			t.Errorf("%s/%s, at most %d: %q is no name of a cloud", namespace, name, maxLength, got)
		}
		if again := ExternalName(cluster, namespace, name, maxLength); again != got {
			t.Errorf("%q, then %q", got, again)
		}
		other := ExternalName(cluster, otherNamespace, otherName, maxLength)
		if same := namespace == otherNamespace && name == otherName; same != (got == other) {
			t.Errorf("%s/%s is %q, %s/%s is %q", namespace, name, got, otherNamespace, otherName, other)
		}
		if elsewhere := ExternalName(cluster+"x", namespace, name, maxLength); elsewhere == got {
			t.Errorf("two clusters share %q", got)
		}
	})
}
