package mem_test

import (
	"maps"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
)

func init() {
	trials = append(trials, func(cloud *mem.Cloud) drivertest.Trial { return topicKind(cloud) })
}

func topicKind(cloud *mem.Cloud) *drivertest.Kind[v1alpha1.TopicParameters] {
	edit := func(t testing.TB, name string, change func(*mem.Topic)) {
		t.Helper()
		if !mem.Topics(cloud).Edit(account, name, change) {
			t.Fatalf("no topic %q", name)
		}
	}
	fault := func(kind mem.FaultKind) func(testing.TB, string, string) func() {
		return func(_ testing.TB, name, field string) func() {
			return cloud.Fail(mem.Fault{Filter: mem.Filter{Name: name}, Kind: kind, Field: field, Code: driver.Denied})
		}
	}
	kind := &drivertest.Kind[v1alpha1.TopicParameters]{
		Name: "Topic",
		Full: func() v1alpha1.TopicParameters {
			return v1alpha1.TopicParameters{
				Location: new(region), RetentionDays: new(int32(7)), Tags: map[string]v1alpha1.TagValue{"team": "shop", "env": "test"},
			}
		},
		Minimal: func() v1alpha1.TopicParameters { return v1alpha1.TopicParameters{} },
		Fields: []drivertest.Field{
			{Name: "location", To: "eu-west-1", Effect: driver.Impossible},
			{Name: "retentionDays", To: 14},
			{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}},
		},
		Reads: 1, MinimalReads: 1,
		HasID: true, Lists: true,
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				edit(t, name, func(o *mem.Topic) { drivertest.SetField(t, &o.Spec, field, value) })
			},
			Labels: func(t testing.TB, name string) (labels map[string]string) {
				edit(t, name, func(o *mem.Topic) { labels = maps.Clone(o.Labels) })
				return labels
			},
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				edit(t, name, func(o *mem.Topic) { o.Labels = maps.Clone(labels) })
			},
			Remove: func(_ testing.TB, name string) { mem.Topics(cloud).Remove(account, name) },
			Hide:   fault(mem.Unreadable),
			Refuse: fault(mem.FieldRefused),
		},
	}
	return kind.PlainFields()
}
