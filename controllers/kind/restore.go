package kind

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// A Restoring describes how objects of a kind are restored at their creation. All functions are pure.
type Restoring struct {
	// Of is the name of the kind of the snapshots.
	Of string
	// From returns the restore that a spec asks for; nil if the object is to be created empty.
	From func(v1alpha1.ResourceObject) *v1alpha1.DatabaseRestore
	// Mismatch returns why an object with this spec can't be restored from a snapshot, and how to correct the spec;
	// empty if it can. The class is merged into the object.
	Mismatch func(v1alpha1.ResourceObject, *driver.SnapshotDetails) string
	// Details returns the details that a snapshot of a cloud object would have. mirror is the observed state of the
	// object, as JSON of the kind's parameters.
	Details func(mirror json.RawMessage) (*driver.SnapshotDetails, error)
	// Same reports whether an observed snapshot is the one that a snapshot object represents.
	Same func(snapshot v1alpha1.ResourceObject, seen driver.Observation) bool
	// Contents are fields of the spec that name something the snapshot must contain, for example a database. If the
	// snapshot lacks it, it is not created empty.
	Contents []string
	// Status points to the part of the status about the snapshot or server from which the object was restored.
	Status func(v1alpha1.ResourceObject) **v1alpha1.RestoredFrom
}

// RestoreFrom returns the restore that an object's spec asks for; nil if the object is to be created empty.
func (k *Kind) RestoreFrom(object v1alpha1.ResourceObject) *v1alpha1.DatabaseRestore {
	if k.Restoring == nil {
		return nil
	}
	return k.Restoring.From(object)
}

// Restores reports whether an object was restored, or is to be restored. want is the object with its class merged in,
// and stored the object as it is stored.
func (k *Kind) Restores(want v1alpha1.ResourceObject, stored v1alpha1.ResourceObject) bool {
	return k.RestoreFrom(want) != nil || k.Restored(stored)
}

// Restored reports whether the status says from what the cloud object was restored. A cloud object that was adopted was
// not restored.
func (k *Kind) Restored(stored v1alpha1.ResourceObject) bool {
	return k.Restoring != nil && *k.Restoring.Status(stored) != nil
}

// VanishedServer returns the server that vanished, if the object's present server was restored in its place, or is
// being restored. It is zero if there is none.
func (k *Kind) VanishedServer(stored v1alpha1.ResourceObject) driver.ParentRef {
	if k.Restoring == nil {
		return driver.ParentRef{}
	}
	from := *k.Restoring.Status(stored)
	if from == nil || from.VanishedID == "" {
		return driver.ParentRef{}
	}
	return driver.ParentRef{Name: from.Server, ID: from.VanishedID}
}

// SetRestored writes to the status from which snapshot or server the object is restored. from is nil if it is not
// restored; a read replica counts as not restored. It reports whether the status changed.
func (k *Kind) SetRestored(object v1alpha1.ResourceObject, from *driver.Restore) (changed bool) {
	if k.Restoring == nil {
		return false
	}
	status := k.Restoring.Status(object)
	before := *status
	if *status = nil; from != nil && !from.Follows {
		*status = &v1alpha1.RestoredFrom{
			Snapshot: from.Snapshot, SnapshotID: from.SnapshotID, Server: from.Source.Name, Time: secondOf(from.Time),
			Database: from.SourceMark.Name, DatabaseUID: from.SourceMark.UID, VanishedID: from.Vanished,
		}
		if from.SourceMark != (driver.Mark{}) {
			(*status).ServerID = from.Source.ID
		}
	}
	return !equality.Semantic.DeepEqual(before, *status)
}

// CopyOf returns from which database the cloud object is created as a copy. A copy first has the ownership mark of that
// database. It returns false if the cloud object has its own mark from the beginning.
func (k *Kind) CopyOf(object v1alpha1.ResourceObject) (of *v1alpha1.RestoredFrom, copies bool) {
	if k.Restoring == nil {
		return nil, false
	}
	of = *k.Restoring.Status(object)
	return of, of != nil && of.DatabaseUID != ""
}

