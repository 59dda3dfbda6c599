package imports

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/debt"
)

// What a reader takes in at once.
const (
	// maxSize is how many methods of a type, and functions of its package that take it first, there may be.
	maxSize = 40
	// maxLines is how many lines a function may have, beside those of the data in it.
	maxLines = 60
)

var update = flag.Bool("update", false, "lower the debts that have fallen, and remove those that are paid")

// TestShape holds what people write to types and functions that a reader takes in at once. It holds the folder test as well:
// who changes a stand-in or a fixture reads it first. Three rules are left, each for a reader:
//
//   - All that works on a type is at most 40 methods and functions. Whoever changes a field has to know them. A function
//     that takes the type first weighs as much as a method, so nothing is gained by turning one into the other. The rule
//     before this one allowed 25 methods and counted no function; it was met by moving methods out.
//   - A function fits on a screen: 60 lines. A table or another literal without a function in it is data, which is read row
//     by row, so its rows do not count. Splitting one to meet a count would hide a row from the next.
//   - A function has a cognitive complexity of at most 20. golangci-lint holds that, and names the exceptions.
//
// A test function is exempt from the last two: it is read as a story, from top to bottom, and to cut it in pieces hides the
// order. Tests beside the code that they test are no part of the folder test, and are exempt.
//
// What is larger today stands in testdata/debts.txt, with its figure and the reason. A figure there only falls: the test
// fails if the real one is lower, and then -update lowers it. None is added.
func TestShape(t *testing.T) {
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	sizes, types := map[string]int{}, structs{}
	for _, dir := range []string{"apis", "charts", "cmd", "config", "controllers", "docs", "providers", "test", "tools"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || isTest(path) && dir != "test" {
				return err
			}
			pkg, err := filepath.Rel(root, filepath.Dir(path))
			if err == nil {
				err = measure(sizes, types, pkg, path, nil)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	debts := debt.Read(t, debtFile)
	types.count(sizes, debts)
	if len(sizes) < 1000 {
		t.Errorf("measured %d types and functions; there are more", len(sizes))
	}
	if *update {
		debts.Lower(sizes, allowed)
		debts.Write(t, debtFile)
	}
	for _, complaint := range oversized(sizes, debts) {
		t.Error(complaint)
	}
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.go") }

// measure adds the lines of the functions in a file, and what the file says of types. Functions have () behind their names.
func measure(sizes map[string]int, types structs, pkg, path string, source any) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			types.embed(file, pkg, g, isTest(path))
		}
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := pkg + "." + f.Name.Name + "()"
		switch first := types.named(pkg + "." + firstParameter(f)); {
		case f.Recv != nil:
			of := pkg + "." + receiver(f.Recv.List[0].Type)
			types.named(of).methods = append(types.named(of).methods, f.Name.Name)
			name = of + "." + f.Name.Name + "()"
		case isTest(path):
			first.functionsOfTest++
		default:
			first.functions++
		}
		if !isTest(path) || !testFunction.MatchString(f.Name.Name) {
			sizes[name] = max(sizes[name], codeLines(set, f))
		}
	}
	return nil
}

