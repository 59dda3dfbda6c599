package driver

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
)

// refers checks what a row says of the other cloud object that its field names.
func (v *validation) refers(row Field, spec reflect.Type) {
	members := []string{}
	if entry := fieldpath.Entry(spec, row.Field); entry != nil {
		members = fieldpath.Leaves(entry)
	}
	for _, path := range slices.Sorted(maps.Keys(row.Referrers())) {
		by := row.Referrers()[path]
		if by.In != "" && !slices.Contains(members, by.In) {
			v.add("the row for %q says that %q in each entry names a cloud object, which is no member of its entries; correct it", row.Field, by.In)
		}
	}
	if row.Refers != "" && !row.Refers.Known() {
		v.add("the row for %q refers to %q, which is no sort of cloud object; choose one of %q", row.Field, row.Refers, References)
	}
	for _, further := range row.Further {
		if row.ReferredIn == "" || further.In == "" || further.In == row.ReferredIn || !further.Sort.Known() {
			v.add("the row for %q has %+v in Further, beside ReferredIn %q: each names a field of its own and a sort out of %q; correct it", row.Field, further, row.ReferredIn, References)
		}
	}
	if row.ReferredIn != "" && row.Refers == "" {
		v.add("the row for %q has ReferredIn %q and lacks Refers; correct it", row.Field, row.ReferredIn)
	}
	if _, err := regexp.Compile(row.Indirect); err != nil || row.Indirect != "" && row.Refers == "" {
		v.add("the row for %q has the expression %q in Indirect, which is none or lacks Refers; correct it", row.Field, row.Indirect)
	}
}

// paths checks that each path by which a class allows a reference, or gives a value that only it may give, means one thing.
func (v *validation) paths(r Resource) {
	of := map[string]string{}
	add := func(path, what string) {
		if other, known := of[path]; known {
			v.add("the path %q is %s and %s, so that a class could not tell them apart; correct one", path, other, what)
		}
		of[path] = what
	}
	reserved := map[string]bool{}
	for _, one := range r.Reserved {
		reserved[one.Field] = true
		add(one.Field, "Reserved")
	}
	for _, row := range r.Fields {
		if row.Refers != "" || !reserved[row.Field] { // what only the class sets has a row, which names nothing
			add(row.Field, fmt.Sprintf("the row for %q", row.Field))
		}
		for _, further := range row.Further {
			add(row.Field+"."+further.In, fmt.Sprintf("Further of the row for %q", row.Field))
		}
	}
}

// reserved checks that what only the platform team sets is of the spec.
func (v *validation) reserved(all []Reserved, leaves []string) {
	for _, reserved := range all {
		if !slices.Contains(leaves, reserved.Field) {
			v.add("Reserved names %q, which is no field of the spec; correct it", reserved.Field)
		}
		if reserved.Most != "" && !slices.Contains(leaves, reserved.Most) {
			v.add("Reserved names the number %q, which is no field of the spec; correct it", reserved.Most)
		}
		if reserved.Value == "" || reserved.Does == "" {
			v.add("Reserved does not say of %q which value, or what that does; set both of Value and Does", reserved.Field)
		}
	}
}
