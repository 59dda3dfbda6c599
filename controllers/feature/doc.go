// Package feature says what a feature is: what objects of some kinds have beyond what all objects have, such as an expiry or actions that people ask for. Each feature is a folder
// below this one, with all of its phases. It offers a closed set of hooks, the fields of Feature, and the one loop in package resource calls them: the loop knows no
// feature by name.
//
// A kind says in its file in package kind, as data, which features it has, and how its objects say what a feature needs. Features in package controllers is the one list of
// all features. A feature may import packages kind, plan, outcome and reconciliation, and what its own phases need, but no phase of the loop.
package feature
