package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strconv"
)

// used returns the fields, methods, types and constants that the driver names, with those that a table.Copier copies by name.
func (s source) used() map[types.Object]bool {
	used := map[types.Object]bool{}
	for _, object := range s.info.Uses {
		used[object] = true
	}
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if made, ok := n.(*ast.CompositeLit); ok {
				s.addCopied(used, made)
			}
			return true
		})
	}
	return used
}

// addCopied adds the fields of a call that a table.Copier puts parameters into, or of which it says why not.
func (s source) addCopied(used map[types.Object]bool, made *ast.CompositeLit) {
	copier, ok := s.info.Types[made].Type.(*types.Named)
	if !ok || copier.Obj().Name() != "Copier" || copier.TypeArgs().Len() != 2 {
		return
	}
	params, call := structOf(copier.TypeArgs().At(0)), structOf(copier.TypeArgs().At(1))
	inner := fieldOf(call, keyed(made, "Inner"))
	for param := range params.Fields() {
		name := param.Name()
		if field := fieldOf(call, name); field != nil {
			used[field] = true
		} else if inner != nil {
			if field := fieldOf(structOf(inner.Type()), name); field != nil {
				used[field] = true
			}
		}
	}
}

// keyed returns the string that a composite literal gives a field; empty if it gives none.
func keyed(made *ast.CompositeLit, name string) string {
	for _, element := range made.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, isName := pair.Key.(*ast.Ident)
		text, isLiteral := pair.Value.(*ast.BasicLit)
		if isName && isLiteral && key.Name == name {
			value, _ := strconv.Unquote(text.Value)
			return value
		}
	}
	return ""
}

// words returns the strings that the driver writes, and others.
func (s source) words(others map[string]bool) map[string]bool {
	words := maps.Clone(others)
	for _, file := range s.files {
		addLiterals(words, file)
	}
	return words
}

// addLiterals adds the strings that are written in a file.
func addLiterals(words map[string]bool, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			if word, err := strconv.Unquote(text.Value); err == nil {
				words[word] = true
			}
		}
		return true
	})
}

// structOf returns the struct that a type is or points to; one without fields if it is none.
func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		return s
	}
	return types.NewStruct(nil, nil)
}

// fieldOf returns the field of a name; nil if there is none.
func fieldOf(in *types.Struct, name string) *types.Var {
	for field := range in.Fields() {
		if field.Name() == name {
			return field
		}
	}
	return nil
}
