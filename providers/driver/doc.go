// Package driver is the contract between Mooring and a cloud: what a provider plugin implements,
// and what it may rely on. All its messages are data that survives JSON, which the conformance suite proves for
// each driver; in one process they are passed as they are. Beside the messages are the secrets, in types that
// show nothing, and the Host: what a driver may ask of its caller. Nothing here knows Kubernetes clients: a driver
// sees a request and its cloud.
//
// Package providers/mem is the reference implementation; providers/table is what drivers are made of; and
// providers/drivertest holds the suite that every driver must pass.
package driver
