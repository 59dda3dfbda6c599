package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The files, beside this one.
const (
	folder       = "test/upstream"
	recordedFile = "recorded.txt"
	leftOutFile  = "left-out.txt"
)

// errStale says that what is recorded is not what the SDKs say.
var errStale = errors.New(recordedFile + " is not what the pinned SDKs say: decide about what is new (add it, or name it in " + folder + "/" + leftOutFile +
	"), and write the new state by `make upstream UPDATE=1`")

func main() {
	update := flag.Bool("update", false, "write the state of the pinned SDKs into "+recordedFile)
	flag.Parse()
	if err := run(context.Background(), os.Stdout, ".", *update); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "upstream: %v\n", err)
		os.Exit(1)
	}
}

// run compares the SDKs with what is recorded in the repository at root, and prints the comparison.
func run(ctx context.Context, out io.Writer, root string, update bool) error {
	have, err := survey(ctx, root)
	if err != nil {
		return err
	}
	r, err := compare(root, have)
	if err != nil {
		return err
	}
	_, _ = io.WriteString(out, r.String())
	switch {
	case len(r.stale) > 0:
		return fmt.Errorf("%s: remove what leaves out nothing any more:\n  %s", leftOutFile, strings.Join(r.stale, "\n  "))
	case !r.changed():
		return nil
	case !update:
		return errStale
	}
	path := filepath.Join(root, folder, recordedFile)
	if err := os.WriteFile(path, []byte(have.text()), 0o644); err != nil { //nolint:gosec // it is checked in
		return err
	}
	_, _ = fmt.Fprintf(out, "\nWrote %s.\n", path)
	return nil
}

// compare judges what the SDKs say by the files of the repository.
func compare(root string, have *model) (*report, error) {
	recorded, err := os.ReadFile(filepath.Join(root, folder, recordedFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, folder, leftOutFile))
	if err != nil {
		return nil, err
	}
	patterns, err := parsePatterns(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", leftOutFile, err)
	}
	return newReport(have, string(recorded), patterns), nil
}