// testFunction are the names of functions that go test runs.
var testFunction = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)`)

// codeLines returns how many lines a function has, without the rows of literals that have no function in them.
func codeLines(set *token.FileSet, f *ast.FuncDecl) int {
	lines := func(n ast.Node) int { return set.Position(n.End()).Line - set.Position(n.Pos()).Line }
	count := lines(f) + 1
	ast.Inspect(f, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok || hasFunction(literal) {
			return true
		}
		count -= lines(literal)
		return false
	})
	return count
}

func hasFunction(literal ast.Node) (has bool) {
	ast.Inspect(literal, func(n ast.Node) bool {
		_, function := n.(*ast.FuncLit)
		has = has || function
		return !has
	})
	return has
}

// firstParameter returns the name of the type that a function takes first, after a context and a test; empty for a type that
// is not of its package, or none.
func firstParameter(f *ast.FuncDecl) string {
	for _, p := range f.Type.Params.List {
		t := p.Type
		if variadic, ok := t.(*ast.Ellipsis); ok {
			t = variadic.Elt
		}
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		if of, ok := t.(*ast.SelectorExpr); ok {
			if from, ok := of.X.(*ast.Ident); ok && (from.Name == "context" || from.Name == "testing") {
				continue
			}
			return ""
		}
		return receiver(t)
	}
	return ""
}

// receiver returns the name of a receiver's type, without star and type parameters.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	default:
		return fmt.Sprintf("%T", t)
	}
}

const debtFile = "testdata/debts.txt"

// oversized returns a sentence for each type and function that is larger than allowed, and for each debt that is not as
// recorded or has no reason.
func oversized(sizes map[string]int, debts debt.Debts) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		most, what := limit(name)
		if most = debts.Most(name, most); sizes[name] > most {
			found = append(found, fmt.Sprintf("%s has %d %s, and may have %d: split it by meaning", name, sizes[name], what, most))
		}
	}
	for name, owed := range debts {
		if owed.Reason == "" {
			found = append(found, fmt.Sprintf("%s: %s has no reason", debtFile, name))
		}
	}
	return append(found, debts.Fallen(sizes, allowed)...)
}

// limit returns how large a type or function may be, and what is counted.
func limit(name string) (most int, counted string) {
	if strings.HasSuffix(name, "()") {
		return maxLines, "lines"
	}
	return maxSize, "methods and functions that take it first"
}

func allowed(name string) int {
	most, _ := limit(name)
	return most
}

// TestShapeFinds shows what the test finds.
func TestShapeFinds(t *testing.T) {
	long := "func long() {" + strings.Repeat("\n", maxLines) + "}\n"
	rows := "func rows() { _ = []int{" + strings.Repeat("\n1,", maxLines) + "\n} }\n"
	cases := "func cases() { _ = []func(){" + strings.Repeat("\nfunc() {},", maxLines) + "\n} }\n"
	methods := "type many[T any] struct{}\n"
	for i := range maxSize {
		methods += fmt.Sprintf("func (*many[T]) m%d() {}\n", i)
	}
	function := "func takes[T any](_ context.Context, m *many[T]) {}\n"
	owes := func(name string, figure int) debt.Debts { return debt.Debts{name: {Figure: figure, Reason: "so"}} }
	for _, tc := range []struct {
		name, source string
		exceptions   debt.Debts
		want         int
	}{
		{"small", "func short() {}\nfunc (s small) m() {}\n", nil, 0},
		{"a long function", long, nil, 1},
		{"a long function that is owed", long, owes("p.long()", maxLines+1), 0},
		{"long data", rows, nil, 0},
		{"a long list of functions", cases, nil, 1},
		{"as many methods as there may be", methods, nil, 0},
		{"a method too many", methods + "func (many[T]) n() {}\n", nil, 1},
		{"a function in place of a method", methods + function, nil, 1},
		{"more than is owed", methods + function + "func (many[T]) n() {}\n", owes("p.many", maxSize+1), 1},
		{"less than is owed", methods + function, owes("p.many", maxSize+2), 1},
		{"a debt that is paid", methods, owes("p.many", maxSize+1), 1},
		{"a debt of what is gone", "", owes("p.many", maxSize+1), 1},
		{"generated", "// Code generated by hand. DO NOT EDIT.\n" + long, nil, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sizes := map[string]int{}
			source := "package p\n" + tc.source
			if strings.HasPrefix(tc.source, "//") {
				source = strings.Replace(tc.source, "\n", "\npackage p\n", 1)
			}
			types := structs{}
			if err := measure(sizes, types, "p", "p.go", source); err != nil {
				t.Fatal(err)
			}
			types.count(sizes, tc.exceptions)
			if found := oversized(sizes, tc.exceptions); len(found) != tc.want {
				t.Errorf("found %q, want %d", found, tc.want)
			}
		})
	}
}
