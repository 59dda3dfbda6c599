package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The size of a file can be seen while a line is half written. What is read from there on begins with a whole line.
func TestMarkBeforeALineThatIsBeingWritten(t *testing.T) {
	event := func(name string) string {
		return `{"verb":"get","objectRef":{"resource":"buckets","name":"` + name + `"}}` + "\n"
	}
	for _, before := range []string{
		"", event("first"), strings.Repeat(event("a"), 9), event(strings.Repeat("a", 4090)) + event("first"),
	} {
		log := &AuditLog{path: filepath.Join(t.TempDir(), "audit.log")}
		for written := range event("second") {
			if err := os.WriteFile(log.path, []byte(before+event("second")[:written]), 0o600); err != nil {
				t.Fatal(err)
			}
			mark, err := log.Mark()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(log.path, []byte(before+event("second")+event("third")), 0o600); err != nil {
				t.Fatal(err)
			}
			since, err := log.Since(mark)
			if err != nil || len(since) != 2 || since[0].Name != "second" {
				t.Errorf("after %d bytes of a line: %v, %v; want two requests, the first of second", written, since, err)
			}
		}
	}
	long := &AuditLog{path: filepath.Join(t.TempDir(), "audit.log")}
	if err := os.WriteFile(long.path, []byte(event("first")+strings.Repeat("x", 10_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if mark, err := long.Mark(); err != nil || int(mark) != len(event("first")) {
		t.Errorf("mark %d, %v; want %d, the end of the first line", mark, err, len(event("first")))
	}
}
