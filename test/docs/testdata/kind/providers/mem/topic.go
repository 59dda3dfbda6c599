package mem

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// KindTopic is the kind of topics.
const KindTopic Kind = "Topic"

// A Topic is a topic in the cloud.
type Topic struct {
	Object
	// Spec are its fields but for the tags, in the words of the spec.
	Spec v1alpha1.TopicParameters
}

func (o *Topic) clone() *Topic {
	out := *o
	out.Labels, out.Spec = maps.Clone(o.Labels), *o.Spec.DeepCopy()
	return &out
}

func (o *Topic) object() *Object                 { return &o.Object }
func (o *Topic) spec() *v1alpha1.TopicParameters { return &o.Spec }

// Topics returns the topics of a cloud.
func Topics(c *Cloud) *Objects[Topic] {
	return objectsOf(c, storage[Topic]{kind: KindTopic, object: (*Topic).object, clone: (*Topic).clone})
}

// topicKind is what the driver has of topics.
var topicKind = table.Kind[session]{
	Name: string(KindTopic),
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Memory", Name: driver.NameRule{MaxLength: 63}, Fields: topicTable.Docs(),
			Ownership:    driver.OwnedByTags,
			Capabilities: driver.Capabilities{List: true},
			Connection:   driver.Connection{Type: "topic", Scheme: "topic"},
			Consequences: driver.Consequences{Noun: "topic"},
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, func(from, to v1alpha1.TopicParameters, applied driver.Applied) []driver.Change {
			return topicTable.Preview(&from, &to, applied, &Topic{})
		})
	},
	Handler: func(s session) table.Handler { return table.Handle(newTopics(s)) },
}

var topicFields = fields[v1alpha1.TopicParameters, Topic]{asked: (*Topic).spec, live: (*Topic).spec}

// topicTable has the fields of a topic. Those that are not here are plain.
var topicTable = topicFields.table(nil,
	plain[string](topicFields, "location").Immutable("create another Topic with the new location"),
	tags(func(s *v1alpha1.TopicParameters) map[string]v1alpha1.TagValue { return s.Tags }, (*Topic).object),
)

type (
	topicRequest = table.Request[v1alpha1.TopicParameters]
	topicParams  = params[v1alpha1.TopicParameters]
	topicAdapter = table.Adapter[v1alpha1.TopicParameters, Topic, topicParams]
)

// topics manages topics.
type topics struct {
	manager[v1alpha1.TopicParameters, Topic]
}

func newTopics(s session) *topicAdapter {
	m := &topics{manager[v1alpha1.TopicParameters, Topic]{session: s, objects: Topics(s.cloud), spec: (*Topic).spec}}
	m.update = func(_, next *Topic, _ hits) string { m.objects.put(next); return "" }
	return &topicAdapter{
		Table: topicTable, Noun: "topic", ReadCall: string(OpObserve) + string(KindTopic),
		Read: m.read, State: stateOfTopic,
		Tags: func(p *topicParams) *table.Delta { return &p.Tags },
		Make: m.make, Taken: every,
		Parts: []table.Part[v1alpha1.TopicParameters, Topic, topicParams]{{Write: m.write, Taken: every, Blind: true}},
		Whole: whole, Listing: m.listing(), Remove: m.remove,
	}
}

// stateOfTopic is what a topic says of itself.
func stateOfTopic(_ *topicRequest, o *Topic, to *driver.Observation) {
	location := value(o.Spec.Location)
	to.State, to.Available, to.ID, to.Location, to.Mark = driver.Ready, true, o.ID, location, driver.MarkFrom(o.Labels)
	to.Endpoint = driver.Endpoint{Name: o.Name, Region: location, URL: "https://topics.mem.invalid"}
}

// make creates a topic.
func (m *topics) make(ctx context.Context, req *topicRequest, p *topicParams) (driver.Result, error) {
	var result driver.Result
	err := m.call(ctx, OpCreate, req.Name, func(call *Call, _ hits) error {
		if m.objects.find(m.account, req.Name) != nil {
			return fail(call, driver.Conflict, "a topic of that name exists")
		}
		o := &Topic{Object: Object{Account: m.account, Name: req.Name, Labels: merge(nil, p.Tags)}, Spec: p.Spec}
		o.Spec.Location = new(m.locationOf(req.Spec.Location, req.Location))
		m.objects.put(o)
		result.ID = o.ID
		return nil
	})
	return orZero(result, err)
}

// remove deletes a topic.
func (m *topics) remove(ctx context.Context, req *topicRequest) (driver.Result, error) {
	err := m.call(ctx, OpDelete, req.Name, func(call *Call, _ hits) error {
		o, err := m.own(call)
		if o != nil && err == nil {
			m.objects.remove(o)
		}
		return err
	})
	return driver.Result{}, err
}
