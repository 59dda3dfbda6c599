package class

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A consent is when disruptive changes of an object are made.
type consent struct {
	disruptive string
	// window is the maintenance window in which alone changes are made; nil if they are made at any time.
	window *window.Window
}

// consentOf returns the consent that a merged spec asks for.
func consentOf(spec Tree) consent {
	c := consent{disruptive: disruptiveRule.of(spec)}
	if waits, in := timing(spec); waits {
		c.window = in
	}
	return c
}

// says returns what the class itself says of an object that says nothing; nothing if there is no class.
func (c *Class) says() Tree {
	if c == nil {
		return nil
	}
	return Merge(c.Defaults, c.Enforced)
}

// hold notes what of an object waits, and would wait no longer by what the class says now: that still waits. To what gets another value by the same edit, the
// class applies as to any change.
func (i *impact) hold(status *v1alpha1.ResourceStatus, was, is consent, changes []driver.Change) {
	for _, w := range status.PendingChanges {
		if slices.ContainsFunc(changes, func(c driver.Change) bool { return c.Field == w.Field && !c.Entries }) {
			continue
		}
		what := effectWords[driver.Effect(w.Effect)]
		line := ""
		switch {
		case w.AwaitsApproval() && disruptiveRule.laxer(is.disruptive, was.disruptive):
			line = fmt.Sprintf("%s (%s) still waits for approval: an edit of the class releases nothing that waits", w.Field, what)
		case w.AwaitsWindow() && was.window != nil && is.window == nil:
			line = fmt.Sprintf("%s (%s) still waits for the maintenance window %s: an edit of the class releases nothing that waits", w.Field, what, was.window)
		case w.AwaitsWindow() && was.window != nil && *was.window != *is.window:
			line = fmt.Sprintf("%s (%s) waits for the maintenance window %s in place of %s", w.Field, what, is.window, was.window)
		}
		if line != "" {
			i.touched[touch{driver.Effect(w.Effect), line}]++
		}
	}
}

// overrides notes that the own spec of an object asks for less than a class that was made stricter.
func (i *impact) overrides(was, is, object consent) {
	if disruptiveRule.laxer(was.disruptive, is.disruptive) && disruptiveRule.laxer(object.disruptive, is.disruptive) {
		i.touched[touch{line: fmt.Sprintf("spec.updates.disruptive of the object itself says %s, and stays below what the class says; spec.enforcedUpdates of the class would overrule it", object.disruptive)}]++
	}
}
