// Package sessiontest holds what every API that a package calls must keep, for the tests of those packages.
package sessiontest

import (
	"context"
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
	"time"

	transport "google.golang.org/api/transport/http"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// Answers checks that what is no answer of Google's is an error for each operation that the sources in the directory of the test call, and never says that
// something is not there or not set. apis are those that the sources call, by the name of the resource in the operations of each; the API of all others is "".
func Answers(t *testing.T, apis map[string]*session.API) {
	for _, operation := range calledOperations(t) {
		resource, _, _ := strings.Cut(operation, ".")
		api, ok := apis[resource]
		if !ok {
			api = apis[""]
		}
		e, known := api.Answers[operation]
		if !known {
			e = api.Other
		}
		answers(t, api, operation, e)
	}
}

// answers checks what is taken for an answer of one operation.
func answers(t *testing.T, api *session.API, operation string, e session.Answer) {
	t.Helper()
	whole := wholeAnswer(e)
	if whole == "" && !e.Nothing {
		t.Errorf("%s: nothing is known of its answers", operation)
	}
	for what, answer := range noAnswers(whole) {
		if e.Nothing && !strings.HasPrefix(answer.body, "<") && !strings.Contains(answer.body, `":`) || e.Members != nil && answer.body == "{}" {
			continue // that is what Google says, or says as good as
		}
		t.Run(operation+"/"+what, func(t *testing.T) {
			text, err := answer.to(t, api, operation)
			if err == nil {
				t.Fatalf("%q is taken for an answer", text)
			}
			if code := driver.CodeOf(err); code != driver.Unavailable {
				t.Errorf("got %v (%v), want code %v", err, code, driver.Unavailable)
			}
		})
	}
	t.Run(operation+"/its own", func(t *testing.T) {
		if text, err := (fixed{200, whole}).to(t, api, operation); err != nil || text != whole {
			t.Errorf("the client reads %q, %v, want %q", text, err, whole)
		}
	})
}

// noAnswers are answers that are none of Google's, or not the whole of one.
func noAnswers(whole string) map[string]fixed {
	return map[string]fixed{
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
}

// wholeAnswer returns an answer of Google's; empty if there is nothing to say.
func wholeAnswer(a session.Answer) string {
	switch {
	case a.Nothing:
		return ""
	case a.Kind != "":
		return fmt.Sprintf(`{"kind":%q,"items":[{"name":"a"}]}`, a.Kind)
	case len(a.Members) > 0:
		return fmt.Sprintf(`{%q:[{"name":"a"}]}`, a.Members[0])
	}
	return ""
}

// A fixed answer is that to all requests but those for tokens.
type fixed struct {
	status int
	body   string
}

// RoundTrip implements http.RoundTripper.
func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/token") {
		f = fixed{http.StatusOK, `{"access_token":"a","expires_in":3600}`}
	}
	return &http.Response{StatusCode: f.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(f.body)), Request: r}, nil
}

// to makes a call of an operation that is answered so, and returns what the client reads.
func (f fixed) to(t *testing.T, api *session.API, operation string) (string, error) {
	t.Helper()
	var opening driver.Opening
	opening.Account = v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: "p"}}
	opening.Chain.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "a", Provider: "projects/1/locations/global/workloadIdentityPools/p/providers/p"}
	opening.Host = driver.HostFuncs{Tokens: func(context.Context, string) (string, error) { return "subject", nil }}
	s, err := session.New(opening, f, time.Minute, time.Now) //nolint:forbidigo // nothing here waits
	if err != nil {
		t.Fatal(err)
	}
	caller := s.To(api)
	client, _, err := transport.NewClient(t.Context(), caller.Options("/")...)
	if err != nil {
		t.Fatal(err)
	}
	return session.Do(t.Context(), caller, operation, func(ctx context.Context) (string, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, caller.URL(), nil)
		if err != nil {
			return "", err
		}
		response, err := client.Do(r)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return string(text), err
	})
}

// calledOperations returns the operations that the sources call, by what they hand to session.Do.
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
		for _, operation := range operationsIn(t, files, file) {
			called[operation] = true
		}
	}
	if len(called) == 0 {
		t.Fatal("the sources call no operation")
	}
	return slices.Sorted(maps.Keys(called))
}

// operationsIn returns the operations that one file calls.
func operationsIn(t *testing.T, files *token.FileSet, file *ast.File) (called []string) {
	t.Helper()
	var op ast.Expr // the value of the constant of that name, of the function that is looked at
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if n.Names[0].Name == "op" && len(n.Values) == 1 {
				op = n.Values[0]
			}
		case *ast.CallExpr:
			if !isDo(n.Fun) || len(n.Args) < 3 {
				return true
			}
			name := n.Args[2]
			if constant, ok := name.(*ast.Ident); ok && constant.Name == "op" {
				name = op
			}
			literal, ok := name.(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s: session.Do gets no name that can be read here, so nothing tries what it makes of answers", files.Position(n.Pos()))
			}
			called = append(called, strings.Trim(literal.Value, `"`))
		}
		return true
	})
	return called
}

// isDo reports whether a function is session.Do.
func isDo(called ast.Expr) bool {
	function, ok := called.(*ast.SelectorExpr)
	if !ok || function.Sel.Name != "Do" {
		return false
	}
	in, ok := function.X.(*ast.Ident)
	return ok && in.Name == "session"
}
