package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
)

// standIns are the stand-ins for the clouds' APIs, by their folders in test/localcloud.
var standIns = []struct{ folder, api string }{
	{"rds", "Amazon RDS"},
	{"s3", "Amazon S3"},
	{"sql", "Cloud SQL"},
	{"storage", "Cloud Storage"},
	{"", "All of them"},
}

// unrecorded is what a comment in a stand-in says of behaviour that was built from the cloud's documentation alone.
var unrecorded = regexp.MustCompile(`(?i)\bno recording shows\b|\brecordings do not show\b`)

// unseenPage lists what the stand-ins do without a recording of the real cloud, in the words of their own comments.
func unseenPage() ([]byte, error) {
	files, err := filepath.Glob("../../test/localcloud/*/*.go")
	if err != nil {
		return nil, err
	}
	found := map[string][]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		comments, err := unseenIn(file)
		if err != nil {
			return nil, err
		}
		for _, s := range standIns {
			if s.folder == "" || s.folder == filepath.Base(filepath.Dir(file)) {
				found[s.api] = append(found[s.api], comments...)
				break
			}
		}
	}
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString("# What no recording of a real cloud shows\n\n" +
		"Mooring's tests run against stand-ins for the clouds' APIs. Recorded traffic of the real clouds judges the stand-ins. No recording covers the\n" +
		"behaviour below: it follows the cloud's documentation, or what its users report. Test these fields in an account of your own before you rely on them.\n")
	for _, s := range standIns {
		if len(found[s.api]) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.api, strings.Join(found[s.api], "\n"))
		}
	}
	return b.Bytes(), nil
}

// unseenIn returns a line for each comment of a file that says so, with the function, type or variable that it belongs to.
func unseenIn(file string) (lines []string, err error) {
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, file, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, c := range tree.Comments {
		text := oneLine(c.Text())
		if !unrecorded.MatchString(text) {
			continue
		}
		where := "`" + filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file) + "`"
		if name := declared(tree, c); name != "" {
			where += ", `" + name + "`"
		}
		lines = append(lines, fmt.Sprintf("- [%s](%s): %s", where, filepath.ToSlash(file), cell(sentence(text))))
	}
	return lines, nil
}

// declared returns the name of the declaration that a comment is in or above; "" if there is none.
func declared(tree *ast.File, comment *ast.CommentGroup) string {
	for _, d := range tree.Decls {
		if d.End() < comment.Pos() {
			continue
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc != nil && d.Doc.Pos() > comment.End() {
				return ""
			}
			return d.Name.Name
		case *ast.GenDecl:
			switch s := d.Specs[0].(type) {
			case *ast.TypeSpec:
				return s.Name.Name
			case *ast.ValueSpec:
				return s.Names[0].Name
			}
		}
		return ""
	}
	return ""
}
