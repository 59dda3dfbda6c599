package class

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
)

// MissingWindow returns the problem of an object whose changes have to wait for a maintenance window, and that has no
// window.
func MissingWindow() Problem {
	return Problem{
		Reason: v1alpha1.ReasonInvalid, Field: "spec.updates.timing",
		Message: "MaintenanceWindow needs spec.maintenance.window, and neither the spec nor its class sets it; set it, or set spec.updates.timing to Immediate",
	}
}

// windowless says so of a merged spec. Mooring changes nothing of what it only observes, so that needs no window.
func windowless(spec Tree) []Problem {
	if management, _ := get(spec, path{"management"}); management == string(v1alpha1.ManagementObserve) {
		return nil
	}
	if waits, of := timing(spec); waits && of == nil {
		return []Problem{MissingWindow()}
	}
	return nil
}

// timing returns whether disruptive changes wait for the maintenance window by a merged spec, and that window; nil if there is none.
func timing(spec Tree) (waits bool, of *window.Window) {
	set, _ := get(spec, path{"updates", "timing"})
	day, _ := get(spec, path{"maintenance", "window", "day"})
	start, _ := get(spec, path{"maintenance", "window", "startTime"})
	return set == string(v1alpha1.TimingMaintenanceWindow), window.Parse(text(day), text(start))
}

func text(value any) string {
	s, _ := value.(string)
	return s
}
