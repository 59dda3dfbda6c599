package main

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// A walker puts the operations that a driver calls, and the types within them, into a model.
type walker struct {
	model    *model
	driver   source
	used     map[types.Object]bool
	words    map[string]bool
	comments comments
}

// aside are fields of all inputs and outputs, by which clients say how they encode and what came over the wire.
var aside = []string{"ResultMetadata", "ForceSendFields", "NullFields", "ServerResponse", "Header"}

// call adds the input or the output of an operation: a struct of which each field is a member.
func (w *walker) call(service, operation, kind string, t types.Type) {
	owner := service + " " + operation
	w.model.calls = append(w.model.calls, owner)
	w.members(service, owner, kind, t)
}

// members adds the fields of a struct to an owner, and all that is within them.
func (w *walker) members(service, owner, kind string, t types.Type) {
	for field := range structOf(t).Fields() {
		if field.Exported() && !slices.Contains(aside, field.Name()) {
			w.add(service, owner, kind, field)
		}
	}
}

// add adds a field to an owner. The values that a comment names are its own.
func (w *walker) add(service, owner, kind string, field *types.Var) {
	m := member{name: field.Name(), had: w.used[field], within: w.within(service, kind, field.Type())}
	if values := w.comments.valuesOf(service, owner, field); len(values) > 0 {
		own := owner + "." + field.Name()
		w.values(own, values)
		m.within = append(m.within, own)
	}
	if strings.HasPrefix(owner, service+" ") && slices.Contains(w.model.calls, owner) {
		m.kind = kind
	}
	w.model.owners[owner] = append(w.model.owners[owner], m)
}

// values adds the values of an enumeration.
func (w *walker) values(owner string, values []string) {
	if _, known := w.model.owners[owner]; known {
		return
	}
	for _, v := range values {
		w.model.owners[owner] = append(w.model.owners[owner], member{name: v, kind: value, had: w.words[v]})
	}
}

// within returns the owners that a field of a type leads to.
func (w *walker) within(service, kind string, t types.Type) []string {
	switch t := t.(type) {
	case *types.Pointer:
		return w.within(service, kind, t.Elem())
	case *types.Slice:
		return w.within(service, kind, t.Elem())
	case *types.Array:
		return w.within(service, kind, t.Elem())
	case *types.Map:
		return w.within(service, kind, t.Elem())
	case *types.Alias:
		return w.within(service, kind, types.Unalias(t))
	case *types.Named:
		if serviceOf(t.Obj().Pkg()) == service {
			return w.named(service, kind, t)
		}
	}
	return nil
}

// named adds a type of an SDK, once, and returns its name; nothing if there is nothing in it.
func (w *walker) named(service, kind string, t *types.Named) []string {
	owner := service + " " + t.Obj().Name()
	if kind == in {
		w.model.sent[owner] = true
	}
	if _, known := w.model.owners[owner]; known {
		return []string{owner}
	}
	w.model.owners[owner] = nil
	switch t.Underlying().(type) {
	case *types.Struct:
		w.members(service, owner, kind, t)
	case *types.Interface:
		w.union(service, owner, kind, t)
	case *types.Basic:
		w.enumeration(owner, t)
	}
	return []string{owner}
}

// union adds the types that a field of an interface may have: those of its package whose pointers implement it.
func (w *walker) union(service, owner, kind string, t *types.Named) {
	scope := t.Obj().Pkg().Scope()
	of, _ := t.Underlying().(*types.Interface)
	for _, name := range scope.Names() {
		object, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !object.Exported() || types.IsInterface(object.Type()) || !types.Implements(types.NewPointer(object.Type()), of) {
			continue
		}
		m := member{name: name, had: w.used[object]}
		if held := fieldOf(structOf(object.Type()), "Value"); held != nil {
			m.within = w.within(service, kind, held.Type())
		}
		w.model.owners[owner] = append(w.model.owners[owner], m)
	}
}

// enumeration adds the constants of a type.
func (w *walker) enumeration(owner string, t *types.Named) {
	all := w.uses(lookup(t, "Values")) // the driver takes whatever the SDK knows
	scope := t.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if !ok || c.Type() != t || !c.Exported() {
			continue
		}
		text := name
		if c.Val().Kind() == constant.String {
			text = constant.StringVal(c.Val())
		}
		if text != "" {
			w.model.owners[owner] = append(w.model.owners[owner], member{name: text, kind: value, had: all || w.used[c] || w.words[text]})
		}
	}
}

// uses reports whether the driver names a function.
func (w *walker) uses(f *types.Func) bool { return f != nil && w.used[f] }
