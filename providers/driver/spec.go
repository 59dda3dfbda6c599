package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Spec is the merged spec of an object of any kind. In one process it holds a pointer to the kind's parameters, which is passed as
// it is; once it crossed a wire it holds their JSON. SpecOf reads either. The zero Spec declares nothing.
type Spec struct {
	value any // a pointer; nil if there is only raw
	raw   json.RawMessage
}

// NewSpec returns a Spec of a pointer to the parameters of a kind. Whoever passes it on must not change them any more.
func NewSpec(parameters any) Spec { return Spec{value: parameters} }

// SpecOf returns the parameters in a spec: the very pointer that NewSpec was given if that is of this type, and what its JSON says
// otherwise. They must not be changed. The error has the Code Invalid.
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

// Equal reports whether two specs say the same, whichever way they hold it.
func (s Spec) Equal(other Spec) bool {
	mine, err := s.MarshalJSON()
	theirs, otherErr := other.MarshalJSON()
	if err != nil || otherErr != nil {
		return false
	}
	var a, b bytes.Buffer
	return json.Compact(&a, mine) == nil && json.Compact(&b, theirs) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}
