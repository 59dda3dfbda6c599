package fault

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

func quotaOfInstances(t *testing.T, l *lifecycle) {
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{Instances: -1})
	l.declare(t)
	l.stalls(t, v1alpha1.ReasonQuotaExceeded, metav1.ConditionFalse, "request a higher quota")
	l.stays(t, v1alpha1.ReasonQuotaExceeded)
	l.verifyCreations(t, 0)
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{})
	l.created(t)
}

func quotaOfStorage(t *testing.T, l *lifecycle) {
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{StorageGiB: 19})
	l.declare(t)
	l.stalls(t, v1alpha1.ReasonQuotaExceeded, metav1.ConditionFalse, "Storage quota exceeded", "request a higher quota")
	l.stays(t, v1alpha1.ReasonQuotaExceeded)
	l.verifyCreations(t, 0)
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{})
	l.created(t)
}

// quotaOfGrowth: a larger disk that the quota does not allow changes nothing, and keeps nothing else from being changed.
func quotaOfGrowth(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{StorageGiB: 30})
	l.enterPhase(edit)
	l.setSize(t, 40)
	l.stalls(t, v1alpha1.ReasonQuotaExceeded, metav1.ConditionTrue, "storage.sizeGiB", "request a higher quota")
	l.stays(t, v1alpha1.ReasonQuotaExceeded)
	l.setSize(t, 20)
	l.awaitReady(t)
	if changed := l.committed(); len(changed) > 0 {
		t.Errorf("the cloud was changed: %v", changed)
	}
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
		s.Storage.SizeGiB, s.Backup.RetentionDays = new(int32(40)), new(int32(9))
	})
	l.stalls(t, v1alpha1.ReasonQuotaExceeded, metav1.ConditionTrue, "storage.sizeGiB")
	await(t, l.name+": beside a disk that is refused, backups are kept for longer", func() string {
		seen := l.cached(t.Context()).(*v1alpha1.Database).Status.Observed
		if *seen.Backup.RetentionDays != 9 || *seen.Storage.SizeGiB != 20 {
			return fmt.Sprintf("%d days, %d GiB", *seen.Backup.RetentionDays, *seen.Storage.SizeGiB)
		}
		return ""
	})
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{})
	l.awaitReady(t)
	if size := *l.observed(t).Storage.SizeGiB; size != 40 {
		t.Errorf("the disk has %d GiB", size)
	}
}

func capacityOfNew(t *testing.T, l *lifecycle) {
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{NoCapacity: []string{"db.t4g.micro"}})
	l.declare(t)
	l.stalls(t, v1alpha1.ReasonNoCapacity, metav1.ConditionFalse, "choose another class")
	l.stays(t, v1alpha1.ReasonNoCapacity)
	l.verifyCreations(t, 0)
	l.setClass(t, "db.t4g.small")
	l.created(t)
}

// capacityOfClass: a class without machines leaves the server as it is.
func capacityOfClass(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{NoCapacity: []string{"db.t4g.small"}})
	l.enterPhase(edit)
	l.setClass(t, "db.t4g.small")
	l.stalls(t, v1alpha1.ReasonNoCapacity, metav1.ConditionTrue, "choose another class")
	l.stays(t, v1alpha1.ReasonNoCapacity)
	l.setClass(t, "db.t4g.micro")
	l.awaitReady(t)
	if changed := l.committed(); len(changed) > 0 {
		t.Errorf("the cloud was changed: %v", changed)
	}
	l.setClass(t, "db.t4g.small")
	l.stalls(t, v1alpha1.ReasonNoCapacity, metav1.ConditionTrue)
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{})
	l.awaitReady(t)
	if class := *l.observed(t).AWS.InstanceClass; class != "db.t4g.small" {
		t.Errorf("the server has the class %s", class)
	}
}

// capacityOfStart: a server that is stopped may find no machine to start on. RDS changes no class of a stopped one, so that all one can do is to wait.
func capacityOfStart(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.enterPhase(power)
	l.setPower(t, v1alpha1.PowerStateStopped)
	await(t, l.name+" is stopped", func() string { return unstopped(l.cached(t.Context())) })
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{NoCapacity: []string{"db.t4g.micro"}})
	l.setPower(t, v1alpha1.PowerStateRunning)
	l.stalls(t, v1alpha1.ReasonNoCapacity, metav1.ConditionFalse, "powerState", "wait, and Mooring retries")
	l.setPower(t, v1alpha1.PowerStateStopped)
	await(t, l.name+" is stopped as declared", func() string { return unstopped(l.cached(t.Context())) })
	l.setPower(t, v1alpha1.PowerStateRunning)
	l.stalls(t, v1alpha1.ReasonNoCapacity, metav1.ConditionFalse)
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{})
	l.awaitReady(t)
}

