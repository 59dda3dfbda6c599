package main

import (
	"errors"
	"go/types"
	"slices"
	"strings"
)

// The import paths of the SDKs.
const (
	awsServices    = "github.com/aws/aws-sdk-go-v2/service/"
	googleServices = "google.golang.org/api/"
	storageClient  = "cloud.google.com/go/storage"
)

// serviceOf names the service whose client a package is part of; empty if it is no SDK's.
func serviceOf(p *types.Package) string {
	if p == nil {
		return ""
	}
	for _, services := range []string{awsServices, googleServices} {
		if rest, ok := strings.CutPrefix(p.Path(), services); ok {
			service, _, _ := strings.Cut(rest, "/")
			return service
		}
	}
	if p.Path() == storageClient {
		return "storage-client"
	}
	return ""
}

// A method is one of a client that the driver calls.
type method struct {
	service, receiver string
	*types.Func
}

// methods returns the methods of SDKs that the driver names, in order.
func (w *walker) methods() (all []method) {
	for object := range w.used {
		f, ok := object.(*types.Func)
		if !ok || !f.Exported() || f.Signature().Recv() == nil || serviceOf(f.Pkg()) == "" {
			continue
		}
		if of := namedOf(f.Signature().Recv().Type()); of != nil {
			all = append(all, method{serviceOf(f.Pkg()), of.Obj().Name(), f})
		}
	}
	slices.SortFunc(all, func(a, b method) int { return strings.Compare(a.FullName(), b.FullName()) })
	return all
}

// aws adds the operations of AWS: methods of a Client that take a struct and answer one. What can be sent comes first.
func (w *walker) aws() error {
	operations := slices.DeleteFunc(w.methods(), func(m method) bool {
		return m.receiver != "Client" || m.Signature().Params().Len() < 2 || m.Signature().Results().Len() != 2
	})
	if len(operations) == 0 {
		return errors.New("no operation of AWS is called")
	}
	for _, m := range operations {
		w.call(m.service, m.Name(), in, m.Signature().Params().At(1).Type())
	}
	for _, m := range operations {
		w.call(m.service, m.Name(), out, m.Signature().Results().At(0).Type())
	}
	return nil
}

// google adds the operations of Google's clients: those that a Do makes, and the methods of the client of Cloud Storage.
func (w *walker) google() error {
	var calls, made []method
	for _, m := range w.methods() {
		switch {
		case m.service == "storage-client":
			made = append(made, m)
		case strings.HasSuffix(m.receiver, "Call") && (m.Name() == "Do" || m.Name() == "Pages"):
			calls = append(calls, m)
		}
	}
	if len(calls) == 0 || len(made) == 0 {
		return errors.New("no operation of Google Cloud is called")
	}
	for _, m := range calls {
		w.request(m)
	}
	for _, m := range made {
		w.tuple(m, in, m.Signature().Params())
	}
	for _, m := range calls {
		if do := lookup(namedOf(m.Signature().Recv().Type()), "Do"); do != nil {
			w.answer(m, do.Signature().Results().At(0).Type())
		}
	}
	for _, m := range made {
		w.tuple(m, out, m.Signature().Results())
	}
	return nil
}

// request adds what the call of a Do takes: the body, and the parameters of the query, which the call has methods for.
func (w *walker) request(m method) {
	call := namedOf(m.Signature().Recv().Type())
	owner := m.service + " " + strings.TrimSuffix(m.receiver, "Call")
	w.model.calls = append(w.model.calls, owner)
	for _, maker := range makers(call) {
		for param := range maker.Signature().Params().Variables() {
			if within := w.within(m.service, in, param.Type()); within != nil {
				w.model.owners[owner] = append(w.model.owners[owner], member{name: within[0][len(m.service)+1:], kind: in, had: true, within: within})
			}
		}
	}
	for setter := range call.Methods() {
		results := setter.Signature().Results()
		if !setter.Exported() || results.Len() != 1 || namedOf(results.At(0).Type()) != call || slices.Contains(ofAllCalls, setter.Name()) {
			continue
		}
		w.model.owners[owner] = append(w.model.owners[owner], member{name: setter.Name(), kind: in, had: w.used[setter]})
	}
}

// answer adds what the call of a Do answers: a type, which many calls share.
func (w *walker) answer(m method, t types.Type) {
	owner := m.service + " " + strings.TrimSuffix(m.receiver, "Call")
	if within := w.within(m.service, out, t); within != nil {
		w.model.owners[owner] = append(w.model.owners[owner], member{name: within[0][len(m.service)+1:], kind: out, had: true, within: within})
	}
}

// ofAllCalls are methods that each call of Google's clients has.
var ofAllCalls = []string{"Context", "Fields", "IfNoneMatch", "Header"}

// makers returns the methods of services that make a call.
func makers(call *types.Named) (all []*types.Func) {
	scope := call.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		service, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !strings.HasSuffix(name, "Service") {
			continue
		}
		named, _ := service.Type().(*types.Named)
		if named == nil {
			continue
		}
		for maker := range named.Methods() {
			if results := maker.Signature().Results(); results.Len() == 1 && namedOf(results.At(0).Type()) == call {
				all = append(all, maker)
			}
		}
	}
	return all
}

// tuple adds the structs that a method of the client of Cloud Storage takes or returns.
func (w *walker) tuple(m method, kind string, values *types.Tuple) {
	owner := m.service + " " + m.receiver + "." + m.Name()
	for v := range values.Variables() {
		of := namedOf(v.Type())
		if of == nil || serviceOf(of.Obj().Pkg()) != m.service {
			continue
		}
		within := w.named(m.service, kind, of)
		if len(w.model.owners[within[0]]) == 0 { // a handle
			continue
		}
		w.model.calls = append(w.model.calls, owner)
		w.model.owners[owner] = append(w.model.owners[owner], member{name: of.Obj().Name(), kind: kind, had: true, within: within})
	}
}

// namedOf returns the named type that a type is or points to; nil if there is none.
func namedOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// lookup returns a method of a type; nil if it has none of that name.
func lookup(of *types.Named, name string) *types.Func {
	for m := range of.Methods() {
		if m.Name() == name {
			return m
		}
	}
	return nil
}
