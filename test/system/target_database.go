package system

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func init() {
	Targets = append(Targets,
		databaseTarget("aws", "rds", newAWSDatabases, Operations{
			Observe: "DescribeDBInstances", Create: "CreateDBInstance", Mark: "AddTagsToResource", Delete: "DeleteDBInstance", Disrupt: "ModifyDBInstance",
		}),
		databaseTarget("gcp", "sqladmin", newGCPDatabases, Operations{
			Observe: "instances.get", Create: "instances.insert", Mark: "instances.patch", Delete: "instances.delete", Disrupt: "instances.patch",
		}))
}

// Sizes are the instance classes and tiers that the tests use, small ones first.
var Sizes = map[string][]string{
	"aws": {"db.t4g.micro", "db.t4g.small", "db.t4g.medium"},
	"gcp": {"db-f1-micro", "db-g1-small", "db-custom-1-3840"},
}

// SetSize sets the instance class or tier.
func SetSize(c *Cloud, p *v1alpha1.DatabaseParameters, size string) {
	switch c.Name {
	case "aws":
		p.AWS = &v1alpha1.DatabaseAWS{InstanceClass: &size}
	case "gcp":
		p.GCP = &v1alpha1.DatabaseGCP{Tier: &size}
	default:
		panic("no sizes are known in the cloud " + c.Name)
	}
}

// MinimalDatabase declares what a database must have.
func MinimalDatabase(c *Cloud) v1alpha1.DatabaseParameters {
	p := v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres)}
	SetSize(c, &p, Sizes[c.Name][0])
	return p
}

// FullDatabase declares all that a database can have.
func FullDatabase(c *Cloud) v1alpha1.DatabaseParameters {
	p := MinimalDatabase(c)
	p.Location = new(map[string]string{"aws": "eu-central-1", "gcp": "europe-west3"}[c.Name])
	p.Version = new("15")
	p.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}
	p.DatabaseName = new("app")
	p.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(2))}
	p.DeletionProtection = new(true)
	p.Tags = map[string]v1alpha1.TagValue{"team": "a"}
	return p
}

// databaseTarget is the kind Database in a cloud. Minimal and full ones go without a final snapshot.
func databaseTarget(cloud, service string, console func(*Cloud) Console, operations Operations) Target {
	declare := func(parameters func(*Cloud) v1alpha1.DatabaseParameters, policy v1alpha1.DeletionPolicy) func(*Cloud, metav1.ObjectMeta) client.Object {
		return func(c *Cloud, at metav1.ObjectMeta) client.Object {
			d := &v1alpha1.Database{ObjectMeta: at}
			d.Spec.ProviderConfigRef, d.Spec.DatabaseParameters, d.Spec.DeletionPolicy = c.Ref(), parameters(c), policy
			return d
		}
	}
	return Target{
		Kind: "Database", Cloud: cloud, Service: service, Operations: operations, Console: console,
		New:     func() v1alpha1.ResourceObject { return &v1alpha1.Database{} },
		Minimal: declare(MinimalDatabase, v1alpha1.DeletionDelete),
		Typical: declare(typicalDatabase, ""),
		Full:    declare(FullDatabase, v1alpha1.DeletionDelete),
		Connect: func(o client.Object, secret string) {
			o.(*v1alpha1.Database).Spec.Connection = &v1alpha1.Connection{SecretName: secret}
		},
		SetDeletionPolicy: func(o client.Object, p v1alpha1.DeletionPolicy) {
			o.(*v1alpha1.Database).Spec.DeletionPolicy = p
		},
		Edit: func(o client.Object) {
			d := o.(*v1alpha1.Database)
			d.Spec.Backup.RetentionDays = new(int32(9))
			d.Spec.Tags = map[string]v1alpha1.TagValue{"team": "sales"}
		},
		Disrupt: func(c *Cloud, o client.Object) {
			SetSize(c, &o.(*v1alpha1.Database).Spec.DatabaseParameters, Sizes[c.Name][1])
		},
		Field: "engine", Mirror: `"postgres"`,
	}
}

func typicalDatabase(c *Cloud) v1alpha1.DatabaseParameters {
	p := v1alpha1.DatabaseParameters{
		Engine: new(v1alpha1.EnginePostgres), Version: new("16"), DatabaseName: new("orders"),
		Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))},
		Backup:  &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))},
		Tags:    map[string]v1alpha1.TagValue{"team": "shop"},
	}
	SetSize(c, &p, map[string]string{"aws": "db.t4g.micro", "gcp": "db-custom-1-3840"}[c.Name])
	return p
}
