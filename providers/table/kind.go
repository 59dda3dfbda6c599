package table

import (
	"encoding/json"
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Kind is all that a driver has of one kind of object. T is what the driver's sessions share.
type Kind[T any] struct {
	// Name is the kind's name in the API, for example Bucket.
	Name string
	// Resource says what the cloud has of the kind, but for the name.
	Resource func() driver.Resource
	// Preview is what driver.Driver says of a preview, for this kind.
	Preview func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error)
	// Check is what driver.Driver says of a check, for this kind; nil if nothing is known to be refused.
	Check func(driver.Draft) ([]driver.Refusal, error)
	// Tags is how many tags the cloud takes of an object, the mark among them; 0 if an object of the kind has none.
	Tags int
	// Handler serves the kind in a session.
	Handler func(T) Handler
}

// Kinds are all kinds of a driver.
type Kinds[T any] []Kind[T]

// Resources returns the kinds for a driver's description.
func (k Kinds[T]) Resources() []driver.Resource {
	all := make([]driver.Resource, 0, len(k))
	for _, kind := range k {
		resource := kind.Resource()
		resource.Kind = kind.Name
		all = append(all, resource)
	}
	return all
}

// Preview is what driver.Driver says of a preview. cloud is what errors call the cloud.
func (k Kinds[T]) Preview(cloud, name string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	for _, kind := range k {
		if kind.Name == name {
			return kind.Preview(from, to, applied)
		}
	}
	return nil, driver.NoKind(cloud, name)
}

// Check is what driver.Driver says of a check. cloud is what errors call the cloud.
func (k Kinds[T]) Check(cloud, name string, draft driver.Draft) ([]driver.Refusal, error) {
	for _, kind := range k {
		if kind.Name != name {
			continue
		}
		tags, err := kind.checkTags(cloud, draft)
		if err != nil || kind.Check == nil {
			return tags, err
		}
		refused, err := kind.Check(draft)
		return append(refused, tags...), err
	}
	return nil, driver.NoKind(cloud, name)
}

// checkTags refuses more tags than an object can have beside its mark. The API limits the tags of a spec, and those of a class as well: together they
// may be more.
func (k Kind[T]) checkTags(cloud string, draft driver.Draft) ([]driver.Refusal, error) {
	var spec struct {
		Tags map[string]json.RawMessage `json:"tags"`
	}
	if err := json.Unmarshal(draft.Spec, &spec); err != nil {
		return nil, fmt.Errorf("check: the tags of the spec: %w", err)
	}
	most := k.Tags - driver.MarkLabels
	if k.Tags == 0 || len(spec.Tags) <= most {
		return nil, nil
	}
	return Refused(Fields{"tags"}.Refuse("there are %d tags in spec.tags and in the class together, and %s takes %d of an object, of which Mooring's mark needs %d: remove %d tags from spec.tags or from the class",
		len(spec.Tags), cloud, k.Tags, driver.MarkLabels, len(spec.Tags)-most)), nil
}

// Handlers returns what serves each kind in a session, by the kind's name.
func (k Kinds[T]) Handlers(session T) map[string]Handler {
	all := make(map[string]Handler, len(k))
	for _, kind := range k {
		all[kind.Name] = able{kind.Handler(session), kind.Resource}
	}
	return all
}
