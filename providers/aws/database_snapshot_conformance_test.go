package aws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

func init() {
	trials = append(trials, func(b *backdoor, _ string) drivertest.Trial { return Snapshots(b) })
}

// kindTag is the key of the tag that says that a mark is a snapshot's own, and no copy of its instance's.
const kindTag = "mooring-kind"

func Snapshots(b *backdoor) *drivertest.Kind[v1alpha1.DatabaseSnapshotParameters] {
	made := 0
	snapshot := func(t testing.TB, name string) rdstypes.DBSnapshot {
		return awstest.Do(t, b.RDS.DescribeDBSnapshots, &rds.DescribeDBSnapshotsInput{DBSnapshotIdentifier: &name}).DBSnapshots[0]
	}
	return &drivertest.Kind[v1alpha1.DatabaseSnapshotParameters]{
		Name:         "DatabaseSnapshot",
		RefusedNames: []string{strings.Repeat("a", 256), "1orders", "shop--orders", "orders-", "shop_orders", "shop.orders"},
		OddNames:     []string{"o", "o2"},
		Full:         fieldedit.AWSSnapshot().Full,
		Minimal:      func() v1alpha1.DatabaseSnapshotParameters { return v1alpha1.DatabaseSnapshotParameters{} },
		Fields:       fieldedit.AWSSnapshot().Fields,
		Reads:        1, MinimalReads: 1,
		Within: func(t testing.TB) driver.ParentRef {
			defer b.uncounted()()
			made++
			name := fmt.Sprintf("conform-source-%d", made)
			awstest.Do(t, b.RDS.CreateDBInstance, &rds.CreateDBInstanceInput{
				DBInstanceIdentifier: &name, Engine: new("postgres"), DBInstanceClass: new("db.t4g.micro"), AllocatedStorage: new(int32(20)),
				MasterUsername: new("keeper"), MasterUserPassword: new("somebody-elses"),
			})
			b.Clock.Advance(time.Hour)
			return driver.ParentRef{Name: name, ID: *b.instance(t, name).DbiResourceId}
		},
		RemoveParent: func(t testing.TB, parent driver.ParentRef) {
			defer b.uncounted()()
			b.Clock.Advance(time.Hour)
			awstest.Do(t, b.RDS.DeleteDBInstance, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &parent.Name, SkipFinalSnapshot: new(true)})
		},
		Lists: true,
		Cloud: drivertest.Backdoor{
			Labels: func(t testing.TB, name string) map[string]string {
				defer b.uncounted()()
				tags := map[string]string{}
				for _, tag := range snapshot(t, name).TagList {
					tags[*tag.Key] = *tag.Value
				}
				if _, uid, has := strings.Cut(tags[kindTag], "/"); has {
					tags[driver.LabelNamespaceUID] = uid
				}
				delete(tags, kindTag) // it belongs to the mark
				return tags
			},
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				defer b.uncounted()()
				have := snapshot(t, name)
				var gone []string
				for _, tag := range have.TagList {
					gone = append(gone, *tag.Key)
				}
				if len(gone) > 0 {
					awstest.Do(t, b.RDS.RemoveTagsFromResource, &rds.RemoveTagsFromResourceInput{ResourceName: have.DBSnapshotArn, TagKeys: gone})
				}
				var tags []rdstypes.Tag
				kind := "DatabaseSnapshot"
				if uid := labels[driver.LabelNamespaceUID]; uid != "" {
					kind += "/" + uid
				}
				for k, v := range labels {
					if k == driver.LabelNamespaceUID {
						continue
					}
					tags = append(tags, rdstypes.Tag{Key: &k, Value: &v})
				}
				if labels[driver.LabelUID] != "" {
					tags = append(tags, rdstypes.Tag{Key: new(kindTag), Value: &kind})
				}
				if len(tags) > 0 {
					awstest.Do(t, b.RDS.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: have.DBSnapshotArn, Tags: tags})
				}
			},
			Remove: func(t testing.TB, name string) {
				defer b.uncounted()()
				b.Clock.Advance(time.Hour)
				awstest.Do(t, b.RDS.DeleteDBSnapshot, &rds.DeleteDBSnapshotInput{DBSnapshotIdentifier: &name})
			},
			Refuse: func(_ testing.TB, _, f string) func() {
				return b.denied(map[string]string{"tags": "AddTagsToResource"}[f], "")
			},
		},
	}
}
