// Package kind is the registry of the kinds that stand for something in a cloud, a file a kind. Everything that works for all
// kinds iterates over All: the reconcilers, classes, admission, metrics, the checks of an installation and documents.
//
// It holds what is not on the API types, which have accessors: names, constructors, the kind's class, defaults, and what the
// connection Secret holds. It is data and pure functions, and knows no other package of the controllers.
package kind
