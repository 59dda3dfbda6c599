// Package retry decides when an object is reconciled next: after an error, while an operation runs in the cloud, and
// once the object has converged. One table maps the code of a cloud error to what it means for the object.
package retry
