package table

import (
	"encoding/json"
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Kind is a driver's implementation of one kind of object. T is the state that the driver's sessions share.
type Kind[T any] struct {
	// Name is the kind's name in the API, for example Bucket.
	Name string
	// Resource returns the description of the kind, without its name.
	Resource func() driver.Resource
	// Preview implements driver.Driver.Preview for this kind.
	Preview func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error)
	// Check implements driver.Driver.Check for this kind; nil if no refusals are known in advance.
	Check func(driver.Draft) ([]driver.Refusal, error)
	// Tags is the maximum number of tags of an object, including the mark; 0 for a kind without tags.
	Tags int
	// Handler returns the handler of the kind for a session.
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

// Preview implements driver.Driver.Preview. cloud is the name of the cloud in errors.
func (k Kinds[T]) Preview(cloud, name string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	for _, kind := range k {
		if kind.Name == name {
			return kind.Preview(from, to, applied)
		}
	}
	return nil, driver.NoKind(cloud, name)
}

// Check implements driver.Driver.Check. cloud is the name of the cloud in errors.
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

// Handlers returns the handlers for a session, by the names of their kinds.
func (k Kinds[T]) Handlers(session T) map[string]Handler {
	all := make(map[string]Handler, len(k))
	for _, kind := range k {
		of := kind.Resource()
		all[kind.Name] = able{kind.Handler(session), of.Capabilities, of.Consequences.Noun}
	}
	return all
}
