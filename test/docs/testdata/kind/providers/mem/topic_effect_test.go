package mem

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfTopics(t *testing.T) {
	tabletest.Effects(t, topicTable, []tabletest.Example[v1alpha1.TopicParameters, Topic]{
		tabletest.Of("location", v1alpha1.TopicParameters{Location: new("b")}, Topic{Spec: v1alpha1.TopicParameters{Location: new("a")}}, driver.Impossible),
		tabletest.Of("retentionDays", v1alpha1.TopicParameters{RetentionDays: new(int32(7))}, Topic{}, driver.Online),
		tabletest.Of("tags", v1alpha1.TopicParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, Topic{}, driver.Online),
	})
}
