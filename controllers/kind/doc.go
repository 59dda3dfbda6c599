// Package kind is the registry of the kinds of cloud objects, with one file for each kind. Everything that works for
// all kinds iterates over All: the reconcilers, classes, admission, metrics, the checks of an installation and the
// documents.
//
// A Kind holds what the accessors of the API types do not provide: names, constructors, the kind's class, defaults, and
// the content of the connection Secret. It is data and pure functions. The package imports no other package of the
// controllers.
package kind
