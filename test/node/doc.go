// Package node stands in for the machine that Pods run on: tests have a real API server, and no kubelet. It stores a Pod as
// a Deployment's controller would, so that admission validates it and adds what it adds, and then starts the container of
// what was stored as a process: with its arguments, environment, volumes and user, in a root file system that has
// nothing else in it. It asks the container's probes, and passes on what is sent to Services.
//
// Pods have no network of their own here. Each has an address of the loopback network instead, and an argument that names a
// port only, as ":8080", gets that address before it.
package node
