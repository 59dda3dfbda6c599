package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
)

// comments are those of Google's clients, which name the values of a field, and nothing else does.
type comments struct {
	packages map[string]listed
	read     map[string]map[string][]string // by package: values by Type.Field
}

// possible begins the values in a comment, and named is one of them.
var (
	possible = regexp.MustCompile(`(?s)Possible values:\n(.*)`)
	named    = regexp.MustCompile(`(?m)^\s*"([^"\s]+)"`)
)

// valuesOf returns the values that the comment of a field names.
func (c *comments) valuesOf(service, owner string, field *types.Var) []string {
	if field.Pkg() == nil || !strings.HasPrefix(field.Pkg().Path(), googleServices) {
		return nil
	}
	path := field.Pkg().Path()
	if c.read == nil {
		c.read = map[string]map[string][]string{}
	}
	if c.read[path] == nil {
		c.read[path] = valuesIn(c.packages[path])
	}
	return c.read[path][strings.TrimPrefix(owner, service+" ")+"."+field.Name()]
}

// valuesIn reads the values that the comments of a package name. A file that can't be read names none.
func valuesIn(p listed) map[string][]string {
	values := map[string][]string{}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			of, ok := spec.Type.(*ast.StructType)
			if !ok {
				return false
			}
			for _, field := range of.Fields.List {
				for _, name := range field.Names {
					values[spec.Name.Name+"."+name.Name] = valuesOfComment(field.Doc.Text())
				}
			}
			return false
		})
	}
	return values
}

// valuesOfComment returns the values that a comment names.
func valuesOfComment(text string) (values []string) {
	list := possible.FindStringSubmatch(text)
	if list == nil {
		return nil
	}
	for _, value := range named.FindAllStringSubmatch(list[1], -1) {
		values = append(values, value[1])
	}
	return values
}
