package drivertest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Shape returns how messages are written on a wire: a line for each of their fields. A field of a struct of another package has that
// package's name for it: name what is not recorded otherwise as a message, too. A spec needs no record, since driver.Check demands a row for each of
// its fields.
func Shape(t testing.TB, messages ...any) (lines []string) {
	t.Helper()
	for _, message := range messages {
		typ := reflect.TypeOf(message)
		lines = append(lines, shape(t, typ.Name(), typ, typ.PkgPath())...)
	}
	slices.Sort(lines)
	return lines
}

func shape(t testing.TB, path string, typ reflect.Type, home string) (lines []string) {
	t.Helper()
	switch typ {
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[driver.Spec]():
		return []string{path + " JSON"}
	case reflect.TypeFor[time.Time]():
		return []string{path + " time"}
	case reflect.TypeFor[[]byte]():
		return []string{path + " base64"}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return shape(t, path+"?", typ.Elem(), home)
	case reflect.Slice:
		return shape(t, path+"[]", typ.Elem(), home)
	case reflect.Map:
		return shape(t, path+"{}", typ.Elem(), home)
	case reflect.String:
		return []string{path + " string"}
	case reflect.Bool:
		return []string{path + " boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64:
		return []string{path + " number"}
	case reflect.Struct:
	default:
		t.Errorf("%s is a %v, which can't cross a wire", path, typ)
		return nil
	}
	if typ.PkgPath() != home {
		return []string{path + " " + typ.String()}
	}
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
			continue
		case f.Anonymous && name == "":
			lines = append(lines, shape(t, path, f.Type, home)...)
			continue
		case name == "":
			name = f.Name
		}
		lines = append(lines, shape(t, path+"."+name, f.Type, home)...)
	}
	return lines
}

// Frozen compares lines with what was recorded of them for a version of the contract, in a file of which the first line has the version.
// Lines that differ need another version; then update, which is the test's flag -update, records them.
func Frozen(t testing.TB, path string, version int, lines []string, update bool) {
	t.Helper()
	want := strings.Join(append([]string{fmt.Sprintf("version %d", version)}, lines...), "\n") + "\n"
	recorded, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	before, was := string(recorded), 0
	_, _ = fmt.Sscanf(before, "version %d", &was)
	first, old, _ := strings.Cut(before, "\n")
	_, now, _ := strings.Cut(want, "\n")
	switch {
	case before == want:
	case was > version:
		t.Errorf("%s was recorded as %q, and driver.ContractVersion is %d: versions are never lowered", path, first, version)
	case was == version && old != now:
		t.Errorf("messages differ from what version %d of the contract has: raise driver.ContractVersion, then run this test with -update (-%s +now):\n%s",
			version, path, cmp.Diff(strings.Split(old, "\n"), strings.Split(now, "\n")))
	case !update:
		t.Errorf("nothing is recorded of version %d of the contract: run this test with -update, and commit %s", version, path)
	default:
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
