package session_test

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
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3control"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// calledOperations returns the operations that the driver calls, by what the sources hand to Call, as Client.Operation.
func calledOperations(t *testing.T) []string {
	t.Helper()
	called := map[string]bool{"sts.AssumeRole": true, "sts.AssumeRoleWithWebIdentity": true} // the SDK makes them itself
	var sources []string
	for _, folder := range []string{"../*.go", "../*/*.go"} {
		found, err := filepath.Glob(folder)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, found...)
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
		ast.Inspect(file, func(n ast.Node) bool {
			made, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch name := made.Fun.(type) {
			case *ast.Ident:
				if name.Name != "Call" {
					return true
				}
			case *ast.SelectorExpr:
				if from, ok := name.X.(*ast.Ident); !ok || from.Name != "session" || name.Sel.Name != "Call" {
					return true
				}
			default:
				return true
			}
			method, ok := made.Args[3].(*ast.SelectorExpr)
			if !ok {
				t.Fatalf("%s: Call gets no method of a client, so nothing tries what it makes of answers", files.Position(made.Pos()))
			}
			client := "s3" // the variable "client"
			if strings.Contains(source, "rds") {
				client = "rds"
			}
			if field, ok := method.X.(*ast.SelectorExpr); ok {
				client = field.Sel.Name
			}
			called[client+"."+method.Sel.Name] = true
			return true
		})
	}
	return slices.Sorted(maps.Keys(called))
}

// An answering transport gives each request the same answer.
type answering struct {
	status int
	body   string
	header http.Header
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	header := a.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: r,
	}, nil
}

// ask makes a call through the clients of a session that gets an answer, and returns what call returns of it.
func ask(t *testing.T, operation string, answer answering) error {
	t.Helper()
	s, err := session.Open(t.Context(), session.Options{HTTPClient: &http.Client{Transport: answer}, CallTimeout: time.Minute, Now: time.Now, Errors: errorCodes}, driver.Opening{
		Config: driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: "eu-central-1"}}, Location: "eu-central-1", Endpoint: "http://cloud.invalid"},
		Credentials: map[string][]byte{
			v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIDEXAMPLE"), v1alpha1.SecretKeyAWSSecretAccessKey: []byte("secret")},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, name, _ := strings.Cut(operation, ".")
	method := methodOf(s, operation)
	in := reflect.New(method.Type().In(1).Elem())
	fill(in.Elem(), 0)
	var failed error
	_, failed = session.Call(t.Context(), s, name, func(ctx context.Context, in *any, _ ...func(*any)) (*any, error) {
		out := method.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(*in)})
		err, _ := reflect.TypeAssert[error](out[1])
		return new(any), err
	}, new(in.Interface()))
	return failed
}

// methodOf returns the method of an operation, of the client that a session makes.
func methodOf(s *session.Session, operation string) reflect.Value {
	clients := map[string]any{"s3": session.S3(s), "s3control": s3control.NewFromConfig(s.Config), "rds": rds.NewFromConfig(s.Config), "sts": sts.NewFromConfig(s.Config), "cloudwatch": cloudwatch.NewFromConfig(s.Config)}
	client, name, _ := strings.Cut(operation, ".")
	return reflect.ValueOf(clients[client]).MethodByName(name)
}

// says returns how many things the answers to an operation can say.
func says(operation string) (n int) {
	for _, f := range reflect.VisibleFields(methodOf(&session.Session{}, operation).Type().Out(0).Elem()) {
		if f.IsExported() && f.Name != "ResultMetadata" {
			n++
		}
	}
	return n
}

// fill sets all that an input may need.
func fill(v reflect.Value, depth int) {
	switch v.Kind() { //nolint:exhaustive // nothing else is needed
	case reflect.Pointer:
		if depth < 16 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !strings.Contains(f.Name, "Checksum") && !strings.Contains(f.Name, "Region") {
				fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if depth < 16 && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	case reflect.String:
		v.SetString("x")
	}
}

// isQuiet reports whether an answer to an operation has no content, so that an empty one is right.
func isQuiet(operation string) bool {
	name := strings.TrimPrefix(operation, "s3.")
	return strings.HasPrefix(operation, "s3control.") || name != operation && session.S3Roots[name] == "" && (session.Wordless.MatchString(name) || session.Bodiless(name))
}

// What is no answer of the service is an error for each operation that the driver calls, and never says that something is not there or not set.
func TestAnAnswerThatIsNoneIsAnError(t *testing.T) {
	for _, operation := range calledOperations(t) {
		_, name, _ := strings.Cut(operation, ".")
		beginning := fmt.Sprintf(`<%sResponse><%sResult><Ma`, name, name)
		if root, ok := session.S3Roots[name]; ok {
			beginning = "<" + strings.NewReplacer("(Bucket)?", "Bucket", "s?", "s", "(Result|Output)", "Result").Replace(root) + "><Ma"
		}
		answers := map[string]answering{
			"a page":                 {status: 200, body: "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body><br>Log in</body></html>"},
			"a page that is XML":     {status: 200, body: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`},
			"nothing":                {status: 200},
			"nothing with 204":       {status: 204},
			"white space":            {status: 200, body: " \r\n"},
			"a beginning":            {status: 200, body: beginning},
			"a prolog":               {status: 200, body: `<?xml version="1.0" encoding="UTF-8"?>`},
			"other XML":              {status: 200, body: `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title></feed>`},
			"an error of S3":         {status: 200, body: `<Error><Code>NoSuchBucket</Code><Message>There is none</Message></Error>`},
			"an empty object":        {status: 200, body: `{}`},
			"other JSON":             {status: 200, body: `{"status":"ok"}`},
			"a list in JSON":         {status: 200, body: `[]`},
			"null":                   {status: 200, body: `null`},
			"text":                   {status: 200, body: `OK`},
			"404 with nothing":       {status: 404},
			"404 with a page":        {status: 404, body: "<html><body>Not Found</body></html>"},
			"404 with codes in XML":  {status: 404, body: "<html><Code>NoSuchBucket</Code><Error><Code>DBInstanceNotFound</Code></Error></html>"},
			"404 with JSON":          {status: 404, body: `{"__type":"ResourceNotFoundException","code":"NotFound"}`},
			"404 with an empty type": {status: 404, body: `<Error/>`},
		}
		for what, answer := range answers {
			missing := answer.status == 404
			switch {
			case isQuiet(operation) && !missing && !slices.Contains([]string{"a page", "a page that is XML", "an error of S3", "an empty object", "other JSON", "a list in JSON"}, what):
				continue // nothing is what it has to say
			case session.Bodiless(name), what == "a beginning" && says(operation) == 0:
				continue // its status, or its root element, is all that there is
			}
			t.Run(operation+"/"+what, func(t *testing.T) {
				err := ask(t, operation, answer)
				if err == nil {
					t.Fatal("it is taken for an answer")
				}
				code := driver.CodeOf(err)
				if code == driver.NotFound || !missing && code != driver.Unavailable {
					t.Errorf("got %v (%v), want code %v", err, code, driver.Unavailable)
				}
			})
		}
	}
}
