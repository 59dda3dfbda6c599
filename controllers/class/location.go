package class

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var atLocation = path{"location"}

// locate makes the first location of a class's list the default, unless the class names another.
func (c *Class) locate() {
	if len(c.Spec.Locations) == 0 || HasField(c.Defaults, "location") || HasField(c.Enforced, "location") {
		return
	}
	put(c.Defaults, atLocation, c.Spec.Locations[0])
}

// allows reports whether objects of the class may be in a location. Clouds report locations in upper case too.
func (c *Class) allows(location string) bool {
	return len(c.Spec.Locations) == 0 || slices.ContainsFunc(c.Spec.Locations, func(l string) bool { return strings.EqualFold(l, location) })
}

// checkLocations says where the class itself names a location that it does not list, nil if it does not.
func (c *Class) checkLocations() *Problem {
	for layer, says := range c.layers() {
		location, _ := get(says, atLocation)
		if name := text(location); name != "" && !c.allows(name) {
			return &Problem{Reason: v1alpha1.ReasonClassInvalid, Field: "spec." + layer + ".location",
				Message: fmt.Sprintf("%s is not in spec.locations (%s); list it there, or name one of these", name, strings.Join(c.Spec.Locations, ", "))}
		}
	}
	return nil
}

// misplaced says that an object asks for a location that the class does not list. What exists stays where it is, though the list was edited
// since; but it can't come from another class.
func misplaced(c *Class, o Input, spec Tree) []Problem {
	value, _ := get(spec, atLocation)
	asked, list := text(value), strings.Join(c.Spec.Locations, ", ")
	switch stays := o.Bound && (asked == "" || strings.EqualFold(asked, o.Location)); {
	case stays && !o.Joined && o.Location != "" && !c.allows(o.Location):
		return []Problem{violated("spec.className", "class %q allows only the locations %s, but this object is in %s, which can't change; choose another class", c.Name(), list, o.Location)}
	case stays || asked == "" || c.allows(asked):
		return nil
	default:
		return []Problem{violated("spec.location", "class %q does not allow the location %s, only %s; set one of these, or remove the field", c.Name(), asked, list)}
	}
}
