// Package succession is the feature of objects whose cloud object another one can take the place of, as in a blue/green upgrade of a server: the cloud prepares a successor beside it, which
// then takes over its name and its address. The former server stays until a person agrees to its deletion, or until the object is deleted.
//
// Kinds of which that is so declare kind.Former. That the successor is the object's own, by the cloud's own answer, the plan itself decides: see plan.Ownership.
package succession
