package gcp

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// calledOperations returns the operations that the driver calls, by what the sources hand to do.
func calledOperations(t *testing.T) []string {
	t.Helper()
	called := map[string]bool{}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, source, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var op ast.Expr // the value of the constant of that name, of the function that is looked at
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if n.Names[0].Name == "op" && len(n.Values) == 1 {
					op = n.Values[0]
				}
			case *ast.CallExpr:
				if name, ok := n.Fun.(*ast.Ident); !ok || name.Name != "do" || len(n.Args) < 3 {
					return true
				}
				name := n.Args[2]
				if constant, ok := name.(*ast.Ident); ok && constant.Name == "op" {
					name = op
				}
				literal, ok := name.(*ast.BasicLit)
				if !ok {
					t.Fatalf("%s: do gets no name that can be read here, so nothing tries what it makes of answers", files.Position(n.Pos()))
				}
				called[strings.Trim(literal.Value, `"`)] = true
			}
			return true
		})
	}
	delete(called, "token") // it is no call of an API
	return slices.Sorted(maps.Keys(called))
}

type fixed struct {
	status int
	body   string
}

func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: f.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(f.body)), Request: r}, nil
}

// What is no answer of Google's is an error for each operation that the driver calls, and never says that something is not there or not set.
func TestAnAnswerThatIsNoneIsAnError(t *testing.T) {
	for _, operation := range calledOperations(t) {
		e := expectedOf(operation)
		var whole string
		switch {
		case e.nothing:
		case e.kind != "":
			whole = fmt.Sprintf(`{"kind":%q,"items":[{"name":"a"}]}`, e.kind)
		case len(e.members) > 0:
			whole = fmt.Sprintf(`{%q:[{"name":"a"}]}`, e.members[0])
		default:
			t.Errorf("%s: nothing is known of its answers", operation)
		}
		answers := map[string]fixed{
			"a page":      {200, "<!DOCTYPE html>\n<html><body>Log in</body></html>"},
			"other XML":   {200, `<?xml version="1.0"?><feed/>`},
			"other JSON":  {200, `{"status":"ok"}`},
			"other kind":  {200, `{"kind":"storage#folder","items":[]}`},
			"an error":    {200, `{"error":{"code":404,"errors":[{"reason":"notFound"}]}}`},
			"nothing":     {200, ``},
			"204":         {204, ``},
			"white space": {200, " \r\n"},
			"a beginning": {200, whole[:len(whole)/2]},
			"a list":      {200, `[]`},
			"null":        {200, `null`},
			"no members":  {200, `{}`},
		}
		for what, answer := range answers {
			if e.nothing && !strings.HasPrefix(answer.body, "<") && !strings.Contains(answer.body, `":`) || e.members != nil && answer.body == "{}" {
				continue // that is what Google says, or says as good as
			}
			t.Run(operation+"/"+what, func(t *testing.T) {
				r, err := http.NewRequestWithContext(calling(t.Context(), operation), http.MethodGet, "http://cloud.invalid", nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := genuine{answer}.RoundTrip(r)
				if err == nil {
					_ = response.Body.Close()
					t.Fatal("it is taken for an answer")
				}
				if code := driver.CodeOf((&session{}).wrap(operation, err)); code != driver.Unavailable {
					t.Errorf("got %v (%v), want code %v", err, code, driver.Unavailable)
				}
			})
		}
		t.Run(operation+"/its own", func(t *testing.T) {
			r, err := http.NewRequestWithContext(calling(t.Context(), operation), http.MethodGet, "http://cloud.invalid", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := genuine{fixed{200, whole}}.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if text, err := io.ReadAll(response.Body); err != nil || string(text) != whole {
				t.Errorf("the client reads %q, %v, want %q", text, err, whole)
			}
		})
	}
}
