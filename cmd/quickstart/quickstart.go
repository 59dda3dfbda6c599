package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mooring-dev/mooring/test/cluster"
)

// A quickstart is everything that runs.
type quickstart struct {
	*transcript
	folder     *folder
	clouds     *clouds
	target     *target
	controller *controller
	// kubectl is that of this machine, else bin/kubectl.
	kubectl string
}

// startQuickstart starts everything and returns once it works. What it started ends if it fails. end is called when the
// quickstart can't go on later.
func startQuickstart(ctx context.Context, end context.CancelCauseFunc, o options, t *transcript) (_ *quickstart, err error) {
	q := &quickstart{transcript: t}
	defer func() { //nolint:contextcheck // it ends what runs because ctx has ended
		if err != nil {
			err = errors.Join(err, q.stop())
		}
	}()
	if q.folder, err = newFolder(o.dir); err != nil {
		return nil, err
	}
	root, err := cluster.Repository()
	if err != nil {
		return nil, fmt.Errorf("%w; run it inside Mooring's source tree", err)
	}
	// Each part is started as soon as it is built, so that the first is to be seen after seconds.
	if q.clouds, err = startClouds(t); err != nil { //nolint:contextcheck // it runs until Close
		return nil, err
	}
	if q.kubectl, err = buildControlPlane(ctx, t, root, o.kubeconfig == ""); err != nil {
		return nil, err
	}
	q.target = &target{transcript: t, root: root}
	if o.kubeconfig == "" {
		err = q.target.start(ctx)
	} else {
		err = q.target.install(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	if err := q.target.admitPeople(ctx, q.folder); err != nil {
		return nil, err
	}
	program, err := buildController(ctx, t, root)
	if err != nil {
		return nil, err
	}
	if q.controller, err = launch(ctx, end, program, q.target, q.folder); err != nil {
		return nil, err
	}
	opened := &accounts{transcript: t, client: q.target.client, clouds: q.clouds, log: q.controller.log}
	if err := opened.open(ctx); err != nil {
		return nil, err
	}
	files := &accessFiles{transcript: t, folder: q.folder, clouds: q.clouds, cluster: q.target.cluster, kubectl: q.kubectl}
	return q, files.write(ctx)
}

// stop ends everything, in the order in which nobody misses what is already gone.
func (q *quickstart) stop() error {
	var errs []error
	if q.controller != nil {
		errs = append(errs, q.controller.stop())
	}
	if q.target != nil && q.target.installed {
		if err := q.target.remover().removeAll(); err != nil {
			errs = append(errs, fmt.Errorf("%w; this command continues the removal: %s", err, q.target.removal))
		}
		errs = append(errs, q.folder.remove(credentialFiles()...))
	}
	if q.clouds != nil {
		errs = append(errs, q.clouds.Close())
	}
	if q.target != nil {
		errs = append(errs, q.target.stop())
	}
	if q.folder != nil {
		errs = append(errs, q.folder.close())
	}
	return errors.Join(errs...)
}

// demonstration returns one of all that runs.
func (q *quickstart) demonstration() *demonstration {
	t, c := q.transcript, q.target.client
	return &demonstration{
		transcript: t, client: c, clouds: q.clouds, log: q.controller.log, metrics: q.controller.metrics,
		kubectl:  &kubectl{transcript: t, root: q.target.root, program: q.kubectl, kubeconfig: q.folder.file(kubeconfigFile)},
		follower: &follower{transcript: t, client: c, log: q.controller.log, said: map[string]string{}},
		querier:  &querier{transcript: t, client: c, folder: q.folder},
	}
}
