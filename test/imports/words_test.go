package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/test/cluster"
)

// What names a cloud or a product of one: in a text, and as a part of a name in Go, where the next part begins with a capital letter.
var (
	inText = regexp.MustCompile(`(?i)(^|[^a-z0-9])(aws|gcp|amazon|amazonaws|google|googleapis|rds|s3|gcs|gs|sts|irsa|azure|cloud ?sql|cloud ?storage|sqladmin)($|[^a-z0-9])`)
	inName = regexp.MustCompile(`AWS|GCP|Amazon|Google|RDS|S3|GCS|IRSA|Azure|CloudSQL|CloudStorage|(^|_)(aws|gcp|amazon|google|rds|s3|gcs|irsa|azure|cloudSQL|cloudStorage)($|_|[A-Z])`)
)

// innocent are imports that have a cloud's name in their path and are of no cloud, with the reason.
var innocent = map[string]string{
	"github.com/google/cel-go": "the Common Expression Language, in which classes state their rules, as the API server does",
}

// TestControllersNameNoCloud holds what makes a cloud one folder, one line and its API block.
func TestControllersNameNoCloud(t *testing.T) {
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(filepath.Join(root, "controllers"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		found, err := cloudNames(path, nil)
		for _, line := range found {
			t.Errorf("%s: controllers read what a driver describes, and name no cloud", strings.TrimPrefix(line, root+"/"))
		}
		return err
	})
	if err != nil || files < 50 {
		t.Errorf("read %d files of the controllers: %v", files, err)
	}
}

// cloudNames returns where a file names a cloud: in a literal, an import or any name. Comments are free to.
func cloudNames(path string, source any) (found []string, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	imports := map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			imports[n.Path] = true
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && err == nil && inText.MatchString(text) && !(imports[n] && innocentPath(text)) {
				found = append(found, fmt.Sprintf("%s has %s", set.Position(n.Pos()), n.Value))
			}
		case *ast.Ident:
			if inName.MatchString(n.Name) {
				found = append(found, fmt.Sprintf("%s has %s", set.Position(n.Pos()), n.Name))
			}
		}
		return true
	})
	return found, nil
}

func innocentPath(path string) bool {
	for prefix := range innocent {
		if within(path, prefix) {
			return true
		}
	}
	return false
}

// TestWordsAreFound shows what is taken for the name of a cloud, and what is not.
func TestWordsAreFound(t *testing.T) {
	for _, tt := range []struct {
		code string
		want []string // what is found
	}{
		{"// aws, S3 and Google Cloud may stand in a comment.\nvar x = 1", nil},
		{`var x = "aws"`, []string{`"aws"`}},
		{"var x = `{\"provider\":\"gcp\"}`", []string{"`{\"provider\":\"gcp\"}`"}},
		{`var x = "//iam.googleapis.com/"`, []string{`"//iam.googleapis.com/"`}},
		{`var x = "instances of Cloud SQL"`, []string{`"instances of Cloud SQL"`}},
		{`var x = "laws and paws, ts3 and flags"`, nil},
		{`var x = account.AWS`, []string{"AWS"}},
		{`var x = v1alpha1.SecretKeyGCPCredentials`, []string{"SecretKeyGCPCredentials"}},
		{`func ofGoogle(s3Bucket int) {}`, []string{"ofGoogle", "s3Bucket"}},
		{`var awesome, draws, seeds3 = 1, 2, 3`, nil},
		{`import "github.com/aws/aws-sdk-go-v2/aws"`, []string{`"github.com/aws/aws-sdk-go-v2/aws"`}},
		{`import "github.com/google/cel-go/cel"`, nil},
		{`import "github.com/google/uuid"`, []string{`"github.com/google/uuid"`}},
		{"type x struct{ Y string `json:\"aws\"` }", []string{"`json:\"aws\"`"}},
	} {
		found, err := cloudNames("x.go", "package x\n"+tt.code)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range found {
			_, found[i], _ = strings.Cut(line, " has ")
		}
		if !slices.Equal(found, tt.want) {
			t.Errorf("%s: found %q, want %q", tt.code, found, tt.want)
		}
	}
}
