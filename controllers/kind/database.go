package kind

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// +kubebuilder:rbac:groups=mooring.dev,resources=databases,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=mooring.dev,resources=databases/status;databaseclasses/status,verbs=patch
// +kubebuilder:rbac:groups=mooring.dev,resources=databaseclasses,verbs=get;list;watch

// Database returns the kind Database.
func Database() *Kind {
	return &Kind{
		Name: "Database", Plural: "databases",
		New:     func() v1alpha1.ResourceObject { return &v1alpha1.Database{} },
		NewList: func() client.ObjectList { return &v1alpha1.DatabaseList{} },
		Class: &Class{
			Name: "DatabaseClass", Plural: "databaseclasses",
			New:     func() v1alpha1.ClassObject { return &v1alpha1.DatabaseClass{} },
			NewList: func() client.ObjectList { return &v1alpha1.DatabaseClassList{} },
		},
		Login:          true,
		Fixed:          []string{"location", "engine", "databaseName"},
		DeletionPolicy: v1alpha1.DeletionSnapshot,
		WhenVanished:   v1alpha1.WhenVanishedStop,
		Restoring:      databaseRestoring(),
		Replicating:    databaseReplicating(),
		Former: func(o v1alpha1.ResourceObject) **v1alpha1.FormerServer {
			return &o.(*v1alpha1.Database).Status.FormerServer
		},
		Window:           databaseWindow,
		CreationWarnings: databaseRegrets,
		ExposureWarnings: databaseExposes,
		SetEndpoint:      setDatabaseEndpoint,
		FinalSnapshot:    finalSnapshot,
		Backup:           snapshotBefore,
		Support:          &Support{Set: setDatabaseSupport, Of: databaseSupport},
		Rotation:         databaseRotation,
		Actions:          databaseActions,
		Binding:          databaseBinding,
	}
}

func databaseWindow(object v1alpha1.ResourceObject) *v1alpha1.MaintenanceWindow {
	if m := object.(*v1alpha1.Database).Spec.Maintenance; m != nil {
		return m.Window
	}
	return nil
}

func databaseRegrets(object v1alpha1.ResourceObject) (lines []string) {
	d := object.(*v1alpha1.Database)
	if replica := d.Spec.Replica; d.Spec.DeletionPolicy == v1alpha1.DeletionDelete && (replica == nil || replica.Role == v1alpha1.ReplicaRolePrimary) {
		lines = append(lines, "deletionPolicy Delete: when this object is deleted no final snapshot is taken, and the data is lost for good")
	}
	if c := d.Spec.Credentials; d.Spec.Connection == nil && (c == nil || c.PasswordSecretRef == nil && c.Source != v1alpha1.CredentialsCloudManaged) {
		lines = append(lines, "spec.connection is not set: no Secret with host, user and password is written, and nobody learns the password; set spec.connection.secretName")
	}
	if d.Spec.Backup != nil && d.Spec.Backup.RetentionDays != nil && *d.Spec.Backup.RetentionDays == 0 {
		lines = append(lines, "backup.retentionDays is 0: there are no automatic backups, and no restore to a point in time")
	}
	return append(lines, databaseExposes(object)...)
}

func databaseExposes(object v1alpha1.ResourceObject) []string {
	return networkRegrets(object.(*v1alpha1.Database).Spec.Network)
}

// networkRegrets warns of a server that the Internet can reach, and of networks so large that they let in nearly everybody.
func networkRegrets(n *v1alpha1.DatabaseNetwork) (lines []string) {
	if n == nil {
		return nil
	}
	if n.PublicAccess != nil && *n.PublicAccess == v1alpha1.PublicAccessAllowed {
		lines = append(lines, "network.publicAccess is Allowed: the server has an address on the Internet")
	}
	for _, text := range n.AllowedCIDRs {
		if network, err := netip.ParsePrefix(text); err == nil && network.Bits() < smallestPrefix {
			lines = append(lines, fmt.Sprintf("network.allowedCIDRs contains %s, which lets in %s: name the networks of the clients", text, howMany(network)))
		}
	}
	return lines
}

// smallestPrefix is the length of the prefix of the largest networks that a single organisation owns: a class A network.
const smallestPrefix = 8

func howMany(network netip.Prefix) string {
	if network.Bits() == 0 {
		return "the whole Internet"
	}
	return fmt.Sprintf("1 of %d addresses of the Internet", 1<<network.Bits())
}

func setDatabaseEndpoint(object v1alpha1.ResourceObject, at driver.Endpoint) {
	d := object.(*v1alpha1.Database)
	d.Status.PasswordSecret, d.Status.ServiceAttachment = at.PasswordSecret, at.ServiceAttachment
	if d.Status.Endpoint = ""; at.Host != "" {
		d.Status.Endpoint = net.JoinHostPort(at.Host, strconv.Itoa(int(at.Port)))
	}
}

func databaseRotation(object v1alpha1.ResourceObject) **v1alpha1.PasswordRotation {
	return &object.(*v1alpha1.Database).Status.Rotation
}

func databaseActions(object v1alpha1.ResourceObject) *[]v1alpha1.ActionStatus {
	return &object.(*v1alpha1.Database).Status.Actions
}

func databaseBinding(object v1alpha1.ResourceObject, cloud *driver.Description, at driver.Endpoint, password string) (corev1.SecretType, map[string][]byte) {
	d := object.(*v1alpha1.Database)
	engine, scheme, query := "postgresql", "postgresql", "sslmode=require"
	// Clients of MySQL are those of MariaDB, too, and look for that type and scheme.
	if e := d.Spec.Engine; e != nil && (*e == v1alpha1.EngineMySQL || *e == v1alpha1.EngineMariaDB) {
		engine, scheme, query = "mysql", "mysql", ""
	}
	port := strconv.Itoa(int(at.Port))
	uri := url.URL{
		Scheme: scheme, User: url.UserPassword(at.Username, password),
		Host: net.JoinHostPort(at.Host, port), Path: "/" + at.Database, RawQuery: query,
	}
	entries := map[string]string{
		"type": engine, "provider": cloud.Name, "host": at.Host, "port": port,
		"username": at.Username, "password": password, "database": at.Database,
		KeyCertificates: at.Certificates, KeyServerName: at.ServerName, "uri": uri.String(),
	}
	if at.PasswordSecret != "" { // who may read the password there reads it there
		delete(entries, "password")
		delete(entries, "uri")
		entries[KeyPasswordSecret] = at.PasswordSecret
	}
	return serviceBinding(engine, entries)
}
