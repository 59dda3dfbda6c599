package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// contentOf returns the files below a folder, by their paths; a folder has a slash and no content.
func contentOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := check.Need(filepath.Rel(folder, path))(t)
		if entry.IsDir() {
			all[name+"/"] = ""
			return nil
		}
		all[name] = string(check.Need(os.ReadFile(path))(t))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A template gives the same data as often as it is asked, also after what it was made of is gone, and leaves no file that somebody must remove.
func TestATemplateOutlivesWhatItWasMadeOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	for _, folder := range []string{data, filepath.Join(data, "base"), filepath.Join(data, "empty")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"version": "15\n", "base/one": "first", "base/two": "", "base/z": "last"} {
		if err := os.WriteFile(filepath.Join(data, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := contentOf(t, data)
	empty := check.Need(pack(data, dir))(t)
	defer func() { _ = empty.content.Close() }()
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if left := contentOf(t, dir); len(left) != 1 {
		t.Errorf("the template left %v", left)
	}
	for _, as := range []string{"one", "two"} {
		to := filepath.Join(dir, as)
		if err := empty.unpack(t.Context(), &home{}, to); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contentOf(t, to)); diff != "" {
			t.Error(diff)
		}
		if err := empty.unpack(t.Context(), &home{}, to); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over data that are there: %v, want %v", err, fs.ErrExist)
		}
	}
}

// All clouds of a process share one template of a database system; a failure of one of them is not kept for the others.
func TestATemplateIsMadeOnceForAllClouds(t *testing.T) {
	t.Parallel()
	s, system, failure := &templateStore{shelves: map[dbms]*templateShelf{}}, postgres{bin: "here"}, errors.New("closed meanwhile")
	if _, err := s.of(t.Context(), system, func() (*template, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
	made := 0
	var all sync.WaitGroup
	got := make([]*template, 5)
	for i := range got {
		all.Go(func() {
			got[i], _ = s.of(t.Context(), system, func() (*template, error) { made++; return &template{}, nil })
		})
	}
	all.Wait()
	for _, one := range got {
		if one == nil || one != got[0] || made != 1 {
			t.Fatalf("%d templates were made: %v", made, got)
		}
	}
	if other, err := s.of(t.Context(), postgres{bin: "there"}, func() (*template, error) { return &template{}, nil }); err != nil || other == got[0] {
		t.Errorf("another program has the same template, %v", err)
	}
	// Whoever waits for another's says so when it gives up.
	s.shelf(system).turn <- struct{}{}
	reason := errors.New("took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if _, err := s.of(ctx, system, nil); !errors.Is(err, reason) {
		t.Errorf("got %v, want %v", err, reason)
	}
}

// A server of another cloud of the process begins with the empty data that are there, not with those that the first cloud's servers have written since.
func TestASecondCloudBeginsEmpty(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			for range 2 {
				e := testEngines(t, false)
				got := mustStart(t, e, Spec{ID: "db", Engine: w.name, Username: w.admin, Password: password, Database: "orders"})
				if _, err := w.query(t, at(got), w.admin, password, "orders", w.create); err != nil {
					t.Error(err)
				}
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What a server says of itself is read from its lock file, also while the file is being written.
func TestStatusOfPostgres(t *testing.T) {
	t.Parallel()
	const lock = "4711\n/data\n1764313200\n5432\n/socket\n127.0.0.1\n  12345  6\n"
	for content, want := range map[string]string{lock + "ready   \n": "ready", lock + "standby \n": "standby", lock + "starting\n": "starting", lock: "", "4711\n": "", "": ""} {
		file := filepath.Join(t.TempDir(), "postmaster.pid")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := check.Need(postgresStatus(file))(t); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
	if _, err := postgresStatus(filepath.Join(t.TempDir(), "postmaster.pid")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v, want %v", err, fs.ErrNotExist)
	}
}
