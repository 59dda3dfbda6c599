package controllers

import (
	"encoding/json"
	"net"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource"
	"github.com/mooring-dev/mooring/providers/driver"
)

// databaseKind tells how a Database reads.
func databaseKind() *resource.Kind[*v1alpha1.Database, v1alpha1.DatabaseParameters] {
	return &resource.Kind[*v1alpha1.Database, v1alpha1.DatabaseParameters]{
		Name: "Database", Plural: "databases",
		New:         func() *v1alpha1.Database { return &v1alpha1.Database{} },
		List:        func() client.ObjectList { return &v1alpha1.DatabaseList{} },
		Spec:        func(d *v1alpha1.Database) *v1alpha1.ResourceSpec { return &d.Spec.ResourceSpec },
		Status:      func(d *v1alpha1.Database) *v1alpha1.ResourceStatus { return &d.Status.ResourceStatus },
		Connection:  func(d *v1alpha1.Database) *v1alpha1.Connection { return d.Spec.Connection },
		Credentials: func(d *v1alpha1.Database) *v1alpha1.DatabaseCredentials { return d.Spec.Credentials },
		Parameters: func(d *v1alpha1.Database) (v1alpha1.DatabaseParameters, string) {
			p := d.Spec.DatabaseParameters.DeepCopy()
			return *p, deref(p.Location)
		},
		Observed: func(d *v1alpha1.Database, mirror json.RawMessage) error {
			return replace(&d.Status.Observed, mirror)
		},
		Mirror: func(d *v1alpha1.Database) *v1alpha1.DatabaseParameters { return d.Status.Observed },
		Endpoint: func(d *v1alpha1.Database, at driver.Endpoint) {
			if d.Status.Endpoint = ""; at.Host != "" {
				d.Status.Endpoint = net.JoinHostPort(at.Host, strconv.Itoa(int(at.Port)))
			}
		},
		Deletion: func(d *v1alpha1.Database) (v1alpha1.DeletionPolicy, bool) {
			if d.Spec.DeletionPolicy == "" {
				return v1alpha1.DeletionSnapshot, false
			}
			return d.Spec.DeletionPolicy, false
		},
		Regrets:      databaseRegrets,
		WhenVanished: v1alpha1.WhenVanishedStop,
		Binding:      databaseBinding,
	}
}

// databaseRegrets says what a user may regret of a new database.
func databaseRegrets(d *v1alpha1.Database) (lines []string) {
	if d.Spec.DeletionPolicy == v1alpha1.DeletionDelete {
		lines = append(lines, "deletionPolicy Delete: when this object is deleted no final snapshot is taken, and the data is lost for good")
	}
	if d.Spec.Connection == nil && (d.Spec.Credentials == nil || d.Spec.Credentials.PasswordSecretRef == nil) {
		lines = append(lines, "spec.connection is not set: no Secret with host, user and password is written, and nobody learns the password; set spec.connection.secretName")
	}
	if d.Spec.Backup != nil && d.Spec.Backup.RetentionDays != nil && *d.Spec.Backup.RetentionDays == 0 {
		lines = append(lines, "backup.retentionDays is 0: there are no automatic backups, and no restore to a point in time")
	}
	return lines
}

func databaseBinding(d *v1alpha1.Database, cloud *driver.Description, at driver.Endpoint, password string) (corev1.SecretType, map[string][]byte) {
	kind, scheme, query := "postgresql", "postgresql", "sslmode=require"
	if deref(d.Spec.Engine) == v1alpha1.EngineMySQL {
		kind, scheme, query = "mysql", "mysql", ""
	}
	port := strconv.Itoa(int(at.Port))
	uri := url.URL{
		Scheme: scheme, User: url.UserPassword(at.Username, password),
		Host: net.JoinHostPort(at.Host, port), Path: "/" + at.Database, RawQuery: query,
	}
	return "servicebinding.io/" + corev1.SecretType(kind), filled(map[string]string{
		"type": kind, "provider": cloud.Name, "host": at.Host, "port": port,
		"username": at.Username, "password": password, "database": at.Database,
		"certificates": at.Certificates, "uri": uri.String(),
	})
}
