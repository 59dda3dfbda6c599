package tenancy

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	kinds "github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/providers/mem"
)

// namesAnother tells by its name that a field may name another cloud object.
var namesAnother = regexp.MustCompile(`(?i)(^|\.)([a-z]*(key|keyarn|rolearn|arn|network|networks|groupname|groupids|iprange|secretarn))$`)

// notNames are fields that seem to name another cloud object by their own names, and why they do not.
var notNames = map[string]string{"aws.bucketKey": "it is true or false", "gcp.ipFilter.allowCrossOrgNetworks": "it is true or false"}

// namesAnotherInEntry tells the same of a field of the objects in a list.
var namesAnotherInEntry = regexp.MustCompile(`(?i)(key|keyid|arn|role|network|subnet|bucket|topic|queue|function|project|serviceaccount|attachment|secret)s?$`)

// notNamesInEntry are fields of objects in lists that seem to name another cloud object, and why they do not.
var notNamesInEntry = map[string]string{
	"aws.metrics.accessPointARN": "it says which requests to the bucket are counted, and S3 makes nothing with the access point",
}

// A field that names another cloud object says so, also one of the objects in a list.
func TestReferencesAreMarked(t *testing.T) {
	entries := 0
	for _, drv := range []driver.Driver{aws.New(aws.Options{}), gcp.New(gcp.Options{}), mem.New(mem.Options{}).Driver()} {
		for _, resource := range drv.Describe().Resources {
			for _, field := range resource.Fields {
				if namesAnother.MatchString(field.Field) && field.Refers == "" && notNames[field.Field] == "" {
					t.Errorf("%T: %s %s seems to name another cloud object: say in its row to what it refers", drv, resource.Kind, field.Field)
				}
				for _, in := range textsOfEntries(t, resource.Kind, field.Field) {
					entries++
					if namesAnotherInEntry.MatchString(in) && !marks(field, in) && notNamesInEntry[field.Field+"."+in] == "" {
						t.Errorf("%T: %s %s.%s seems to name another cloud object: say in the row of the list to what it refers", drv, resource.Kind, field.Field, in)
					}
				}
			}
		}
	}
	if entries == 0 {
		t.Error("no list has objects with texts")
	}
}

// marks reports whether a list says of a field of its objects that it names another cloud object. A mark of a whole field is of all that it holds.
func marks(list driver.Field, in string) bool {
	for _, by := range list.Referrers() {
		if by.In == "" || by.In == in || strings.HasPrefix(in, by.In+".") {
			return true
		}
	}
	return false
}

// textsOfEntries returns the fields of the objects in a list that hold texts, as dotted paths; none if the field of a kind is no list of objects.
func textsOfEntries(t *testing.T, of, field string) (paths []string) {
	t.Helper()
	at := slices.IndexFunc(kinds.All(), func(k *kinds.Kind) bool { return k.Name == of })
	if at < 0 {
		t.Fatalf("there is no kind %s", of)
	}
	typ := reflect.TypeOf(kinds.All()[at].New().GetParameters())
	for step := range strings.SplitSeq(field, ".") {
		if typ = memberOf(typ, step); typ == nil {
			return nil // what only the driver has, such as the username
		}
	}
	if typ.Kind() != reflect.Slice {
		return nil
	}
	return textsOf(typ.Elem(), "")
}

// memberOf returns the type of a field by its name in the spec, without pointers; nil if there is none.
func memberOf(typ reflect.Type, name string) reflect.Type {
	if typ = pointedTo(typ); typ.Kind() != reflect.Struct {
		return nil
	}
	for f := range typ.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name {
			return pointedTo(f.Type)
		}
		if tag == "" && f.Anonymous {
			if found := memberOf(f.Type, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// textsOf returns the paths to the texts in a type: by the names of its fields in the spec, and through lists and maps.
func textsOf(typ reflect.Type, at string) (paths []string) {
	switch typ = pointedTo(typ); typ.Kind() {
	case reflect.String:
		return []string{at}
	case reflect.Slice, reflect.Map:
		return textsOf(typ.Elem(), at)
	case reflect.Struct:
		for f := range typ.Fields() {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			paths = append(paths, textsOf(f.Type, strings.Trim(at+"."+tag, "."))...)
		}
	}
	return paths
}

func pointedTo(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ
}
