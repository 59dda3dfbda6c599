// Package check holds what the tests of the local cloud share: waiting for what is to come true, results that a test
// can't do without, and clients of database servers, such as applications have. It imports no stand-in, so that the
// tests inside of each may use it. What only one service's tests need stays with that service.
package check
