package cluster

import (
	"bytes"
	"io"
	"os"
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

// A program that can call a method by a name which is only known at run time keeps every exported method of every type, for example all
// operations of the cloud SDKs. Go's templates do that when they are executed.
func TestNoMethodIsCalledByName(t *testing.T) {
	path, err := BuildProgram(t.Context(), io.Discard, "cmd/mooring")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(program, []byte("text/template/parse")) {
		t.Error("the program does not name its functions, so this test can't fail")
	}
	if bytes.Contains(program, []byte("text/template.(*state).evalField")) {
		t.Error("the program executes templates, which makes it almost twice as large; find out by go build -ldflags=-dumpdep what does")
	}
}
