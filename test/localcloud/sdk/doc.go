// Package sdk is how the tests of stand-ins reach a cloud: one that starts for a test, with a clock that the test moves, the SDKs' own clients,
// what a new instance or bucket is like in most tests, and the checks of errors by their code. A stand-in's tests are in a package beside
// it that imports this one.
package sdk
