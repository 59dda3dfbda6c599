// Package execute does one action that the plan decided: it stores what finding the object again will take, calls the cloud, has features store and
// publish what is theirs, or removes the finalizer. It works on its own copy of the object, and returns what happened.
package execute
