// Command upstream says what the clouds' SDKs know of the calls that our drivers make, and what of it is new (`make upstream`).
//
// It reads the types of the SDKs that go.mod pins and the sources of providers/aws and providers/gcp. It starts at each operation that a driver calls,
// and writes one line for each field of its input and its output, of each type within them, and for each value of an enumeration:
//
//	rds ModifyDBInstance in MaxAllocatedStorage
//	rds DBInstance out MultiAZ
//	s3 BucketVersioningStatus value Enabled
//
// A type stands once, however many calls have it: "in" if it can be sent, and "out" if it is only answered. RDS has few enumerations: most of its strings are
// explained in prose, which is not read. Google's clients name values in comments, which are.
//
// Each line is one of three things:
//   - had: the driver's code names the field, or a table.Copier copies it. A value is had if the driver uses its constant, or if the driver or the API types write it.
//     This is what the compiler sees of the code, so nobody keeps a list of it.
//   - left out: left-out.txt has a pattern for it, with the reason. What is within a field that is left out is left out with it.
//   - neither. It is printed until somebody adds it or says why not.
//
// recorded.txt is the state that somebody has looked at. A test holds that it is what the pinned SDKs say, so that an upgrade that brings or takes something
// fails until somebody has run `make upstream`, decided about what is new, and written the new state by `make upstream UPDATE=1`.
package main
