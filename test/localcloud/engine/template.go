package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A template is the empty data folder of a database system: every new server begins as a copy. Making one takes seconds of processor and disk, copying it a tenth of one, so a process makes
// each once for all its clouds. The content is in a file that has no name, which goes with the process, however that ends.
type template struct {
	content *os.File
	entries []templateEntry // a folder comes before what is in it
}

// A templateEntry is a folder or a file, whose bytes begin at an offset of the content.
type templateEntry struct {
	path         string // below the data folder
	folder       bool
	offset, size int64
}

// pack makes a template of a data folder. The content lies in the folder dir, without a name.
func pack(data, dir string) (_ *template, err error) {
	content, err := os.CreateTemp(dir, "template-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, content.Close())
		}
	}()
	if err := os.Remove(content.Name()); err != nil {
		return nil, err
	}
	t := &template{content: content}
	end := int64(0)
	return t, filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		next := templateEntry{path: strings.TrimPrefix(path, data), folder: entry.IsDir(), offset: end}
		switch {
		case next.folder:
		case entry.Type().IsRegular():
			if next.size, err = appendFile(content, path); err != nil {
				return err
			}
		default:
			return fmt.Errorf("copy %q: neither a folder nor a file", path)
		}
		end += next.size
		t.entries = append(t.entries, next)
		return nil
	})
}

func appendFile(to *os.File, path string) (int64, error) {
	from, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = from.Close() }()
	return io.Copy(to, from)
}

// unpack makes a data folder, which does not exist, as it was packed.
func (t *template) unpack(ctx context.Context, h *home, data string) error {
	for _, entry := range t.entries {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		target := data + entry.path
		var err error
		if entry.folder {
			err = os.Mkdir(target, 0o700)
		} else {
			err = writeFile(target, io.NewSectionReader(t.content, entry.offset, entry.size))
		}
		if err != nil {
			return err
		}
		if err := h.account.own(target); err != nil {
			return err
		}
	}
	return nil
}

// templates are those that this process has made, by the programs that made them.
var templates = &templateStore{shelves: map[dbms]*templateShelf{}}

type templateStore struct {
	mu      sync.Mutex
	shelves map[dbms]*templateShelf
}

// A templateShelf has the template of one database system, once it is made.
type templateShelf struct {
	turn chan struct{} // of one, for whoever looks and, if there is none, makes it
	made *template
}

// of returns the template of a database system. The first to ask makes it, others wait. A failure is not kept: it may be of the cloud that tried, as when it was closed meanwhile.
func (s *templateStore) of(ctx context.Context, system dbms, build func() (*template, error)) (*template, error) {
	shelf := s.shelf(system)
	select {
	case shelf.turn <- struct{}{}:
		defer func() { <-shelf.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another cloud to make an empty database: %w", context.Cause(ctx))
	}
	if shelf.made != nil {
		return shelf.made, nil
	}
	made, err := build()
	if err == nil {
		shelf.made = made
	}
	return made, err
}

func (s *templateStore) shelf(system dbms) *templateShelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shelves[system] == nil {
		s.shelves[system] = &templateShelf{turn: make(chan struct{}, 1)}
	}
	return s.shelves[system]
}

// newKind returns a database system with its template.
func (e *Engines) newKind(name string) (*kind, error) {
	system, err := dbmses[name].find()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(e.ctx, e.limit, errWorkTimeout)
	defer cancel()
	empty, err := templates.of(ctx, system, func() (*template, error) { return e.newTemplate(ctx, system, name) })
	if err != nil {
		return nil, fmt.Errorf("make an empty %s database: %w", name, err)
	}
	return &kind{dbms: system, template: empty}, nil
}

func (e *Engines) newTemplate(ctx context.Context, system dbms, name string) (_ *template, err error) {
	h, err := e.home()
	if err != nil {
		return nil, err
	}
	folder, err := h.folder(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	data := filepath.Join(folder, "data")
	if err := system.initialise(ctx, e.nursery, h, data); err != nil {
		return nil, err
	}
	return pack(data, h.path)
}
