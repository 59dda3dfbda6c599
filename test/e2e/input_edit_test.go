package e2e

import (
	"maps"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// A badEdit is an edit of a database of which the cloud, or the driver, refuses a part.
type badEdit struct {
	name, cloud string
	edit        func(*v1alpha1.DatabaseSpec)
	says        []string
	// applied is a field that is right, and its value as the mirror shows it.
	applied, value string
}

// badEdits name each refused field, all of several, and what is beside them is applied.
var badEdits = []badEdit{
	{
		name: "several fields that RDS refuses", cloud: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.Version, s.Backup = new("99"), &v1alpha1.DatabaseBackup{RetentionDays: new(int32(9))}
			s.AWS.DBSubnetGroupName, s.AWS.CACertificateIdentifier, s.AWS.InstanceClass = new("nowhere"), new("rds-ca-none"), new("db.t9.micro")
		},
		says:    []string{"version: ", "aws.dbSubnetGroupName: ", "aws.caCertificateIdentifier: ", "aws.instanceClass: "},
		applied: "backup.retentionDays", value: "9",
	},
	{
		name: "security groups that are not there", cloud: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) { s.AWS.VPCSecurityGroupIDs = []string{"sg-0fffffffffffffff0"} },
		says: []string{"aws.vpcSecurityGroupIDs: "},
	},
	{
		name: "a parameter group that is not there", cloud: "aws",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.AWS.DBParameterGroupName, s.Backup = new("nowhere"), &v1alpha1.DatabaseBackup{RetentionDays: new(int32(9))}
		},
		says:    []string{"aws.dbParameterGroupName: "},
		applied: "backup.retentionDays", value: "9",
	},
	{
		name: "several fields that Cloud SQL refuses", cloud: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.Version, s.Parameters = new("99"), parameters{"max_connections": "5"}
			s.GCP.PrivateNetwork = new("projects/network-host/global/networks/nowhere")
		},
		says: []string{"version: ", "gcp.privateNetwork: ", "parameters: "},
	},
	{
		name: "a tier that Cloud SQL lacks", cloud: "gcp",
		edit: func(s *v1alpha1.DatabaseSpec) {
			s.GCP.Tier, s.Backup = new("db-custom-3-1"), &v1alpha1.DatabaseBackup{RetentionDays: new(int32(9))}
		},
		says:    []string{"gcp.tier: "},
		applied: "backup.retentionDays", value: "9",
	},
}

// An edit that can't be made leaves the database as it is, and available. All fields that are refused are named, not the first alone. What was
// there before in the spec makes it Ready again.
func TestBadEdit(t *testing.T) {
	t.Parallel()
	for _, test := range badEdits {
		t.Run(test.name, func(t *testing.T) {
			w := newFixture(t)
			c := w.cloud(test.cloud)
			d := w.database(c, "orders", system.MinimalDatabase(c))
			opened := w.database(c, "orders", system.MinimalDatabase(c))
			test.edit(&opened.Spec) // the class allows what the edit names
			opened = throughOpenClass(w, c, opened)
			d.Spec.ProviderConfigRef, d.Spec.ClassName = opened.Spec.ProviderConfigRef, opened.Spec.ClassName
			w.create(d)
			s := w.ready(d)
			name, before, spec := s.Status.ExternalName, maps.Clone(s.Mirror), d.Spec.DeepCopy()

			edit(w, d, func(d *v1alpha1.Database) { test.edit(&d.Spec) })
			w.stalled(d, v1alpha1.ReasonInvalid, test.says...)
			if test.applied != "" {
				w.state(d, "with what is right beside it", func(s system.Snapshot) bool { return s.Value(test.applied) == test.value })
			}
			w.observedAgain(c, name, 2)
			s = w.stalled(d, v1alpha1.ReasonInvalid, test.says...)
			if !s.Is(v1alpha1.ConditionAvailable, yes) {
				w.Errorf("an edit that is refused takes Available away:\n    %v", s)
			}
			after := maps.Clone(s.Mirror)
			delete(before, "backup")
			delete(after, "backup")
			w.equal("the server", after, before)

			mark := taken(c, name)
			edit(w, d, func(d *v1alpha1.Database) { d.Spec = *spec.DeepCopy() })
			w.ready(d)
			w.observedAgain(c, name, 1)
			w.equal("writes that the cloud has taken on the way back", taken(c, name)-mark, 0)
		})
	}
}

// taken counts the writes to an object that the cloud has not refused.
func taken(c *system.Cloud, name string) (n int) {
	for _, call := range c.Ledger.Calls(localcloud.Filter{Resource: name, Write: localcloud.Writes}) {
		if call.Committed && call.Code == "" {
			n++
		}
	}
	return n
}

// A disk that is larger than the spec asks for is no difference: a smaller size than it has is taken, and changes nothing.
func TestSmallerDiskThanThereIs(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		p := system.MinimalDatabase(c)
		p.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(60))}
		d := w.database(c, "orders", p)
		w.create(d)
		name := w.ready(d).Status.ExternalName
		mark := len(c.Writes(name))
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Storage.SizeGiB = new(int32(30)) })
		w.ready(d)
		w.mirrors(d, "storage.sizeGiB", "60")
		w.expectWrites(c, name, mark)
	})
}
