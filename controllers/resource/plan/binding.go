package plan

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Publishes reports whether features bring up to date what users get of an object in the cluster when an action is executed.
func Publishes(a Action, v View, o driver.Observation, p Policy) bool {
	if v.Deleting || p.Management == v1alpha1.ManagementObserve || (v.Inherits() || v.Unfinished()) && a.Verb != Converge {
		return false
	}
	switch a.Verb {
	case Stall:
		return true
	case Wait, Converge, AwaitApproval, AwaitWindow, AwaitStart, AwaitBackup:
		return len(o.Unreadable) == 0
	case Update: // it may have to wait for others that the class changes
		return v.WasReady && !a.Approved && !slices.ContainsFunc(a.Changes, func(c driver.Change) bool { return CauseOf(v, c) != v1alpha1.CauseClass })
	default:
		return false
	}
}

// ConnectionSecrets returns the names of the Secrets that a status tells of, and of the one that is wanted.
func ConnectionSecrets(status *v1alpha1.ResourceStatus, wanted *v1alpha1.Connection) (names []string) {
	if status.Binding != nil {
		names = append(names, status.Binding.Name)
	}
	for _, former := range status.FormerSecrets {
		names = append(names, former.Name)
	}
	if wanted != nil && !slices.Contains(names, wanted.SecretName) {
		names = append(names, wanted.SecretName)
	}
	return names
}
