package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sources parses the code of a driver, without its tests.
func sources(t *testing.T, driver string) (parsed []*ast.File) {
	t.Helper()
	for path, content := range files(t, filepath.Join(root(t), "providers", driver), ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	return parsed
}

// callsOfAWS returns what a driver calls by AWS's SDK, as s3.CreateBucket: each mention of a method of one of its clients, and of
// a provider of credentials.
func callsOfAWS(t *testing.T) []string {
	t.Helper()
	var calls []string
	files := sources(t, "aws")
	clients := clientsOfAWS(files)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			method, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch of := method.X.(type) {
			case *ast.SelectorExpr: // d.rds.CreateDBInstance
				if slices.Contains(clients, of.Sel.Name) && method.Sel.Name != "Options" {
					calls = append(calls, of.Sel.Name+"."+method.Sel.Name)
				}
			case *ast.Ident: // stscreds.NewAssumeRoleProvider, and client.DescribeAccountAttributes in the package of a service
				if of.Name == "client" && slices.Contains(clients, file.Name.Name) {
					calls = append(calls, file.Name.Name+"."+method.Sel.Name)
				}
				if of.Name == "stscreds" && strings.HasPrefix(method.Sel.Name, "New") {
					calls = append(calls, of.Name+"."+method.Sel.Name)
				}
			}
			return true
		})
	}
	for _, client := range clients {
		if !slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call, client+".") }) {
			t.Errorf("no call of AWS's service %s is found: keep its client in a field of the name %s, so that its calls are seen", client, client)
		}
	}
	return distinct(calls)
}

// clientsOfAWS returns the services whose clients some files import from AWS's SDK. The driver keeps each in a field of the same name.
func clientsOfAWS(files []*ast.File) (names []string) {
	for _, file := range files {
		for _, i := range file.Imports {
			name, of := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "github.com/aws/aws-sdk-go-v2/service/")
			if of && !strings.Contains(name, "/") {
				names = append(names, name)
			}
		}
	}
	return distinct(names)
}

// TestCallsOfANewClientAreSeen: a driver that calls one more service says what the calls need, or the test of its policy fails.
func TestCallsOfANewClientAreSeen(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "queue.go", `package aws
import (
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := clientsOfAWS([]*ast.File{file}); !slices.Equal(got, []string{"sqs"}) {
		t.Errorf("the clients are %q", got)
	}
}

// callsOfGCP returns what a driver calls in Google Cloud, as buckets.insert: the names that it hands to session.Do.
func callsOfGCP(t *testing.T) []string {
	t.Helper()
	var calls []string
	for _, file := range sources(t, "gcp") {
		if file.Name.Name == "sessiontest" { // which calls what the others call
			continue
		}
		for _, declared := range file.Decls {
			ast.Inspect(declared, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) < 3 || !isDo(call.Fun) {
					return true
				}
				name := literal(call.Args[2])
				if name == "" {
					name = constant(declared, call.Args[2])
				}
				if name == "" {
					t.Errorf("%s: a call whose name can't be read: %#v", file.Name.Name, call.Args[2])
				}
				calls = append(calls, name)
				return true
			})
		}
	}
	return distinct(calls)
}

// isDo reports whether a function is session.Do, here or in its own package.
func isDo(e ast.Expr) bool {
	if of, ok := e.(*ast.SelectorExpr); ok {
		return isNamed(of.X, "session") && of.Sel.Name == "Do"
	}
	return isNamed(e, "Do")
}

func isNamed(e ast.Expr, name string) bool {
	ident, ok := e.(*ast.Ident)
	return ok && ident.Name == name
}

// literal returns a string that stands in the code; empty if it is something else.
func literal(e ast.Expr) string {
	if value, ok := e.(*ast.BasicLit); ok && value.Kind == token.STRING {
		text, err := strconv.Unquote(value.Value)
		if err == nil {
			return text
		}
	}
	return ""
}

// constant returns the string that a constant of a function is.
func constant(in ast.Node, e ast.Expr) (value string) {
	ident, ok := e.(*ast.Ident)
	if !ok {
		return ""
	}
	ast.Inspect(in, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 && spec.Names[0].Name == ident.Name {
			value = literal(spec.Values[0])
		}
		return true
	})
	return value
}
