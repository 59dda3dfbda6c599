// Package google is the endpoint of Google Cloud and what its APIs share: projects, service accounts, access tokens and who may have them,
// routes, request rates, errors, pages, and resources as JSON of which the cloud keeps what it was given.
//
// An API adds its routes with Handle, and Faults for the errors that it has words of its own for. The endpoint's lock is held in every
// route, so that an API needs none.
package google
