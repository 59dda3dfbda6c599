// Package retry says when to come back to an object: after an error, while the cloud works, and when
// all is well. One table maps the code of an error to what it means for the object.
package retry
