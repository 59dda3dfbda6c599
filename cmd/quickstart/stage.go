package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A stage is everything that runs.
type stage struct {
	*transcript
	dir        string // kubeconfig, cloud.json, env and mooring.log
	temporary  bool   // dir goes with the stage
	root       string // of the source tree
	cluster    *cluster.Cluster
	installed  bool   // into a cluster of somebody's, from which it is to be removed
	where      string // that cluster, for messages
	kubeconfig string // the person's file that leads there
	removal    string // the command that removes it
	cloud      *localcloud.Cloud
	controller *controller
	client     client.Client
	// kubectlFile is the kubectl of this machine, else bin/kubectl.
	kubectlFile string
	// said is the state of each object that was told last.
	said map[string]string
}

// The accounts that the local clouds are shown with. Their ids are made up.
const (
	awsAccount = "123456789012"
	awsRegion  = "eu-central-1"
	gcpProject = "mooring-quickstart"
	gcpRegion  = "europe-west3"
)

// pace is how long the local cloud's states last: long enough to be seen, short enough to be waited for.
var pace = localcloud.Durations{
	Create: 4 * time.Second, Modify: 2 * time.Second, Delete: 2 * time.Second, Snapshot: 2 * time.Second,
	StorageOptimization: time.Minute,
}

// raise starts everything and returns once it works. What it started ends if it fails. end is called when the
// stage can't go on later.
func raise(ctx context.Context, end context.CancelCauseFunc, o options, t *transcript) (_ *stage, err error) {
	s := &stage{transcript: t, said: map[string]string{}}
	defer func() { //nolint:contextcheck // it ends what runs because ctx has ended
		if err != nil {
			err = errors.Join(err, s.strike())
		}
	}()
	if err := s.folder(o.dir); err != nil {
		return nil, err
	}
	if s.root, err = cluster.Repository(); err != nil {
		return nil, fmt.Errorf("%w; run it inside Mooring's source tree", err)
	}
	// Each part is started as soon as it is built, so that the first is to be seen after seconds.
	if err := s.startClouds(); err != nil { //nolint:contextcheck // it runs until Close
		return nil, err
	}
	if s.kubectlFile, err = buildControlPlane(ctx, t, s.root, o.kubeconfig == ""); err != nil {
		return nil, err
	}
	if o.kubeconfig == "" {
		err = s.startControlPlane(ctx)
	} else {
		err = s.install(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	if err := s.admitPeople(ctx); err != nil {
		return nil, err
	}
	program, err := buildController(ctx, t, s.root)
	if err != nil {
		return nil, err
	}
	if err := s.startController(ctx, end, program); err != nil {
		return nil, err
	}
	if err := s.openAccounts(ctx); err != nil {
		return nil, err
	}
	return s, s.keep(ctx)
}

// strike ends everything, in the order in which nobody misses what is already gone.
func (s *stage) strike() error {
	var errs []error
	if s.controller != nil {
		errs = append(errs, s.controller.stop())
	}
	if s.installed {
		if err := s.removeAll(); err != nil {
			errs = append(errs, fmt.Errorf("%w; this command continues the removal: %s", err, s.removal))
		}
		errs = append(errs, s.removeFiles(credentialFiles()...))
	}
	if s.cloud != nil {
		errs = append(errs, s.cloud.Close())
	}
	if s.cluster != nil {
		errs = append(errs, s.cluster.Stop())
	}
	if s.temporary {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// folder makes the folder that others may look into, without a former stage's files.
func (s *stage) folder(dir string) (err error) {
	if dir == "" {
		s.dir, err = os.MkdirTemp("", "mooring-quickstart-")
		s.temporary = err == nil
		return err
	}
	if s.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("%w; set --dir to a folder that can be created and written", err)
	}
	return s.removeFiles(append(credentialFiles(), cloudFile, envFile, gcpKeyFile, tokenFile)...)
}

// credentialFiles are those that lead to the cluster. If the cluster is somebody's they hold this person's own credentials.
func credentialFiles() []string {
	files := []string{kubeconfigFile, controllerFile}
	for _, p := range people {
		files = append(files, p.file)
	}
	return files
}

// removeFiles removes files of the folder, if they are there.
func (s *stage) removeFiles(names ...string) error {
	for _, name := range names {
		if err := os.Remove(s.file(name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

func (s *stage) file(name string) string { return filepath.Join(s.dir, name) }

func (s *stage) startClouds() (err error) {
	if s.cloud, err = localcloud.Start(localcloud.Options{Durations: pace}); err != nil {
		return fmt.Errorf("start local cloud: %w", err)
	}
	s.step("local AWS            %s", s.cloud.AWSEndpoint())
	s.step("local Google Cloud   %s", s.cloud.GCPEndpoint())
	s.step("database instances   servers of this machine's PostgreSQL and MariaDB, whatever version the spec requests")
	for _, engine := range []struct{ name, server, packages string }{
		{"postgres", "PostgreSQL", "apt-get install postgresql (brew install postgresql)"},
		{"mysql", "MariaDB", "apt-get install mariadb-server (brew install mariadb)"},
	} {
		if err := localcloud.EngineAvailable(engine.name); err != nil {
			s.step("NO %s SERVER HERE: %s instances only accept connections, and nobody can log in to them.\n%v\nFor real servers: %s",
				engine.server, engine.name, err, engine.packages)
		}
	}
	return nil
}

func (s *stage) startControlPlane(ctx context.Context) (err error) {
	if s.cluster, err = cluster.Start(ctx, cluster.Options{ControllerManager: true}); err != nil {
		return err
	}
	if err := s.connect(); err != nil {
		return err
	}
	s.step("Kubernetes API       %s", s.cluster.Config().Host)
	return nil
}

// connect makes the client.
func (s *stage) connect() error {
	scheme, err := controllers.NewScheme()
	if err != nil {
		return err
	}
	s.client, err = client.New(s.cluster.Config(), client.Options{Scheme: scheme})
	return err
}
