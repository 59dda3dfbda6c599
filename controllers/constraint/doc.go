// Package constraint evaluates the rules of classes: expressions in CEL that are true for objects that keep them.
//
// The environment is the API server's own, so that a rule has the libraries that rules of CRDs and admission
// policies have. It sees `spec`, the object's effective spec; `namespaceObject`, the object's namespace as in a
// ValidatingAdmissionPolicy; and `class`. All three have types: a misspelled field or a comparison of unlike values
// is an error when the rule is compiled, which is when the class is written, and not when an object is.
//
// What a rule may cost is bounded twice, as in the API server: by an estimate when it is compiled, and by
// a limit when it is evaluated.
package constraint
