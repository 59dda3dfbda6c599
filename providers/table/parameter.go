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
	// Problems says what of the parameters' type has no place in the call, and no reason for that.
	Problems() []string
}

// Names are the parameters that a call takes which is made by hand.
type Names []string

// Takes implements Taker.
func (n Names) Takes(name string) bool { return slices.Contains(n, name) }

// Problems implements Taker. What nothing takes at all is found by Adapter.Problems.
func (Names) Problems() []string { return nil }

// A Copier makes the parameters of one call, C, from what rows filled, P. A parameter goes into the call's field of the same name: a
// pointer into a pointer of that type, or its value into a field of the value's type; a value as it is. A parameter that is nil or zero
// was not filled, and is left out. Where C has a field ForceSendFields, a zero value that a pointer leads to is named in it: the clients
// of Google Cloud would leave it out.
type Copier[P, C any] struct {
	// Call is the cloud's name of the call.
	Call string
	// Lacks are the parameters that the call does not take, and why.
	Lacks map[string]string
	// Converts are the parameters that the call has under another name, or in another shape.
	Converts map[string]func(p *P, into *C)
}

// Copy puts the parameters that were filled into a call.
func (c Copier[P, C]) Copy(p *P, into *C) {
	from, to := reflect.ValueOf(p).Elem(), reflect.ValueOf(into).Elem()
	for i := range from.NumField() {
		name, value := from.Type().Field(i).Name, from.Field(i)
		convert, converted := c.Converts[name]
		switch _, lacks := c.Lacks[name]; {
		case value.IsZero() || lacks:
		case converted:
			convert(p, into)
		default:
			assign(to, name, value)
		}
	}
}

// assign sets the field of a call.
func assign(call reflect.Value, name string, value reflect.Value) {
	to := call.FieldByName(name)
	if value.Type().AssignableTo(to.Type()) && to.Kind() != reflect.Interface {
		to.Set(value)
		return
	}
	to.Set(value.Elem())
	if force := call.FieldByName("ForceSendFields"); force.IsValid() && value.Elem().IsZero() {
		force.Set(reflect.Append(force, reflect.ValueOf(name)))
	}
}

// Takes implements Taker.
func (c Copier[P, C]) Takes(name string) bool {
	if _, lacks := c.Lacks[name]; lacks {
		return false
	}
	if _, converted := c.Converts[name]; converted {
		return true
	}
	from, ok := reflect.TypeFor[P]().FieldByName(name)
	if !ok {
		return false
	}
	to, ok := reflect.TypeFor[C]().FieldByName(name)
	return ok && fits(from.Type, to.Type)
}

// fits reports whether assign can put a value of one type into a field of another.
func fits(from, to reflect.Type) bool {
	if from.AssignableTo(to) && to.Kind() != reflect.Interface {
		return true
	}
	return from.Kind() == reflect.Pointer && from.Elem().AssignableTo(to)
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
		case !lacks && !c.Takes(f.Name):
			all = append(all, fmt.Sprintf("%s has no field for the parameter %s of type %s: name the parameter as the call does, convert it, or say in Lacks why the call does not take it", c.Call, f.Name, f.Type))
		}
	}
	for name, why := range c.Lacks {
		if _, ok := params.FieldByName(name); !ok || why == "" {
			all = append(all, fmt.Sprintf("%s: Lacks names %s, which is no parameter or has no reason", c.Call, name))
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
