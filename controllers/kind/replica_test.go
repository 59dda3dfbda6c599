package kind

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What no cloud makes follow a primary is refused before anything is created, with what would be right.
func TestUnfitReplicas(t *testing.T) {
	for _, tt := range []struct {
		name    string
		spec    func(*v1alpha1.DatabaseSpec)
		primary func(*v1alpha1.Database)
		want    string // empty: it fits
	}{
		{name: "alike"},
		{name: "another minor version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = new("16.1") }},
		{name: "any version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = nil }},
		{name: "a larger disk", spec: func(s *v1alpha1.DatabaseSpec) { s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(60))} }},
		{name: "nothing is known", primary: func(d *v1alpha1.Database) { d.Status.Observed = nil }, spec: func(s *v1alpha1.DatabaseSpec) { s.Engine = new(v1alpha1.EngineMySQL) }},
		{name: "another engine", spec: func(s *v1alpha1.DatabaseSpec) { s.Engine = new(v1alpha1.EngineMySQL) }, want: "set spec.engine to postgres"},
		{name: "another major version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = new("17") }, want: "set spec.version to 16"},
		{name: "a smaller disk", spec: func(s *v1alpha1.DatabaseSpec) { s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))} }, want: "set spec.storage.sizeGiB to 50 or more"},
		{name: "another initial database", primary: func(d *v1alpha1.Database) { d.Spec.DatabaseName = new("app") }, spec: func(s *v1alpha1.DatabaseSpec) { s.DatabaseName = new("shop") }, want: "set spec.databaseName to app"},
		{name: "a database to connect to", spec: func(s *v1alpha1.DatabaseSpec) { s.DatabaseName = new("shop") }},
		{name: "an administrator of its own", spec: func(s *v1alpha1.DatabaseSpec) {
			s.Credentials = &v1alpha1.DatabaseCredentials{Username: new("other")}
		}, want: "remove spec.credentials.username"},
		{name: "no administrator named", primary: func(d *v1alpha1.Database) {
			d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: new("keeper")}
		}, want: "set spec.credentials.username to keeper"},
		{name: "its administrator", primary: func(d *v1alpha1.Database) {
			d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: new("keeper")}
		}, spec: func(s *v1alpha1.DatabaseSpec) {
			s.Credentials = &v1alpha1.DatabaseCredentials{Username: new("keeper")}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, primary := &v1alpha1.Database{}, &v1alpha1.Database{}
			d.Spec.Engine, d.Spec.Version = new(v1alpha1.EnginePostgres), new("16")
			primary.Status.Observed = &v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres), Version: new("16.3"), Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}}
			if tt.spec != nil {
				tt.spec(&d.Spec)
			}
			if tt.primary != nil {
				tt.primary(primary)
			}
			if got := unfitReplica(d, primary); got != "" && tt.want == "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What an object follows, and what follows it, is in its status as long as it is so.
func TestSetReplicaStatus(t *testing.T) {
	k, d := Database(), &v1alpha1.Database{}
	follows := &driver.Following{Primary: "orders", Location: "there", Problem: "behind"}
	const lag = v1alpha1.ReplicaLagHours
	if !SetReplicaStatus(k, d, follows, "db-1", lag, []string{"a"}) || SetReplicaStatus(k, d, follows, "db-1", lag, []string{"a"}) || SetReplicaStatus(k, d, follows, "db-2", lag, []string{"a"}) {
		t.Error("a change is not told, or told twice")
	}
	if got := ReplicaStatusOf(k, d); got == nil || *got != (v1alpha1.ReplicaStatus{Primary: "orders", PrimaryID: "db-1", Location: "there", Problem: "behind", Lag: lag}) || !slices.Equal(d.Status.Replicas, []string{"a"}) {
		t.Errorf("the status has %+v and %q", got, d.Status.Replicas)
	}
	if !SetReplicaStatus(k, d, follows, "db-1", "", []string{"a"}) || ReplicaStatusOf(k, d).Lag != "" {
		t.Error("a lag that is not known any more stays")
	}
	if !SetReplicaStatus(k, d, nil, "", "", nil) || ReplicaStatusOf(k, d) != nil || len(d.Status.Replicas) > 0 {
		t.Error("it is not forgotten")
	}
	if b := Bucket(); SetReplicaStatus(b, &v1alpha1.Bucket{}, follows, "", "", nil) || ReplicaStatusOf(b, &v1alpha1.Bucket{}) != nil || PrimaryName(b, &v1alpha1.Bucket{}) != "" {
		t.Error("a bucket follows something")
	}
}
