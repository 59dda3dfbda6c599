// Package chart holds no code. Its module pins the versions of helm (4), helm3, kubeconform, helm-docs and
// promtool; `make tools` builds them into bin/ at the top of the repository, where tests start them.
//
// It is a module of its own so that their dependencies never enter Mooring's go.mod. It is one for all five, with
// the Kubernetes version of Mooring's go.mod, because what they share is then compiled once.
package chart
