package preview

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// indirectLines says what an edit does that puts another name in a field whose values only the cloud can resolve, such as an alias of a key. The driver
// takes it for what is there, so nothing changes, and whether the two names mean the same nobody here knows. It says nothing of an object of which nothing was
// observed yet: what is created then is created by the new name.
func (e *edit) indirectLines() (lines []string, err error) {
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
		from, to := class.Text(before, d.Field), class.Text(after, d.Field)
		changes := slices.ContainsFunc(planned.Changes, func(c plan.Decided) bool { return c.Field == d.Field })
		if to == "" || to == from || changes || !stands(d, to) {
			continue
		}
		lines = append(lines, clip(fmt.Sprintf("%s: nothing changes in the cloud. Only the cloud knows which %s the new name stands for: if it is another one, the cloud object keeps the one that it has",
			strings.Join([]string{d.Field, plan.OrNone(from), "->", to}, " "), d.Refers), warningLength))
	}
	return lines, nil
}

// stands reports whether a value stands for a cloud object that only the cloud knows. The controller has seen at its start that the expression compiles.
func stands(d driver.Field, value string) bool {
	ok, err := regexp.MatchString(d.Indirect, value)
	return d.Indirect != "" && err == nil && ok
}
