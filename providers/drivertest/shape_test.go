package drivertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An errorRecorder is a test that records errors in place of failing.
type errorRecorder struct {
	testing.TB
	errors []string
}

func (r *errorRecorder) Helper()                   {}
func (r *errorRecorder) Errorf(f string, _ ...any) { r.errors = append(r.errors, f) }

// A field that comes, goes or has another name or kind is another shape.
func TestShapeTellsMessagesApart(t *testing.T) {
	type inner struct{ Deep *int }
	type message struct {
		Name  string
		List  []inner
		Inner map[string]inner `json:"renamed,omitempty"`
		Local string           `json:"-"`
	}
	want := "message.List[].Deep? number\nmessage.Name string\nmessage.renamed{}.Deep? number"
	if got := strings.Join(Shape(t, message{}), "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	r := &errorRecorder{TB: t}
	if Shape(r, struct{ F func() }{}); len(r.errors) != 1 {
		t.Errorf("a function is taken for a message: %q", r.errors)
	}
}

// Messages that changed need another version, and -update alone does not help.
func TestFrozen(t *testing.T) {
	lines := []string{"a string", "b number"}
	for name, tt := range map[string]struct {
		recorded string
		version  int
		update   bool
		want     string // a part of the error; empty for none
		written  bool
	}{
		"the same":                        {"version 2\na string\nb number\n", 2, false, "", false},
		"changed":                         {"version 2\na string\n", 2, false, "raise driver.ContractVersion", false},
		"changed, to be recorded":         {"version 2\na string\n", 2, true, "raise driver.ContractVersion", false},
		"raised, not recorded":            {"version 1\na string\n", 2, false, "nothing is recorded of version", false},
		"raised, to be recorded":          {"version 1\na string\n", 2, true, "", true},
		"raised, and nothing has changed": {"version 1\na string\nb number\n", 2, true, "", true},
		"lowered":                         {"version 3\na string\nb number\n", 2, true, "versions are never lowered", false},
		"nothing yet":                     {"", 2, true, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "recorded.txt")
			if err := os.WriteFile(path, []byte(tt.recorded), 0o600); err != nil {
				t.Fatal(err)
			}
			r := &errorRecorder{TB: t}
			Frozen(r, path, tt.version, lines, tt.update)
			if text := strings.Join(r.errors, "\n"); (tt.want == "") != (text == "") || !strings.Contains(text, tt.want) {
				t.Errorf("got error %q, want %q", text, tt.want)
			}
			now, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if written := string(now) != tt.recorded; written != tt.written {
				t.Errorf("written: %t, want %t", written, tt.written)
			}
		})
	}
}
