package fieldedit

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

type s3Entry = v1alpha1.BucketNotificationAWS

// s3ARN returns the ARN of a destination of a service in a region.
func s3ARN(service, region, name string) string {
	return "arn:aws:" + service + ":" + region + ":111111111111:" + name
}

// s3Notifications are whom S3 tells. Its lists of events are as all are written that mean the same but for the order.
func s3Notifications(region string) *v1alpha1.BucketNotificationsAWS {
	return &v1alpha1.BucketNotificationsAWS{
		EventBridge: new(false),
		Queues: []s3Entry{
			{Name: "deleted", ARN: s3ARN("sqs", region, "events"), Events: []string{"s3:ObjectRemoved:*"}},
			{Name: "uploads", ARN: s3ARN("sqs", region, "uploads"), Events: []string{"s3:ObjectCreated:*"}, Prefix: new("photos/"), Suffix: new(".jpg")},
		},
		Topics:    []s3Entry{{Name: "tags", ARN: s3ARN("sns", region, "audit"), Events: []string{"s3:ObjectTagging:Put", "s3:ObjectTagging:Delete"}}},
		Functions: []s3Entry{{Name: "resize", ARN: s3ARN("lambda", region, "function:events-resize"), Events: []string{"s3:ObjectCreated:Put"}, Prefix: new("raw/")}},
	}
}

// s3NotificationFields are the edits of whom S3 tells. Others may own entries, which have other names.
func s3NotificationFields(region string) []drivertest.Field {
	fields := []drivertest.Field{
		{Name: "aws.notifications.eventBridge", To: true},
		{Name: "aws.notifications.queues", Member: nameOf, To: []s3Entry{
			{Name: "deleted", ARN: s3ARN("sqs", region, "audit"), Events: []string{"s3:ObjectRemoved:Delete"}, Prefix: new("tmp/")},
			{Name: "uploads", ARN: s3ARN("sqs", region, "uploads"), Events: []string{"s3:ObjectCreated:Put", "s3:ObjectCreated:Copy"}, Prefix: new("pictures/")},
		}, Same: []any{[]s3Entry{
			{Name: "uploads", ARN: s3ARN("sqs", region, "uploads"), Prefix: new("photos/"), Suffix: new(".jpg"),
				Events: []string{"s3:ObjectCreated:CompleteMultipartUpload", "s3:ObjectCreated:Put", "s3:ObjectCreated:Copy", "s3:ObjectCreated:Post"}},
			{Name: "deleted", ARN: s3ARN("sqs", region, "events"), Events: []string{"s3:ObjectRemoved:DeleteMarkerCreated", "s3:ObjectRemoved:Delete"}},
		}}},
		{Name: "aws.notifications.topics", Member: nameOf, To: []s3Entry{
			{Name: "tags", ARN: s3ARN("sns", region, "audit"), Events: []string{"s3:ObjectTagging:Delete"}, Suffix: new(".txt")},
		}, Same: []any{[]s3Entry{
			{Name: "tags", ARN: s3ARN("sns", region, "audit"), Events: []string{"s3:ObjectTagging:*"}},
		}}},
		{Name: "aws.notifications.functions", Member: nameOf, To: []s3Entry{
			{Name: "resize", ARN: s3ARN("lambda", region, "function:uploads-resize:live"), Events: []string{"s3:ObjectCreated:Put"}, Prefix: new("raw/"), Suffix: new(".png")},
		}},
	}
	for i, f := range fields { // one call reads them all
		for _, other := range fields {
			if other.Name != f.Name {
				fields[i].ReadWith = append(slices.Clip(fields[i].ReadWith), other.Name)
			}
		}
	}
	return fields
}

func nameOf(object map[string]any) string { return object["name"].(string) }

type pubsubEntry = v1alpha1.BucketNotificationGCP

// pubsubNotifications are whom Cloud Storage tells, as all are written that mean the same.
func pubsubNotifications() []pubsubEntry {
	return []pubsubEntry{
		{Topic: "projects/mooring-test/topics/uploads", EventTypes: []string{"OBJECT_DELETE", "OBJECT_FINALIZE"}, ObjectNamePrefix: new("photos/"), PayloadFormat: new("NONE"),
			CustomAttributes: map[string]v1alpha1.AttributeValue{"team": "shop"}},
		{Topic: "projects/mooring-test/topics/events", PayloadFormat: new("JSON_API_V1")},
	}
}

// pubsubField is the edit of whom Cloud Storage tells. What one says tells it from those of others.
func pubsubField() drivertest.Field {
	same := pubsubNotifications()
	same[0].Topic, same[0].EventTypes = "//pubsub.googleapis.com/"+same[0].Topic, []string{"OBJECT_FINALIZE", "OBJECT_DELETE"}
	same[1].EventTypes = []string{"OBJECT_FINALIZE", "OBJECT_DELETE", "OBJECT_ARCHIVE", "OBJECT_METADATA_UPDATE"}
	return drivertest.Field{Name: "gcp.notifications", Writes: 3, Same: []any{same},
		To: []pubsubEntry{{Topic: "projects/mooring-test/topics/audit", EventTypes: []string{"OBJECT_ARCHIVE"}, PayloadFormat: new("JSON_API_V1")}},
		Member: func(object map[string]any) string {
			text, err := json.Marshal(object)
			if err != nil {
				panic(fmt.Sprint("a notification: ", err))
			}
			return string(text)
		}}
}
