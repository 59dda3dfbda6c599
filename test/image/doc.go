// Package image tests the image that `make image` writes. It builds it twice and compares, reads all that is in
// it, and runs its program as Kubernetes would under the restricted policy: in a file system made of nothing but the
// image's layers, read-only, as a user without privileges, against a real API server.
//
// It builds for the machine's own platform, since each more costs minutes in a new checkout; IMAGE_PLATFORMS names others.
package image
