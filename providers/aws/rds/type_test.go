package rds_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// While the type of a disk waits for approval, IOPS that are meant for it are not written, and stay visible as a change.
func TestIOPSWaitForTheTypeOfTheDisk(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-type", func(s *v1alpha1.DatabaseParameters) {
		s.Storage.SizeGiB, s.AWS.StorageType, s.AWS.IOPS = new(int32(500)), new("io1"), new(int32(3000))
	})
	w.createDatabase(&req)
	req.Spec.AWS.StorageType, req.Spec.AWS.IOPS = new("gp3"), new(int32(15000))
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "aws.iops"}}})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Busy || !strings.Contains(result.Failed[0].Err.Error(), "waits for spec.aws.storageType") {
		t.Errorf("without the type: %v, failed %v", err, result.Failed)
	}
	if w.Writes() != 0 {
		t.Errorf("without the type, %v were called", w.Operations())
	}
	if names := driver.Names(w.database(req).Changes); len(names) != 2 {
		t.Errorf("afterwards %v differ, want type and IOPS", names)
	}
	w.updateDatabase(req, w.database(req).Changes...)
	db := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0]
	if asked := db.PendingModifiedValues; asked.StorageType == nil || *asked.StorageType != "gp3" || asked.Iops == nil || *asked.Iops != 15000 {
		t.Errorf("with the type, %+v were asked for", asked)
	}
}
