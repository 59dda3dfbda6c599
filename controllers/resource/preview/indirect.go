package preview

import (
	"regexp"
	"slices"

	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// unresolved returns the fields in which an edit puts another name that only the cloud can resolve, such as an alias of a key. It returns none of an object
// of which nothing was observed yet: what is created then is created by the new name.
func (e *edit) unresolved() (found []Unresolved, err error) {
	if e.after.object.GetObserved() == nil || e.after.lacks || e.after.refused != nil {
		return nil, nil
	}
	before, err := class.TreeOf(e.before.want.GetParameters())
	if err != nil {
		return nil, err
	}
	after, err := class.TreeOf(e.after.want.GetParameters())
	if err != nil {
		return nil, err
	}
	planned, err := e.outlook(e.after)
	if err != nil {
		return nil, err
	}
	for _, d := range e.described(e.after.object.GetResourceStatus().Provider).Fields {
		from, to := class.StringField(before, d.Field), class.StringField(after, d.Field)
		changes := slices.ContainsFunc(planned.Changes, func(c plan.Decided) bool { return c.Field == d.Field })
		if to == "" || to == from || changes || !stands(d, to) {
			continue
		}
		found = append(found, Unresolved{Field: d.Field, From: from, To: to, Refers: string(d.Refers)})
	}
	return found, nil
}

// stands reports whether a value stands for a cloud object that only the cloud knows. The controller has seen at its start that the expression compiles.
func stands(d driver.Field, value string) bool {
	ok, err := regexp.MatchString(d.Indirect, value)
	return d.Indirect != "" && err == nil && ok
}
