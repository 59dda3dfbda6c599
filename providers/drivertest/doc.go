// Package drivertest is the suite that every driver must pass: the obligations of package driver, one
// named subtest each, for every kind that the driver has.
//
//	func TestConformance(t *testing.T) {
//		drivertest.Run(t, drivertest.Harness{Driver: ..., Kinds: []drivertest.Trial{bucketKind(), databaseKind()}})
//	}
//
// A driver's author brings a Harness: the driver, a cloud to run it on, a way into that cloud behind the driver's
// back, and a list of values to try. What a harness leaves out is skipped, and the skip says what was not shown.
// providers/mem holds the shortest complete harness. Run the suite a second time with the driver in Encoded: all that
// crosses the contract has to survive JSON.
package drivertest
