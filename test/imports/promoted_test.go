package imports

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/debt"
)

// structs are the types of this repository by folder and name, as controllers/kind.Kind.
type structs map[string]*declared

// A declared is a type: the methods that it declares, the types that it embeds, and how many functions of its package take
// it first. An alias embeds the type that it stands for. Functions of tests count for types of tests alone: who reads the
// others does not read them.
type declared struct {
	methods, embeds            []string
	functions, functionsOfTest int
	ours, ofTest, alias        bool
}

func (s structs) named(name string) *declared {
	if s[name] == nil {
		s[name] = &declared{}
	}
	return s[name]
}

// embed notes the types of a declaration, and what its structs embed. What is embedded of others' modules has no methods
// here, and an interface has none that this repository wrote.
func (s structs) embed(file *ast.File, pkg string, d *ast.GenDecl, ofTest bool) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		of := s.named(pkg + "." + t.Name.Name)
		of.ours, of.ofTest = true, ofTest
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

// count adds how much there is to know of each type in its package: its own methods, those of the structs that it embeds,
// and the functions that take it first. What it embeds of a type that is owed counts there alone.
func (s structs) count(sizes map[string]int, owed debt.Debts) {
	for name, t := range s {
		if t.alias {
			continue
		}
		methods := map[string]bool{}
		s.collect(methods, map[string]bool{}, name, name[:strings.LastIndex(name, ".")], owed)
		size := len(methods)
		switch {
		case t.ours && t.ofTest:
			size += t.functionsOfTest
		case t.ours:
			size += t.functions
		}
		if size > 0 {
			sizes[name] = size
		}
	}
}

// collect adds the methods of a type that the package named in can call.
func (s structs) collect(methods, visited map[string]bool, name, in string, owed debt.Debts) {
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
		if owed[e].Figure == 0 {
			s.collect(methods, visited, e, in, owed)
		}
	}
}

// TestPromoted shows which methods and functions count.
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
		{"c", `package c
import ("context"; "testing")
type Data []string
type Other struct{}
type Alias = Data
type owed struct{}
func (owed) m() {}
type Above struct{ owed }
func (Above) own() {}
func first(d *Data, n int) {}
func after(_ context.Context, _ testing.TB, d ...Data) {}
func second(n int, d Data) {}
func other(_ Other, d Data) {}
func none(n int) {}
`},
	} {
		if err := measure(map[string]int{}, types, file.pkg, "p.go", file.source); err != nil {
			t.Fatal(err)
		}
	}
	const ofTest = "package c\ntype fixture struct{}\nfunc use(f *fixture) {}\nfunc verify(d Data) {}\n"
	if err := measure(map[string]int{}, types, "c", "p_test.go", ofTest); err != nil {
		t.Fatal(err)
	}
	types.count(sizes, debt.Debts{"c.owed": {Figure: 1}})
	want := map[string]int{
		"a.Base":    2,
		"a.Above":   3, // Exported, hidden, own
		"a.Other":   1,
		"a.Twice":   3,
		"b.Foreign": 2, // Exported, own
		"b.ByAlias": 1,
		"b.Loop":    1,
		"c.Data":    2, // first, after
		"c.Other":   1,
		"c.fixture": 1,
		"c.owed":    1,
		"c.Above":   1, // own
	}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Error(diff)
	}
}
