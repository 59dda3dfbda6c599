// Package controlplane holds no code. Its module pins the versions of etcd, kube-apiserver,
// kube-controller-manager and kubectl; `make controlplane` builds them into bin/ at the top of
// the repository, where tests, benchmarks and the quickstart start them on loopback.
//
// It is a module of its own so that Kubernetes' dependencies never enter Mooring's go.mod.
// To move to another version, change the version of k8s.io/kubernetes and of every staging
// module behind it (v1.N.P and v0.N.P belong together), and run `go mod tidy` here.
package controlplane
