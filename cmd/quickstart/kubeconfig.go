package main

import (
	"fmt"
	"net"
	"net/url"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// readKubeconfig reads one context of a kubeconfig, the current one unless a flag names another, with all that it needs inside. It
// refuses a cluster on another machine unless the person said so. A tunnel that begins on this machine can't be told from a cluster.
func readKubeconfig(o options) (*clientcmdapi.Config, error) {
	config, err := clientcmd.LoadFromFile(o.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read --kubeconfig: %w", err)
	}
	if o.context != "" {
		config.CurrentContext = o.context
	}
	if err := clientcmdapi.MinifyConfig(config); err != nil {
		return nil, fmt.Errorf("read --kubeconfig %s: %w", o.kubeconfig, err)
	}
	if err := clientcmdapi.FlattenConfig(config); err != nil {
		return nil, fmt.Errorf("read --kubeconfig %s: %w", o.kubeconfig, err)
	}
	target := targetOf(config)
	switch {
	case target == nil:
		return nil, fmt.Errorf("read --kubeconfig %s: context %q names no cluster that is in the file", o.kubeconfig, config.CurrentContext)
	case o.remote:
	case target.ProxyURL != "":
		return nil, fmt.Errorf("%s is behind a proxy, so it may be on another machine; nothing was changed. To use it anyway, add --remote",
			describe(config, o.kubeconfig))
	case !onThisMachine(target.Server):
		return nil, fmt.Errorf("%s is not on this machine; nothing was changed. To use it anyway, add --remote", describe(config, o.kubeconfig))
	}
	return config, nil
}

// targetOf returns the cluster of the current context; nil if there is none.
func targetOf(config *clientcmdapi.Config) *clientcmdapi.Cluster {
	current := config.Contexts[config.CurrentContext]
	if current == nil {
		return nil
	}
	return config.Clusters[current.Cluster]
}

// describe names the cluster of the current context in messages.
func describe(config *clientcmdapi.Config, file string) string {
	return fmt.Sprintf("the cluster %s (context %q of %s)", targetOf(config).Server, config.CurrentContext, file)
}

// removal is the command that removes what a killed quickstart left. It names the context: the current one may be another by then.
func removal(o options, name string) string {
	remote := ""
	if o.remote {
		remote = " --remote"
	}
	return fmt.Sprintf("make quickstart QUICKSTART_FLAGS='--kubeconfig=%s --context=%s%s --remove'", o.kubeconfig, name, remote)
}

// onThisMachine says whether a server's address is of the loopback interface, as those of kind and k3d are.
func onThisMachine(server string) bool {
	address, err := url.Parse(server)
	if err != nil {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() == "localhost" || (ip != nil && (ip.IsLoopback() || ip.IsUnspecified()))
}
