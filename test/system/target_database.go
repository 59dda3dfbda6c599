package system

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func init() {
	Targets = append(Targets,
		DatabaseTarget("aws", "rds", newAWSDatabases, Operations{
			Observe: "DescribeDBInstances", Create: "CreateDBInstance", CreateMore: []string{"CreateDBInstance"},
			Mark: "AddTagsToResource", Unmark: "RemoveTagsFromResource", Delete: "DeleteDBInstance",
			Disrupt: "ModifyDBInstance", Password: "ModifyDBInstance",
		}),
		DatabaseTarget("gcp", "sqladmin", newGCPDatabases, Operations{
			Observe: "instances.get", Create: "instances.insert", CreateMore: []string{"instances.insert", "databases.insert", "users.insert"},
			Mark: "instances.patch", Delete: "instances.delete",
			Disrupt: "instances.patch", Password: "users.update",
		}))
}

// Sizes are the instance classes and tiers that the tests use in each cloud, small ones first.
var Sizes = map[string][]string{
	"aws": {"db.t4g.micro", "db.t4g.small", "db.t4g.medium"},
	"gcp": {"db-f1-micro", "db-g1-small", "db-custom-1-3840"},
}

// SizeFields are the fields that hold them, and sizeSetters set these.
var (
	SizeFields  = map[string]string{"aws": "aws.instanceClass", "gcp": "gcp.tier"}
	SizeSetters = map[string]func(p *v1alpha1.DatabaseParameters, size string){
		"aws": func(p *v1alpha1.DatabaseParameters, size string) { p.AWS = &v1alpha1.DatabaseAWS{InstanceClass: &size} },
		"gcp": func(p *v1alpha1.DatabaseParameters, size string) { p.GCP = &v1alpha1.DatabaseGCP{Tier: &size} },
	}
)

// MinimalVersions are those that databases must declare in clouds that choose none.
var MinimalVersions = map[string]string{}

// SetSize sets the instance class or tier.
func SetSize(c *Cloud, p *v1alpha1.DatabaseParameters, size string) { SizeSetters[c.Name](p, size) }

// MinimalDatabase declares what a database must have.
func MinimalDatabase(c *Cloud) v1alpha1.DatabaseParameters {
	p := v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres)}
	if version, demanded := MinimalVersions[c.Name]; demanded {
		p.Version = &version
	}
	SetSize(c, &p, Sizes[c.Name][0])
	return p
}

// FullDatabase declares all that a database can have.
func FullDatabase(c *Cloud) v1alpha1.DatabaseParameters {
	p := MinimalDatabase(c)
	p.Location = new(c.Region())
	p.Version = new("15")
	p.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20)), MaxSizeGiB: new(int32(1000))}
	p.Availability = new(v1alpha1.AvailabilitySingleZone)
	p.DatabaseName = new("app")
	p.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(2)), StartTime: new("03:00")}
	p.Maintenance = &v1alpha1.DatabaseMaintenance{
		Window:        &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("05:00")},
		MinorUpgrades: new(v1alpha1.MinorUpgradesAutomatic),
	}
	p.DeletionProtection = new(true)
	p.Tags = map[string]v1alpha1.TagValue{"team": "a"}
	if c.Name == "gcp" { // as the stand-in has it
		p.GCP.PrivateNetwork = new("projects/network-host/global/networks/shop")
	}
	if c.Name == "aws" { // as the stand-in has them in every account
		p.AWS.DBSubnetGroupName, p.AWS.VPCSecurityGroupIDs = new("shop"), []string{"sg-0b1b2c3d4e5f60719"}
		p.AWS.DBParameterGroupName = new("default.postgres15")
	}
	return p
}

// DatabaseTarget is the kind Database in a cloud. Minimal and full ones go without a final snapshot.
func DatabaseTarget(cloud, service string, console func(*Cloud) Console, operations Operations) Target {
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
		SecretType: "servicebinding.io/postgresql",
		SetDeletionPolicy: func(o client.Object, p v1alpha1.DeletionPolicy) {
			o.(*v1alpha1.Database).Spec.DeletionPolicy = p
		},
		SetTags: func(o client.Object, tags map[string]v1alpha1.TagValue) { o.(*v1alpha1.Database).Spec.Tags = tags },
		SetPassword: func(o client.Object, secret string) {
			o.(*v1alpha1.Database).Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: secret}}
		},
		More: func(o client.Object) {
			d := o.(*v1alpha1.Database)
			d.Spec.DatabaseName, d.Spec.Credentials = new("app"), &v1alpha1.DatabaseCredentials{Username: new("keeper")}
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
