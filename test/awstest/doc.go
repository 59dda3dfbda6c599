// Package awstest is what tests of the driver for AWS share: a local cloud with a session of the driver in it, a clock that only the test
// moves, and clients for what somebody else does behind the driver's back.
//
// A test of one service has an environment of its own around it, with what is done there to objects of that service.
package awstest
