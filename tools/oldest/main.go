// Command oldest is kubectl, of the oldest version of Kubernetes that Mooring supports. `make tools` builds it into bin/kubectl-oldest, and test/docs
// runs the commands of all pages with it.
//
// It is a module of its own, since Mooring's go.mod has another version of all that kubectl consists of. Nothing of it is in a release.
package main

import (
	_ "k8s.io/client-go/plugin/pkg/client/auth" // as the kubectl of a release has them
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	util.CheckErr(cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()))
}
