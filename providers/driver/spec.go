package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Spec is the merged spec of an object of any kind. Within one process it has a pointer to the kind's parameters.
// After an encoding it has their JSON. SpecOf reads both. The zero Spec declares nothing.
type Spec struct {
	value any // a pointer; nil if there is only raw
	raw   json.RawMessage
}

// NewSpec returns a Spec for a pointer to a kind's parameters. The parameters must not be changed afterwards.
func NewSpec(parameters any) Spec { return Spec{value: parameters} }

// SpecOf returns the parameters in a spec. They are the pointer that NewSpec got, if it has the type S; otherwise they
// are decoded from its JSON. They must not be changed. The error has the Code Invalid.
func SpecOf[S any](spec Spec) (*S, error) {
	if p, ok := spec.value.(*S); ok && p != nil {
		return p, nil
	}
	text, err := spec.MarshalJSON()
	if err != nil {
		return nil, &Error{Code: Invalid, Message: fmt.Sprintf("the spec can't be read: %v", err), Err: err}
	}
	parameters := new(S)
	if err := json.Unmarshal(text, parameters); err != nil {
		return nil, &Error{Code: Invalid, Message: fmt.Sprintf("the spec can't be read: %v", err), Err: err}
	}
	return parameters, nil
}

// MarshalJSON implements json.Marshaler: it returns the parameters as JSON.
func (s Spec) MarshalJSON() ([]byte, error) {
	switch {
	case s.value != nil:
		return json.Marshal(s.value)
	case s.raw != nil:
		return s.raw, nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Spec) UnmarshalJSON(text []byte) error {
	*s = Spec{}
	if !bytes.Equal(text, []byte("null")) {
		s.raw = bytes.Clone(text)
	}
	return nil
}

// Equal reports whether two specs declare the same, whether they have pointers or JSON.
func (s Spec) Equal(other Spec) bool {
	mine, err := s.MarshalJSON()
	theirs, otherErr := other.MarshalJSON()
	if err != nil || otherErr != nil {
		return false
	}
	var a, b bytes.Buffer
	return json.Compact(&a, mine) == nil && json.Compact(&b, theirs) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}
