// Package cluster starts a real Kubernetes control plane on loopback: etcd, kube-apiserver and, when asked
// for, kube-controller-manager, out of the binaries that `make controlplane` builds into bin/.
//
//	c := cluster.ForTest(t, cluster.Options{Audit: true})
//	client, err := client.New(c.Config(), client.Options{})
//	…
//	mark, err := c.Audit().Mark()
//	…
//	requests, err := c.Audit().Since(mark)
//	writes := requests.Count(cluster.Writes, cluster.By("mooring"))
//
// There is no kubelet and no scheduler: objects are stored, validated, watched and garbage-collected,
// and no pod ever runs. The servers cannot outlive the program that started them: each runs under a supervisor
// (see the command supervisor), which holds a lock that the kernel drops when that program ends, whatever way it ends.
//
// The tests of a package that calls Run in its TestMain use the same clusters one after the other; between two of them etcd is made to hold
// what it held after the start.
//
// Only tests, benchmarks and the quickstart import this package.
package cluster
