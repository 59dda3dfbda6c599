package kind

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Check returns what is wrong with the registered kinds and with the drivers' descriptions of them, each problem with
// its correction. It also reports drivers that were built for another version of the contract, and kinds of a driver
// that are not registered. It returns nil if nothing is wrong.
func Check(kinds []*Kind, drivers map[string]driver.Driver) error {
	var errs []error
	known := map[string]string{}
	for i, k := range kinds {
		if k == nil {
			errs = append(errs, fmt.Errorf("kind %d in the registry is nil; remove it from kind.All", i))
			continue
		}
		for _, wrong := range k.wrong() {
			errs = append(errs, fmt.Errorf("kind %q: %s", k.Name, wrong))
		}
		for _, name := range k.names() {
			if other, taken := known[name]; taken {
				errs = append(errs, fmt.Errorf("kind %q: %q is a name in kind %q already; remove one of them from kind.All, or correct the name", k.Name, name, other))
			}
			known[name] = k.Name
		}
	}
	return errors.Join(append(errs, unregistered(kinds, drivers)...)...)
}

// names returns the names that no other kind may have.
func (k *Kind) names() []string {
	names := []string{k.Name, k.Plural}
	if k.Class != nil {
		names = append(names, k.Class.Name, k.Class.Plural)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// wrong says what is wrong with a kind by itself.
func (k *Kind) wrong() (problems []string) {
	lacks := map[string]bool{
		"Name": k.Name == "", "Plural": k.Plural == "", "New": k.New == nil, "NewList": k.NewList == nil, "Binding": k.Binding == nil && k.connects(),
		"DeletionPolicy": k.DeletionPolicy == "", "WhenVanished": k.WhenVanished == "",
	}
	if c := k.Class; c != nil {
		maps.Copy(lacks, map[string]bool{"Class.Name": c.Name == "", "Class.Plural": c.Plural == "", "Class.New": c.New == nil, "Class.NewList": c.NewList == nil})
	}
	for _, name := range slices.Sorted(maps.Keys(lacks)) {
		if lacks[name] {
			problems = append(problems, name+" is not set; set it in the kind's file")
		}
	}
	if k.New != nil {
		problems = append(problems, made("New", k.New(), k.Name)...)
	}
	if k.NewList != nil {
		problems = append(problems, made("NewList", k.NewList(), k.Name+"List")...)
	}
	if k.Class != nil && k.Class.New != nil {
		problems = append(problems, made("Class.New", k.Class.New(), k.Class.Name)...)
	}
	if k.Class != nil && k.Class.NewList != nil {
		problems = append(problems, made("Class.NewList", k.Class.NewList(), k.Class.Name+"List")...)
	}
	return append(problems, k.wrongParent()...)
}

// connects reports whether the spec of the kind asks for a connection Secret.
func (k *Kind) connects() bool {
	if k.New == nil {
		return true
	}
	spec := reflect.TypeOf(k.New().GetSpec())
	if spec.Kind() == reflect.Pointer {
		spec = spec.Elem()
	}
	_, has := spec.FieldByName("Connection")
	return has
}

// made says that a constructor makes something else than its name says. The Go types of the API are called as the kinds are.
func made(constructor string, object any, name string) []string {
	of := reflect.TypeOf(object)
	switch {
	case of == nil || of.Kind() != reflect.Pointer || reflect.ValueOf(object).IsNil():
		return []string{fmt.Sprintf("%s makes nothing; let it return a pointer to a new %s", constructor, name)}
	case of.Elem().Name() != name:
		return []string{fmt.Sprintf("%s makes a %s; let it return a pointer to a new %s", constructor, of.Elem().Name(), name)}
	}
	return nil
}

// unregistered says which kinds drivers describe that nobody registered, or that differ from what was registered.
func unregistered(kinds []*Kind, drivers map[string]driver.Driver) (errs []error) {
	var names []string
	registered := map[string]*Kind{}
	for _, k := range kinds {
		if k != nil {
			names, registered[k.Name] = append(names, k.Name), k
		}
	}
	errs = wrongParents(registered)
	for _, cloud := range slices.Sorted(maps.Keys(drivers)) {
		d := drivers[cloud].Describe()
		if err := d.CheckContract(); err != nil {
			errs = append(errs, err)
		}
		for _, r := range d.Resources {
			k := registered[r.Kind]
			switch {
			case k == nil:
				errs = append(errs, fmt.Errorf("driver %q describes kind %q, which is not registered (registered are: %s); add it to kind.All, or remove it from the driver's description",
					cloud, r.Kind, strings.Join(names, ", ")))
			case r.Parent != k.parentKind():
				errs = append(errs, fmt.Errorf("driver %q says of kind %q that its parent is %q, and the registry that it is %q; set Parent in the kind's file or in the driver's description to the same kind",
					cloud, r.Kind, r.Parent, k.parentKind()))
			case r.Source != k.sourceKind():
				errs = append(errs, fmt.Errorf("driver %q says of kind %q that its source is %q, and the registry that it is %q; set Parent and Parent.Source in the kind's file, or Source in the driver's description, to the same kind",
					cloud, r.Kind, r.Source, k.sourceKind()))
			case r.Capabilities.Login != k.Login:
				errs = append(errs, fmt.Errorf("driver %q says of kind %q that a login is %t, and the registry that it is %t; set Login in the kind's file or Capabilities.Login in the driver's description to the same value",
					cloud, r.Kind, r.Capabilities.Login, k.Login))
			}
		}
	}
	return errs
}
