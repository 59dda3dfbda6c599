package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// mostDatabaseWrites are the writes that one new database takes until it is Ready, beside its creation by the user: to the API server (docs/adr/0023), and to the
// cloud, which is asked for the server, and in Cloud SQL for the database in it also.
var mostDatabaseWrites = map[string]struct{ kubernetes, cloud int }{"rds": {5, 1}, "sqladmin": {6, 2}}

// one creates one database in each cloud while there is no other object, and counts what it takes from its creation until it is Ready.
func one(ctx context.Context, s *environment, r *results) error {
	if err := s.run(ctx, quiet); err != nil {
		return err
	}
	for _, g := range s.groups {
		if g.isBucket() || g.count == 0 {
			continue
		}
		if err := s.oneDatabase(ctx, g, r.of(g)); err != nil {
			return err
		}
	}
	return nil
}

func (s *environment) oneDatabase(ctx context.Context, g *group, m *measured) error {
	if err := s.child.pause(ctx, 2*time.Second); err != nil { // the account has been looked at
		return err
	}
	s.cloud.Ledger.Reset()
	mark, err := s.cluster.Audit().Mark()
	if err != nil {
		return err
	}
	d := g.object(g.service + "-one").(*v1alpha1.Database)
	d.Namespace, d.Spec.DeletionPolicy = g.namespace(), v1alpha1.DeletionDelete // and no final snapshot, which is looked at ever after
	if err := s.client.Create(ctx, d); err != nil {
		return err
	}
	if err := s.awaitDatabase(ctx, d, func(err error) bool {
		return err == nil && meta.IsStatusConditionTrue(d.Status.Conditions, v1alpha1.ConditionReady)
	}); err != nil {
		return err
	}
	if err := s.child.pause(ctx, 2*time.Second); err != nil { // what follows Ready counts too
		return err
	}
	requests, err := s.requests(mark)
	if err != nil {
		return err
	}
	m.oneWrites = requests.Count(kubernetesWrites, func(r cluster.Request) bool { return in(g)(r) || inVault(r) })
	m.oneCalls = s.cloud.Ledger.Count(localcloud.Filter{Service: g.service, Write: localcloud.Writes})
	m.one = true
	if err := s.client.Delete(ctx, d); err != nil {
		return err
	}
	return s.awaitDatabase(ctx, d, apierrors.IsNotFound)
}

// awaitDatabase reads a database until it is as wanted.
func (s *environment) awaitDatabase(ctx context.Context, d *v1alpha1.Database, so func(error) bool) error {
	for began := time.Now(); ; {
		err := s.client.Get(ctx, client.ObjectKeyFromObject(d), d)
		switch {
		case so(err):
			return nil
		case err != nil:
			return err
		case time.Since(began) > time.Minute:
			return fmt.Errorf("%s/%s is not as it should be after a minute: %+v", d.Namespace, d.Name, d.Status.Conditions)
		}
		if err := s.child.pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// printOne prints what one database takes.
func (r *results) printOne(t *table) {
	kubernetes, cloud, found := true, true, false
	for _, g := range r.groups {
		m, most := r.of(g), mostDatabaseWrites[g.service]
		kubernetes = kubernetes && (!m.one || m.oneWrites <= most.kubernetes)
		cloud = cloud && (!m.one || m.oneCalls <= most.cloud)
		found = found || m.one
	}
	if !found {
		return
	}
	cell := func(n func(*measured) int) func(*group, *measured) string {
		return func(_ *group, m *measured) string {
			if !m.one {
				return "–"
			}
			return fmt.Sprint(n(m))
		}
	}
	rds, sql := mostDatabaseWrites["rds"], mostDatabaseWrites["sqladmin"]
	t.line("one database alone, from its creation to Ready")
	t.row(r, "  Kubernetes writes", cell(func(m *measured) int { return m.oneWrites }), "",
		t.hold(kubernetes, fmt.Sprintf("at most %d in RDS, %d in Cloud SQL", rds.kubernetes, sql.kubernetes)))
	t.row(r, "  cloud writes", cell(func(m *measured) int { return m.oneCalls }), "",
		t.hold(cloud, fmt.Sprintf("at most %d in RDS, %d in Cloud SQL", rds.cloud, sql.cloud)))
}
