package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/mooring-dev/mooring/"

// A source is the code of a driver, as the compiler sees it.
type source struct {
	files []*ast.File
	info  *types.Info
}

// A listed package is what `go list` says of one.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// survey reads the drivers and the SDKs that they import.
func survey(ctx context.Context, root string) (*model, error) {
	packages, err := list(ctx, root, "./providers/aws/...", "./providers/gcp/...")
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	compiled := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(packages[path].Export)
	})
	words, err := apiWords(filepath.Join(root, "apis", "v1alpha1"))
	if err != nil {
		return nil, err
	}
	m := newModel()
	for _, cloud := range []struct {
		path string
		walk func(*walker) error
	}{
		{"providers/aws", (*walker).aws},
		{"providers/gcp", (*walker).google},
	} {
		driver, err := check(set, compiled, within(packages, module+cloud.path))
		if err != nil {
			return nil, err
		}
		w := &walker{model: m, driver: driver, used: driver.used(), words: driver.words(words), comments: comments{packages: packages}}
		if err := cloud.walk(w); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// list returns packages and all that they import, with what the compiler made of each. What is not compiled yet is compiled, as tests and programs compile it.
func list(ctx context.Context, root string, patterns ...string) (map[string]listed, error) {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-export", "-deps", "-tags=disable_grpc_modules,grpcnotrace", "-json=ImportPath,Dir,Export,GoFiles"}, patterns)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = root, &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages[p.ImportPath] = p
	}
}

// within returns the packages of a driver: that of a path, and those below it.
func within(packages map[string]listed, path string) (driver []listed) {
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if name == path || strings.HasPrefix(name, path+"/") {
			driver = append(driver, packages[name])
		}
	}
	return driver
}

// check parses the packages of a driver, and says what each of their names stands for.
func check(set *token.FileSet, imports types.Importer, packages []listed) (source, error) {
	s := source{info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}}
	for _, p := range packages {
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return source{}, err
			}
			files = append(files, file)
		}
		config := types.Config{Importer: imports}
		if _, err := config.Check(p.ImportPath, set, files, s.info); err != nil {
			return source{}, err
		}
		s.files = append(s.files, files...)
	}
	return s, nil
}

// apiWords returns the words that API types write: strings, and the values of enumerations in markers.
func apiWords(dir string) (map[string]bool, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	words, set := map[string]bool{}, token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		addLiterals(words, file)
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if _, values, ok := strings.Cut(comment.Text, "Enum="); ok {
					for value := range strings.SplitSeq(values, ";") {
						words[strings.Trim(value, `"`)] = true
					}
				}
			}
		}
	}
	return words, nil
}