// capacityFoundLate: RDS keeps an instance for which it then found no machine, and makes nothing of it. It never worked, so it is deleted without a snapshot.
func capacityFoundLate(t *testing.T, l *lifecycle) {
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{NoCapacity: []string{"db.t4g.micro"}, FoundLate: true})
	l.declare(t)
	l.stalls(t, v1alpha1.ReasonFailed, metav1.ConditionFalse, "insufficient-capacity", "delete this object")
	l.stays(t, v1alpha1.ReasonFailed)
	l.verifyOne(t, 1)
	l.must(t, l.Client.Delete(t.Context(), l.get(t)))
	l.awaitGone(t)
	l.Cloud.LimitRDS(l.account, localcloud.RDSLimits{})
	l.enterPhase(creation)
	l.declare(t)
	l.created(t)
}

// setStatus brings the server into a status of RDS.
func (l *lifecycle) setStatus(t *testing.T, status string) {
	t.Helper()
	if !l.Cloud.SetRDSStatus(l.account, system.AWSRegion, system.StatusOf(l.get(t)).ExternalName, status) {
		t.Fatalf("%s can't become %s", l.name, status)
	}
}

// storageFull: a full disk is healed by a larger one, which the server takes in that state, with what else was edited.
func storageFull(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.enterPhase(edit)
	l.setStatus(t, "storage-full")
	l.stalls(t, v1alpha1.ReasonFailed, metav1.ConditionFalse, "storage-full", "spec.storage.sizeGiB")
	l.stays(t, v1alpha1.ReasonFailed)
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
		s.Storage.SizeGiB, s.Backup.RetentionDays = new(int32(40)), new(int32(9))
	})
	l.awaitReady(t)
	if seen := l.observed(t); *seen.Storage.SizeGiB != 40 || *seen.Backup.RetentionDays != 9 {
		t.Errorf("the server has %d GiB and keeps backups for %d days", *seen.Storage.SizeGiB, *seen.Backup.RetentionDays)
	}
	l.verifyOne(t, 0)
}

// incompatibleParameters: a server that does not start with its parameters starts again with better ones. Until then it is restarted from time to time, since
// somebody may correct the group, and its group is not written again.
func incompatibleParameters(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
		s.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval} // of what interrupts a server that runs
		s.Parameters = map[string]v1alpha1.ParameterValue{"work_mem": "8192"}
	})
	l.patch(t, func(o client.Object) {
		o.SetAnnotations(map[string]string{v1alpha1.AnnotationApprove: l.awaitApproval(t)})
	})
	l.awaitReady(t)
	for _, back := range []map[string]v1alpha1.ParameterValue{{"shared_buffers": "16384"}, {}} {
		l.enterPhase(settings)
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
			s.Parameters = map[string]v1alpha1.ParameterValue{"shared_buffers": "262144"} // 2 GiB, and the class has 1 GiB
		})
		l.patch(t, func(o client.Object) {
			o.SetAnnotations(map[string]string{v1alpha1.AnnotationApprove: l.awaitApproval(t)})
		})
		l.stalls(t, v1alpha1.ReasonFailed, metav1.ConditionFalse, "incompatible-parameters", "correct spec.parameters")
		before := l.committed()["ModifyDBParameterGroup"]
		l.awaitObservations(t, 3)
		l.stalls(t, v1alpha1.ReasonFailed, metav1.ConditionFalse, "incompatible-parameters")
		if written := l.committed()["ModifyDBParameterGroup"]; written != before {
			t.Errorf("the group was written %d times, and %d times before that", written, before)
		}
		l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) {
			s.Parameters, s.Backup.RetentionDays = back, new(*s.Backup.RetentionDays+1)
		})
		l.awaitReady(t)
	}
	l.verifyOne(t, 0)
}

// incompatibleNetwork: only AWS or the network's owner can heal that. An edit is made then.
func incompatibleNetwork(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.enterPhase(edit)
	l.setStatus(t, "incompatible-network")
	l.stalls(t, v1alpha1.ReasonFailed, metav1.ConditionFalse, "incompatible-network")
	l.patch(t, l.target.Edit)
	l.stalls(t, v1alpha1.ReasonFailed, metav1.ConditionFalse, "incompatible-network")
	l.stays(t, v1alpha1.ReasonFailed)
	if changed := l.committed(); len(changed) > 0 {
		t.Errorf("the cloud was changed: %v", changed)
	}
	l.setStatus(t, "available")
	l.awaitReady(t)
	if days := *l.observed(t).Backup.RetentionDays; days != 9 {
		t.Errorf("backups are kept for %d days, want 9", days)
	}
	l.verifyOne(t, 0)
}

// incompatibleRestore: such a server is good for nothing but to be deleted, and RDS takes no snapshot of it.
func incompatibleRestore(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.enterPhase(edit)
	l.setStatus(t, "incompatible-restore")
	l.stalls(t, v1alpha1.ReasonFailed, metav1.ConditionFalse, "incompatible-restore")
	l.must(t, l.Client.Delete(t.Context(), l.get(t)))
	l.awaitStalled(t, v1alpha1.ReasonConflict, "deletionPolicy: Delete")
	l.verifyOne(t, 0)
	l.patch(t, func(o client.Object) { o.(*v1alpha1.Database).Spec.DeletionPolicy = v1alpha1.DeletionDelete })
	l.awaitGone(t)
	l.enterPhase(creation)
	l.declare(t)
	l.created(t)
}