// ClearRestored removes from the status from which snapshot or server the object was restored, because another cloud
// object takes its place. If the object replaced a server that vanished, nothing is removed, because that server may
// still be restored.
func ClearRestored(k *Kind, object v1alpha1.ResourceObject) {
	if k.Restoring != nil && k.VanishedServer(object).ID == "" {
		*k.Restoring.Status(object) = nil
	}
}

func databaseRestoring() *Restoring {
	return &Restoring{
		Of: "DatabaseSnapshot", Contents: []string{"databaseName"}, Mismatch: unfitForDatabase, Same: sameSnapshot, Details: detailsOfDatabase,
		From: func(o v1alpha1.ResourceObject) *v1alpha1.DatabaseRestore {
			return o.(*v1alpha1.Database).Spec.RestoreFrom
		},
		Status: func(o v1alpha1.ResourceObject) **v1alpha1.RestoredFrom {
			return &o.(*v1alpha1.Database).Status.RestoredFrom
		},
	}
}

// detailsOfDatabase returns what a database is like. That it is encrypted is for the driver to check.
func detailsOfDatabase(mirror json.RawMessage) (*driver.SnapshotDetails, error) {
	p := &v1alpha1.DatabaseParameters{}
	if err := json.Unmarshal(mirror, p); err != nil {
		return nil, err
	}
	is := &driver.SnapshotDetails{Engine: string(valueOf(p.Engine)), Version: valueOf(p.Version), Encrypted: true}
	if p.Storage != nil {
		is.SizeGiB = valueOf(p.Storage.SizeGiB)
	}
	return is, nil
}

// sameSnapshot compares the identity, where the cloud has one, and else when and of what the snapshot was taken: a name may have passed to another one.
func sameSnapshot(snapshot v1alpha1.ResourceObject, seen driver.Observation) bool {
	status := &snapshot.(*v1alpha1.DatabaseSnapshot).Status
	if status.ExternalID != "" || seen.ID != "" {
		return status.ExternalID == seen.ID
	}
	is := seen.SnapshotDetails
	return is != nil && is.Source == status.SourceServer && secondOf(is.Taken).Equal(status.CreationTime)
}

// unfitForDatabase compares the spec of a database with a snapshot. Clouds change neither engine nor major version when they restore, and disks only grow.
func unfitForDatabase(object v1alpha1.ResourceObject, is *driver.SnapshotDetails) string {
	d := object.(*v1alpha1.Database)
	engine, version := valueOf(d.Spec.Engine), valueOf(d.Spec.Version)
	if !is.Encrypted {
		return "it is not encrypted, and a server restored from it would not be: copy the snapshot with a key in the cloud, and name the copy"
	}
	switch major := portable.MajorVersion(v1alpha1.Engine(is.Engine), is.Version); {
	case is.Engine != "" && string(engine) != is.Engine:
		return fmt.Sprintf("it is of the engine %s %s: set spec.engine to %s, or name another snapshot", is.Engine, is.Version, is.Engine)
	case is.Version != "" && version != "" && portable.MajorVersion(engine, version) != major:
		return fmt.Sprintf("it is of version %s: set spec.version to %s, and upgrade once the server is restored", is.Version, major)
	case is.Version != "" && version != "" && !portable.VersionServes(engine, version, is.Version) && portable.CompareVersions(version, is.Version) < 0:
		return fmt.Sprintf("it is of version %s, and no cloud goes back to an earlier one: set spec.version to %s or to %s", is.Version, major, is.Version)
	}
	if s := d.Spec.Storage; s != nil && s.SizeGiB != nil && *s.SizeGiB < is.SizeGiB {
		return fmt.Sprintf("it needs a disk of %d GiB, and spec.storage.sizeGiB is %d: set spec.storage.sizeGiB to %d or more, or remove it", is.SizeGiB, *s.SizeGiB, is.SizeGiB)
	}
	if c := d.Spec.Credentials; c != nil && c.Username != nil && is.Username != "" && !strings.EqualFold(*c.Username, is.Username) {
		return fmt.Sprintf("its administrator is %s, and a restored server keeps that: set spec.credentials.username to %s, or remove it", is.Username, is.Username)
	}
	return ""
}

// valueOf returns what a field has; the zero value if it is not set.
func valueOf[T any](field *T) (value T) {
	if field != nil {
		value = *field
	}
	return value
}
