// Package store holds no code. Its module pins the version of versitygw, a server of another maker that has the API of S3; `make tools` builds it
// into bin/ at the top of the repository, where tests start it: see test/store.
//
// It is a module of its own so that the dependencies of versitygw never enter Mooring's go.mod. Nothing of it is in a release.
package store
