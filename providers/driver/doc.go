// Package driver is the contract between Mooring and a cloud: what a provider plugin implements,
// and what it may rely on. Everything in it could cross a wire, and nothing in it knows Kubernetes
// clients: a driver sees a request and its cloud.
//
// Package providers/mem is the reference implementation; providers/drivertest holds the suite that
// every driver must pass.
package driver
