// Command quickstart shows the whole system on one machine: a real Kubernetes API server, a local AWS and
// Google Cloud, and Mooring's controller as a process of its own, all on loopback. It applies config/samples,
// reports their conditions, queries a database through its Secret, and shows how drift is corrected.
//
//	quickstart [--once] [--samples=false] [--dir DIR] [--kubeconfig FILE [--remote] [--remove]]
//
// With --kubeconfig it uses a cluster that runs already in place of the API server. It refuses a cluster that has anything of what it
// would install, removes all of that at the end, and touches no cluster that the flag does not name.
//
// Nothing is left running when it ends, whatever way that is: a process supervisor kills the servers when the kernel drops quickstart's
// lock of a file (see test/cluster/supervisor), and quickstart itself ends with the process that started it.
package main
