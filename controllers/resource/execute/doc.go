// Package execute does one action that the plan decided: it stores what finding the object again will take, writes the password Secret, calls
// the cloud, writes connection Secrets, or removes the finalizer. It works on its own copy of the object, and returns what happened.
package execute
