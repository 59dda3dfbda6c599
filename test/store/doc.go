// Package store runs a server of another maker that has the API of S3: versitygw, in one process on loopback, over a folder of its own. Tests lead the
// driver of AWS to it by a provider config with spec.aws.s3Compatible.
//
//	s := store.Start(t, store.Options{})
//	... s.Endpoint, s.Keys, s.Client(t) ...
//
// `make tools` builds the program, whose version tools/store/go.mod pins. Where it is not built, tests are skipped with SKIPPED, NOT TESTED, and fail
// under CI.
//
// A Front stands before the store, counts requests, and makes them go wrong.
package store
