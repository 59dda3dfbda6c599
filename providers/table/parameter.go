package table

import (
	"fmt"
	"reflect"
	"slices"
)

// A Taker says which parameters a call takes, by the names of the fields of P.
type Taker interface {
	// Takes reports whether the call takes a parameter.
	Takes(name string) bool
	// Problems returns the parameters that the call does not take, and that have no reason for it.
	Problems() []string
}

// Names are the parameters of a call that is written without a Copier.
type Names []string

// Takes implements Taker.
func (n Names) Takes(name string) bool { return slices.Contains(n, name) }

// Problems implements Taker. Parameters that no call takes are reported by Adapter.Problems.
func (Names) Problems() []string { return nil }

// A Copier copies the parameters that rows filled, P, to the parameters of a call, C.
//
// A parameter is copied to the field of the same name. A pointer is copied to a pointer field of that type, or its
// value to a value field. A value is copied as it is. A nil or zero parameter was not filled, and is left out. If C has
// a field ForceSendFields, zero values that pointers lead to are listed in it, because the Google Cloud clients leave
// them out otherwise.
type Copier[P, C any] struct {
	// Call is the cloud's name of the call.
	Call string
	// Lacks are the parameters that the call does not take, and why.
	Lacks map[string]string
	// Converts are functions for the parameters that the call has under another name, or with another type.
	Converts map[string]func(p *P, into *C)
	// ByHand are the parameters that the caller sets itself, and why: they need more than the value of the parameter.
	ByHand map[string]string
	// Rest is why the call lacks all other parameters for which it has no field. It is for a call that is followed by
	// another call, which sets them. If it is empty, every missing parameter must be in Lacks.
	Rest string
	// Inner is the name of the call's field that points to a nested struct with further fields; empty if there is none.
	// The pointer must not be nil when Copy is called.
	Inner string
}

// Copy copies the filled parameters to a call, except those in ByHand.
func (c Copier[P, C]) Copy(p *P, into *C) {
	from, call := reflect.ValueOf(p).Elem(), reflect.ValueOf(into).Elem()
	for i := range from.NumField() {
		name, value := from.Type().Field(i).Name, from.Field(i)
		_, lacks := c.Lacks[name]
		_, byHand := c.ByHand[name]
		convert, converted := c.Converts[name]
		switch {
		case value.IsZero() || lacks || byHand:
		case converted:
			convert(p, into)
		case c.inCall(name, value.Type()):
			assign(call, name, value)
		case c.Rest != "" && !c.inInner(name, value.Type()):
		default:
			assign(call.FieldByName(c.Inner).Elem(), name, value)
		}
	}
}

// assign sets a field.
func assign(in reflect.Value, name string, value reflect.Value) {
	to := in.FieldByName(name)
	if value.Type().AssignableTo(to.Type()) && to.Kind() != reflect.Interface {
		to.Set(value)
		return
	}
	to.Set(value.Elem())
	if force := in.FieldByName("ForceSendFields"); force.IsValid() && value.Elem().IsZero() {
		force.Set(reflect.Append(force, reflect.ValueOf(name)))
	}
}

// Takes implements Taker.
func (c Copier[P, C]) Takes(name string) bool {
	param, ok := reflect.TypeFor[P]().FieldByName(name)
	_, lacks := c.Lacks[name]
	_, byHand := c.ByHand[name]
	_, converted := c.Converts[name]
	return ok && !lacks && (byHand || converted || c.inCall(name, param.Type) || c.inInner(name, param.Type))
}

// inCall and inInner report whether the call, or the struct within it, has a field for a parameter.
func (c Copier[P, C]) inCall(name string, param reflect.Type) bool {
	return holds(reflect.TypeFor[C](), name, param)
}

func (c Copier[P, C]) inInner(name string, param reflect.Type) bool {
	inner, ok := reflect.TypeFor[C]().FieldByName(c.Inner)
	return ok && inner.Type.Kind() == reflect.Pointer && holds(inner.Type.Elem(), name, param)
}

// holds reports whether a struct has a field that assign can put a parameter into.
func holds(in reflect.Type, name string, param reflect.Type) bool {
	to, ok := in.FieldByName(name)
	if !ok {
		return false
	}
	return param.AssignableTo(to.Type) && to.Type.Kind() != reflect.Interface ||
		param.Kind() == reflect.Pointer && param.Elem().AssignableTo(to.Type)
}

// Problems implements Taker.
func (c Copier[P, C]) Problems() []string {
	var all []string
	params := reflect.TypeFor[P]()
	for f := range params.Fields() {
		_, lacks := c.Lacks[f.Name]
		switch {
		case !f.IsExported():
			all = append(all, fmt.Sprintf("%s: the parameter %s can't be copied: give it a name that begins with a capital letter", c.Call, f.Name))
		case !lacks && !c.Takes(f.Name) && c.Rest == "":
			all = append(all, fmt.Sprintf("%s has no field for the parameter %s of type %s: name the parameter as the call does, convert it, or say in Lacks why the call does not take it", c.Call, f.Name, f.Type))
		}
	}
	for _, exempt := range []struct {
		list  string
		names map[string]string
	}{{"Lacks", c.Lacks}, {"ByHand", c.ByHand}} {
		for name, why := range exempt.names {
			if _, ok := params.FieldByName(name); !ok || why == "" {
				all = append(all, fmt.Sprintf("%s: %s names %s, which is no parameter or has no reason", c.Call, exempt.list, name))
			}
		}
	}
	for name := range c.Converts {
		if _, ok := params.FieldByName(name); !ok {
			all = append(all, fmt.Sprintf("%s: Converts names %s, which is no parameter", c.Call, name))
		}
	}
	slices.Sort(all)
	return all
}
