package kind

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// +kubebuilder:rbac:groups=mooring.dev,resources=databasesnapshots,verbs=get;list;watch;create;patch;delete;adopt
// +kubebuilder:rbac:groups=mooring.dev,resources=databasesnapshots/status,verbs=patch

// DatabaseSnapshot returns the kind DatabaseSnapshot. Its objects take a snapshot of a Database, or represent a
// snapshot that exists.
func DatabaseSnapshot() *Kind {
	return &Kind{
		Name: "DatabaseSnapshot", Plural: "databasesnapshots",
		New:     func() v1alpha1.ResourceObject { return &v1alpha1.DatabaseSnapshot{} },
		NewList: func() client.ObjectList { return &v1alpha1.DatabaseSnapshotList{} },
		Parent: &Parent{
			Kind: "Database", Field: "source.databaseRef.name", Source: true,
			Name: func(o v1alpha1.ResourceObject) string {
				if ref := o.(*v1alpha1.DatabaseSnapshot).Spec.Source.DatabaseRef; ref != nil {
					return ref.Name
				}
				return ""
			},
			Status: func(o v1alpha1.ResourceObject) *v1alpha1.ParentStatus {
				return &o.(*v1alpha1.DatabaseSnapshot).Status.Database
			},
			Limit:      func(c v1alpha1.ClassObject) *int32 { return c.(*v1alpha1.DatabaseClass).Spec.MaxSnapshotsPerNamespace },
			LimitField: "spec.maxSnapshotsPerNamespace",
		},
		Existing:           func(o v1alpha1.ResourceObject) string { return o.(*v1alpha1.DatabaseSnapshot).Spec.Source.ExternalName },
		DeletionPolicy:     v1alpha1.DeletionDelete,
		WhenVanished:       v1alpha1.WhenVanishedStop,
		CreationWarnings:   snapshotRegrets,
		SetSnapshotDetails: setSnapshotDetails,
		Expiry: &Expiry{At: snapshotExpires, Status: func(o v1alpha1.ResourceObject) **metav1.Time {
			return &o.(*v1alpha1.DatabaseSnapshot).Status.DeletionTime
		}},
	}
}

// finalSnapshot returns the DatabaseSnapshot that is to stand for the final snapshot of a deleted Database. Its status leads to the account, which a tenant
// could not name where a class gave it. The snapshot has a copy of the mark of the Database, or none, so that it has to be taken over.
func finalSnapshot(deleted, want v1alpha1.ResourceObject, snapshot string) v1alpha1.ResourceObject {
	status := deleted.GetResourceStatus()
	end := "-final-" + string(deleted.GetUID())[:8]
	s := snapshotOf(deleted, end)
	s.Spec.ExternalName, s.Spec.Adoption, s.Spec.DeletionPolicy = snapshot, v1alpha1.AdoptionIfExists, v1alpha1.DeletionRetain
	if final := want.(*v1alpha1.Database).Spec.FinalSnapshot; final != nil && final.RetainDays != nil { // its end is the snapshot's
		s.Spec.ExpiresAfter, s.Spec.DeletionPolicy = fmt.Sprintf("%dh", 24**final.RetainDays), v1alpha1.DeletionDelete
	}
	s.Status.ExternalName, s.Status.Origin, s.Status.ObservedGeneration = snapshot, v1alpha1.OriginAdopted, -1
	s.Status.Provider, s.Status.Location, s.Status.AccountID = status.Provider, status.Location, status.AccountID
	s.Status.ProviderConfigRef = status.ProviderConfigRef.DeepCopy()
	s.Status.Database = v1alpha1.ParentStatus{ExternalName: status.ExternalName, ExternalID: status.ExternalID, ClassName: status.ClassName}
	return s
}

// snapshotBefore returns the DatabaseSnapshot that is taken of a Database before an upgrade to a version: one of its server on each day on which an upgrade is tried.
func snapshotBefore(of v1alpha1.ResourceObject, version string, now time.Time) v1alpha1.ResourceObject {
	server := sha256.Sum256([]byte(string(of.GetUID()) + " " + of.GetResourceStatus().ExternalID))
	s := snapshotOf(of, fmt.Sprintf("-before-%s-%s-%x", strings.ReplaceAll(strings.ToLower(version), ".", "-"), now.UTC().Format("20060102"), server[:4]))
	s.Labels = map[string]string{v1alpha1.LabelBeforeVersion: version}
	return s
}

// snapshotOf returns a DatabaseSnapshot of a Database, whose name is that of the Database with an end.
func snapshotOf(of v1alpha1.ResourceObject, end string) *v1alpha1.DatabaseSnapshot {
	name := of.GetName()
	s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: of.GetNamespace(), Name: strings.TrimRight(name[:min(len(name), 63-len(end))], "-.") + end}}
	s.Spec.Source.DatabaseRef = &v1alpha1.DatabaseReference{Name: name}
	return s
}

// snapshotExpires returns when a snapshot that was taken expires; zero if it does not. What is imported may be old, so its time begins with its object.
func snapshotExpires(object v1alpha1.ResourceObject) time.Time {
	s := object.(*v1alpha1.DatabaseSnapshot)
	after, err := time.ParseDuration(s.Spec.ExpiresAfter)
	if err != nil || s.Status.CreationTime == nil { // the schema takes durations alone
		return time.Time{}
	}
	begins := s.CreationTimestamp
	if begins.Before(s.Status.CreationTime) {
		begins = *s.Status.CreationTime
	}
	return begins.Add(after)
}

func snapshotRegrets(object v1alpha1.ResourceObject) (lines []string) {
	s := object.(*v1alpha1.DatabaseSnapshot)
	if s.Spec.Source.ExternalName != "" && s.Spec.DeletionPolicy == v1alpha1.DeletionDelete {
		lines = append(lines, "deletionPolicy is Delete: when this object is deleted, the snapshot is deleted for good, and it existed before this object")
	}
	return lines
}

// setSnapshotDetails shows in the status what the cloud says of the snapshot.
func setSnapshotDetails(object v1alpha1.ResourceObject, is *driver.SnapshotDetails, usable bool) {
	status := &object.(*v1alpha1.DatabaseSnapshot).Status
	if is == nil {
		is = &driver.SnapshotDetails{}
	}
	status.ReadyToUse, status.CreationTime = usable, secondOf(is.Taken)
	status.SourceServer, status.SizeGiB, status.Engine, status.EngineVersion = is.Source, is.SizeGiB, is.Engine, is.Version
	status.Encrypted, status.EncryptionKey, status.ExpirationTime = is.Encrypted, is.Key, secondOf(is.Expires)
}
