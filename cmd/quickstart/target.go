package main

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
)

// A target is the cluster that Mooring is shown in: the quickstart's own, or somebody's.
type target struct {
	*transcript
	root    string           // of the source tree
	cluster *cluster.Cluster // nil until it was started or attached
	client  client.Client
	// Of somebody's cluster: installed says that there is something to remove, where names the cluster in messages, kubeconfig is the
	// person's file that leads there, and removal the command that removes everything.
	installed                  bool
	where, kubeconfig, removal string
}

// start starts a cluster of the quickstart's own.
func (t *target) start(ctx context.Context) (err error) {
	if t.cluster, err = cluster.Start(ctx, cluster.Options{ControllerManager: true}); err != nil {
		return err
	}
	if err := t.connect(); err != nil {
		return err
	}
	t.step("Kubernetes API       %s", t.cluster.Config().Host)
	return nil
}

// connect makes the client.
func (t *target) connect() error {
	scheme, err := controllers.NewScheme()
	if err != nil {
		return err
	}
	t.client, err = client.New(t.cluster.Config(), client.Options{Scheme: scheme})
	return err
}

// stop ends what start or attach began.
func (t *target) stop() error {
	if t.cluster == nil {
		return nil
	}
	return t.cluster.Stop()
}

// remover returns who removes what was installed.
func (t *target) remover() *remover {
	return &remover{transcript: t.transcript, client: t.client, where: t.where, kubeconfig: t.kubeconfig}
}
