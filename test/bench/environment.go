package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// A group is the objects of one kind in one cloud. It has a namespace of its own, by which the audit log
// tells its requests.
type group struct {
	title   string
	service string // in the cloud's ledger
	look    string // the call that each re-check of an object makes once
	object  func(name string) client.Object
	count   int
}

func (g *group) namespace() string { return "bench-" + g.service }

func (g *group) name(i int) string { return fmt.Sprintf("%s-%05d", g.service, i) }

// An environment is everything that runs.
type environment struct {
	options
	dir        string
	controller string // the program
	cluster    *cluster.Cluster
	cloud      *localcloud.Cloud
	client     client.WithWatch
	groups     []*group
	child      *child
	webhook    string // address
	metrics    string // address
}

// start builds the controller and starts all else.
func start(ctx context.Context, o options) (_ *environment, err error) {
	logf.SetLogger(logr.Discard())
	s := &environment{options: o, groups: groups(o)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.dir, err = os.MkdirTemp("", "mooring-bench-"); err != nil {
		return nil, err
	}
	progress("building the controller …")
	if s.controller, err = cluster.BuildProgram(ctx, os.Stderr, "cmd/mooring"); err != nil { // as it is released: memory depends on it
		return nil, err
	}
	progress("starting the control plane and the local cloud …")
	if s.cluster, err = cluster.Start(ctx, cluster.Options{Audit: true}); err != nil {
		return nil, err
	}
	if s.cloud, err = localcloud.Start(localcloud.Options{ListenersOnly: true, InstanceQuota: -1}); err != nil {
		return nil, err
	}
	scheme, err := controllers.NewScheme()
	if err != nil {
		return nil, err
	}
	if s.client, err = client.NewWithWatch(s.cluster.Config(), client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	if err := s.install(ctx); err != nil {
		return nil, err
	}
	for _, g := range s.groups {
		if err := system.EnsureNamespace(ctx, s.client, g.namespace()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *environment) kubeconfig() string { return filepath.Join(s.dir, "kubeconfig") }

// close ends all that start started, the controller first.
func (s *environment) close() error {
	var errs []error
	if s.child != nil {
		errs = append(errs, s.child.stop())
	}
	if s.cloud != nil {
		errs = append(errs, s.cloud.Close())
	}
	if s.cluster != nil {
		errs = append(errs, s.cluster.Stop())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// groups are the objects as a developer would write them: what is set is set for a reason, and the rest is the cloud's.
func groups(o options) []*group {
	bucket := func(config string) func(string) client.Object {
		return func(name string) client.Object {
			return &v1alpha1.Bucket{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec: v1alpha1.BucketSpec{
					ResourceSpec: uses(config),
					BucketParameters: v1alpha1.BucketParameters{
						Versioning: new(v1alpha1.VersioningEnabled),
						Tags:       map[string]v1alpha1.TagValue{"team": "shop"},
					},
				},
			}
		}
	}
	database := func(config string, size func(*v1alpha1.DatabaseParameters)) func(string) client.Object {
		return func(name string) client.Object {
			d := &v1alpha1.Database{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec: v1alpha1.DatabaseSpec{
					ResourceSpec: uses(config),
					DatabaseParameters: v1alpha1.DatabaseParameters{
						Engine: new(v1alpha1.EnginePostgres), Version: new("16"), DatabaseName: new("shop"),
						Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))},
					},
					Connection: &v1alpha1.Connection{SecretName: name},
				},
			}
			size(&d.Spec.DatabaseParameters)
			return d
		}
	}
	rds := func(p *v1alpha1.DatabaseParameters) {
		p.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
	}
	sql := func(p *v1alpha1.DatabaseParameters) { p.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-custom-1-3840")} }
	return []*group{
		{"S3", "s3", "GetBucketTagging", bucket("aws"), o.share("aws", o.buckets)},
		{"Cloud Storage", "storage", "buckets.get", bucket("gcp"), o.share("gcp", o.buckets)},
		{"RDS", "rds", "DescribeDBInstances", database("aws", rds), o.share("aws", o.databases)},
		{"Cloud SQL", "sqladmin", "instances.get", database("gcp", sql), o.share("gcp", o.databases)},
	}
}

// share is how many of n objects are in a cloud.
func (o options) share(cloud string, n int) int {
	switch {
	case o.cloudOption == cloud:
		return n
	case o.cloudOption != both:
		return 0
	case cloud == "aws":
		return n - n/2
	}
	return n / 2
}

func uses(config string) v1alpha1.ResourceSpec {
	return v1alpha1.ResourceSpec{ProviderConfigRef: &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: config}}
}

// isBucket tells the two kinds apart.
func (g *group) isBucket() bool { return g.service == "s3" || g.service == "storage" }
