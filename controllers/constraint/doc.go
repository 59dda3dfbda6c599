// Package constraint evaluates the rules of classes: expressions in CEL that are true for the objects that the class
// allows.
//
// The environment is the API server's own, so a rule has the libraries that rules of CRDs and admission policies have.
// It has three variables: `spec`, the object's effective spec; `namespaceObject`, the object's namespace as in a
// ValidatingAdmissionPolicy; and `class`. All of them are typed. So a misspelled field, or a comparison of different
// types, is an error when the class is written, not when an object is evaluated.
//
// The cost of a rule is limited twice, as in the API server: by an estimate when the rule is compiled, and by a limit
// when it is evaluated.
package constraint
