package kind

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/config/crd"
	"github.com/mooring-dev/mooring/config/rbac"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

func TestCheck(t *testing.T) {
	memory := map[string]driver.Driver{"aws": mem.New(mem.Options{}).Driver()}
	for _, tc := range []struct {
		name  string
		kinds func() []*Kind
		want  []string // words of the error; none for no error
	}{
		{"all", All, nil},
		{"a kind without a class", func() []*Kind { return changed(func(b *Kind) { b.Class = nil }) }, nil},
		{"nil", func() []*Kind { return append(All(), nil) }, []string{fmt.Sprintf("kind %d in the registry is nil", len(All())), "remove it"}},
		{"the same twice", func() []*Kind { return append(All(), Bucket()) }, []string{`kind "Bucket"`, `"buckets" is a name`, "remove one"}},
		{"the plural of another", func() []*Kind { return changed(func(b *Kind) { b.Plural = "databases" }) }, []string{`kind "Bucket": "databases" is a name in kind "Database"`}},
		{"no name", func() []*Kind { return changed(func(b *Kind) { b.Name = "" }) }, []string{"Name is not set", `describes kind "Bucket", which is not registered`}},
		{"no constructors", func() []*Kind { return changed(func(b *Kind) { b.New, b.NewList = nil, nil }) }, []string{"New is not set", "NewList is not set"}},
		{"no Binding and no defaults", func() []*Kind {
			return changed(func(b *Kind) { b.Binding, b.DeletionPolicy, b.WhenVanished = nil, "", "" })
		}, []string{
			"Binding is not set", "DeletionPolicy is not set", "WhenVanished is not set"}},
		{"half a class", func() []*Kind { return changed(func(b *Kind) { b.Class = &Class{Name: "BucketClass"} }) }, []string{
			"Class.Plural is not set", "Class.New is not set", "Class.NewList is not set"}},
		{"a constructor of another kind", func() []*Kind {
			return changed(func(b *Kind) {
				b.New = func() v1alpha1.ResourceObject { return &v1alpha1.Database{} }
				b.Class.NewList = func() client.ObjectList { return &v1alpha1.BucketList{} }
			})
		}, []string{"New makes a Database", "Class.NewList makes a BucketList; let it return a pointer to a new BucketClassList"}},
		{"a constructor that makes nothing", func() []*Kind {
			return changed(func(b *Kind) { b.New = func() v1alpha1.ResourceObject { return (*v1alpha1.Bucket)(nil) } })
		}, []string{"New makes nothing"}},
		{"a driver of a kind that is not registered", func() []*Kind { return []*Kind{Database()} }, []string{`driver "aws" describes kind "Bucket"`, "registered are: Database", "add it to kind.All"}},
		{"a login that the registry does not know", func() []*Kind {
			d := Database()
			d.Login = false
			return []*Kind{d, Bucket()}
		}, []string{`driver "aws" says of kind "Database" that a login is true`, "set Login"}},
		{"a parent that the driver does not know", func() []*Kind { return changed(within("Database")) }, []string{
			`driver "aws" says of kind "Bucket" that its parent is "", and the registry that it is "Database"; set Parent`}},
		{"a class and a parent", func() []*Kind {
			return changed(func(b *Kind) { within("Database")(b); b.Class = Bucket().Class })
		}, []string{`kind "Bucket": it has a class and a parent`}},
		{"half a parent", func() []*Kind { return changed(func(b *Kind) { b.Class, b.Parent = nil, &Parent{Kind: "Database"} }) }, []string{
			"Parent.Field is not set", "Parent.Name is not set", "Parent.Status is not set"}},
		{"a parent that the policies don't know", func() []*Kind {
			return changed(func(b *Kind) { within("Database")(b); b.Parent.Field = "databaseName" })
		}, []string{`Parent.Field is "databaseName"`, "such as databaseRef.name"}},
		{"a parent in a field that is no reference", func() []*Kind {
			return changed(func(b *Kind) { within("Database")(b); b.Parent.Field = "database.name" })
		}, []string{`Parent.Field is "database.name"`}},
		{"a parent whose status is nowhere", func() []*Kind {
			return changed(func(b *Kind) {
				within("Database")(b)
				b.Parent.Status = func(v1alpha1.ResourceObject) *v1alpha1.ParentStatus { return nil }
			})
		}, []string{"Parent.Status returns nil"}},
		{"a parent that is not registered", func() []*Kind { return changed(within("Queue")) }, []string{`kind "Bucket": its parent "Queue" is not registered; add it to kind.All`}},
		{"within itself", func() []*Kind { return changed(within("Bucket")) }, []string{`kind "Bucket": it is within itself: Bucket within Bucket; correct Parent`}},
		{"a login that no driver has", func() []*Kind { return changed(func(b *Kind) { b.Login = true }) },
			[]string{`driver "aws" says of kind "Bucket" that a login is false`, "set Login"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Check(tc.kinds(), memory)
			if (err == nil) != (len(tc.want) == 0) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}

// within gives a kind a parent in place of its class.
func within(parent string) func(*Kind) {
	return func(k *Kind) {
		k.Class = nil
		k.Parent = &Parent{
			Kind: parent, Field: "parentRef.name", Name: func(v1alpha1.ResourceObject) string { return "orders" },
			Status: func(v1alpha1.ResourceObject) *v1alpha1.ParentStatus { return &v1alpha1.ParentStatus{} },
		}
	}
}

// built is a driver that was built for a version of the contract.
type built struct {
	driver.Driver
	contract int
}

func (b built) Describe() driver.Description {
	d := b.Driver.Describe()
	d.Contract = b.contract
	return d
}

// A driver that was built for another version of the contract is refused. Its name and both versions are in the message.
func TestCheckRefusesAnotherContract(t *testing.T) {
	for _, version := range []int{0, driver.ContractVersion + 1} {
		err := Check(All(), map[string]driver.Driver{"aws": built{mem.New(mem.Options{}).Driver(), version}})
		if err == nil {
			t.Errorf("version %d is accepted", version)
			continue
		}
		for _, part := range []string{`driver "aws"`, fmt.Sprint("version ", version), fmt.Sprint("version ", driver.ContractVersion)} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("got %q, want %q in it", err, part)
			}
		}
	}
}

// changed returns all kinds, one of them changed.
func changed(change func(bucket *Kind)) []*Kind {
	kinds := All()
	for _, k := range kinds {
		if k.Name == "Bucket" {
			change(k)
		}
	}
	return kinds
}

// What is generated from markers and types knows every kind: the CustomResourceDefinitions, and the role.
func TestGeneratedFilesKnowEveryKind(t *testing.T) {
	role := string(rbac.Role)
	for _, k := range All() {
		plurals := []string{k.Plural}
		if k.Class != nil {
			plurals = append(plurals, k.Class.Plural)
		}
		for _, plural := range plurals {
			if _, err := crd.Files.ReadFile(v1alpha1.GroupVersion.Group + "_" + plural + ".yaml"); err != nil {
				t.Errorf("%s: %v; run make generate", k.Name, err)
			}
			if !strings.Contains(role, "- "+plural+"\n") || !strings.Contains(role, "- "+plural+"/status\n") {
				t.Errorf("%s: the role has nothing about %s; add the RBAC markers to the kind's file, and run make generate", k.Name, plural)
			}
		}
		if !strings.Contains(role, "- "+k.Definition()+"\n") {
			t.Errorf("%s: the role does not name %s; add it to the RBAC marker of All, and run make generate", k.Name, k.Definition())
		}
	}
}

// The API registers the same kinds: drivers, which know no registry, are checked against that.
func TestTheAPIKnowsEveryKind(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kinds := All()
	for _, object := range v1alpha1.ResourceObjects() {
		if !slices.ContainsFunc(kinds, func(k *Kind) bool { return k.Has(object) }) {
			t.Errorf("the API registers %T, and kind.All does not have it; add it there", object)
		}
	}
	for _, k := range kinds {
		if !slices.ContainsFunc(v1alpha1.ResourceObjects(), func(o v1alpha1.ResourceObject) bool { return k.Has(o) }) {
			t.Errorf("the API does not register %s; call register in the file of its type", k.Name)
		}
		objects := []runtime.Object{k.New(), k.NewList()}
		if k.Class != nil {
			objects = append(objects, k.Class.New(), k.Class.NewList())
		}
		for _, object := range objects {
			if _, _, err := scheme.ObjectKinds(object); err != nil {
				t.Errorf("%s: %v; call register in the file of its type", k.Name, err)
			}
		}
	}
}

func TestHas(t *testing.T) {
	for _, k := range All() {
		if !k.Has(k.New()) || k.HasClass(k.New()) {
			t.Errorf("%s does not know its own objects", k.Name)
		}
		if k.Class != nil && (!k.HasClass(k.Class.New()) || k.Has(k.Class.New())) {
			t.Errorf("%s does not know its own objects from its classes", k.Name)
		}
		for _, other := range All() {
			if other.Name != k.Name && (k.Has(other.New()) || other.Class != nil && k.HasClass(other.Class.New())) {
				t.Errorf("%s takes objects of %s", k.Name, other.Name)
			}
		}
		k.Class = nil
		if k.HasClass(Bucket().Class.New()) {
			t.Errorf("%s has no class, and takes one", k.Name)
		}
	}
}

func TestDeletion(t *testing.T) {
	for _, k := range All() {
		object := k.New()
		if got := k.Deletion(object); got != k.DeletionPolicy {
			t.Errorf("%s: got %q by default, want %q", k.Name, got, k.DeletionPolicy)
		}
	}
	b := &v1alpha1.Bucket{Spec: v1alpha1.BucketSpec{DeletionPolicy: v1alpha1.DeletionRetain}}
	if got := Bucket().Deletion(b); got != v1alpha1.DeletionRetain {
		t.Errorf("got %q, want what the spec says", got)
	}
}
