package imports

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// structs are the types of this repository by folder and name, as controllers/kind.Kind.
type structs map[string]*declared

// A declared is a type: the methods that it declares, and the types that it embeds. An alias embeds the type that it stands for.
type declared struct {
	methods, embeds []string
	alias           bool
}

func (s structs) named(name string) *declared {
	if s[name] == nil {
		s[name] = &declared{}
	}
	return s[name]
}

// embed notes what the structs of a declaration embed. What is embedded of others' modules has no methods here, and an interface has none
// that this repository wrote.
func (s structs) embed(file *ast.File, pkg string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		of := s.named(pkg + "." + t.Name.Name)
		if of.alias = t.Assign != token.NoPos; of.alias {
			of.embeds = append(of.embeds, embedded(file, pkg, t.Type))
			continue
		}
		fields, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			if len(f.Names) == 0 {
				of.embeds = append(of.embeds, embedded(file, pkg, f.Type))
			}
		}
	}
}

// embedded returns the name of a type that is embedded.
func embedded(file *ast.File, pkg string, t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return embedded(file, pkg, t.X)
	case *ast.IndexExpr:
		return embedded(file, pkg, t.X)
	case *ast.IndexListExpr:
		return embedded(file, pkg, t.X)
	case *ast.SelectorExpr:
		return imported(file, t.X.(*ast.Ident).Name) + "." + t.Sel.Name
	default:
		return pkg + "." + receiver(t)
	}
}

// imported returns the folder of a package that a file imports under a name; the whole path if it is another module's.
func imported(file *ast.File, name string) string {
	for _, i := range file.Imports {
		from, err := strconv.Unquote(i.Path.Value)
		if err != nil || i.Name == nil && path.Base(from) != name || i.Name != nil && i.Name.Name != name {
			continue
		}
		return strings.TrimPrefix(from, "github.com/mooring-dev/mooring/")
	}
	return name
}

// count adds how many methods a value of each type can be asked for in its package: its own and those of the structs that it embeds.
func (s structs) count(sizes map[string]int) {
	for name, t := range s {
		if t.alias {
			continue
		}
		methods := map[string]bool{}
		s.collect(methods, map[string]bool{}, name, name[:strings.LastIndex(name, ".")])
		if len(methods) > 0 {
			sizes[name] = len(methods)
		}
	}
}

// collect adds the methods of a type that the package named in can call.
func (s structs) collect(methods, visited map[string]bool, name, in string) {
	t := s[name]
	if t == nil || visited[name] {
		return
	}
	visited[name] = true
	for _, m := range t.methods {
		if ast.IsExported(m) || strings.HasPrefix(name, in+".") {
			methods[m] = true
		}
	}
	for _, e := range t.embeds {
		s.collect(methods, visited, e, in)
	}
}

// TestPromoted shows which methods count.
func TestPromoted(t *testing.T) {
	sizes, types := map[string]int{}, structs{}
	for _, file := range []struct{ pkg, source string }{
		{"a", `package a
type Base[T any] struct{}
func (Base[T]) Exported() {}
func (*Base[T]) hidden() {}
`},
		{"a", `package a
type Above struct { *Base[int]; named Other }
func (Above) own() {}
func (Above) hidden() {}
type Other struct{}
func (Other) notPromoted() {}
type Twice struct { Above; Base[int] }
`},
		{"b", `package b
import (
	renamed "github.com/mooring-dev/mooring/a"
	"sync"
)
type Reader interface { Read() }
type Foreign struct { renamed.Above; sync.Mutex; Reader }
func (Foreign) own() {}
type Alias = renamed.Base[string]
type ByAlias struct { *Alias }
type Loop struct { *Loop }
func (Loop) once() {}
`},
	} {
		if err := measure(map[string]int{}, types, file.pkg, "p.go", file.source); err != nil {
			t.Fatal(err)
		}
	}
	types.count(sizes)
	want := map[string]int{
		"a.Base":    2,
		"a.Above":   3, // Exported, hidden, own
		"a.Other":   1,
		"a.Twice":   3,
		"b.Foreign": 2, // Exported, own
		"b.ByAlias": 1,
		"b.Loop":    1,
	}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Error(diff)
	}
}
