package cluster

import (
	"errors"
	"fmt"
	"io"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Attach returns a cluster that runs already. config has one context, and all it needs inside. UserKubeconfig impersonates users, so
// the user of config needs the right to impersonate; User is for clusters of ours only. Stop ends what Command started, and leaves
// the cluster running.
func Attach(config clientcmdapi.Config) (*Cluster, error) {
	rest, err := clientcmd.NewDefaultClientConfig(config, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("attach to cluster: %w", err)
	}
	rest.QPS = unlimited
	binaries, err := folder()
	if err != nil {
		return nil, fmt.Errorf("attach to cluster: %w", err)
	}
	c := &Cluster{binaries: binaries, log: io.Discard, config: rest, attached: &config}
	if err := c.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("attach to cluster: %w", err), c.Stop())
	}
	return c, nil
}

// impersonating returns a kubeconfig with which the user of config acts as another user.
func impersonating(config clientcmdapi.Config, name string, groups []string) ([]byte, error) {
	as := config.DeepCopy()
	current, found := as.Contexts[as.CurrentContext]
	if !found || as.AuthInfos[current.AuthInfo] == nil {
		return nil, fmt.Errorf("impersonate %q: the kubeconfig names no user", name)
	}
	user := as.AuthInfos[current.AuthInfo]
	user.Impersonate, user.ImpersonateGroups = name, groups
	content, err := clientcmd.Write(*as)
	if err != nil {
		return nil, fmt.Errorf("impersonate %q: %w", name, err)
	}
	return content, nil
}
