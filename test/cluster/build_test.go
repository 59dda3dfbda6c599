package cluster

import (
	"strings"
	"testing"
)

// What go downloads is nobody's progress; all else that a build says is passed on, whatever pieces it comes in.
func TestLines(t *testing.T) {
	var out strings.Builder
	l := &lines{out: &out}
	for _, piece := range []string{"go: down", "loading example.com/a v1\nmain.go:1: wrong\n", "go: downloading example.com/b v2\ngo: example.com/c: not found\n"} {
		if n, err := l.Write([]byte(piece)); err != nil || n != len(piece) {
			t.Fatal(n, err)
		}
	}
	if want := "main.go:1: wrong\ngo: example.com/c: not found\n"; out.String() != want {
		t.Errorf("it says %q, want %q", out.String(), want)
	}
}
