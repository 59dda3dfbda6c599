package plan

import (
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// MostFormerSecrets is how many connection Secrets of former names are kept, so that no object makes more work with each new name.
const MostFormerSecrets = 4

// ExpiredSecrets returns the connection Secrets of former names whose time is over, with the oldest of too many, and those that are kept.
func ExpiredSecrets(former []v1alpha1.FormerSecret, now time.Time) (expired, kept []v1alpha1.FormerSecret) {
	n := 0
	for n < len(former) && (len(former)-n > MostFormerSecrets || !now.Before(former[n].KeptUntil.Time)) {
		n++
	}
	return former[:n:n], former[n:]
}

// Usable reports whether a connection Secret may name a cloud object: it is the object's own and works, and has all that the Secret names.
// unmade: something that it names may not be in the cloud yet.
func Usable(v View, o driver.Observation, unmade bool) bool {
	return o.Available && Ownership(v, o) == Ours && !unmade
}

// Publishes reports whether the connection Secrets are brought up to date when an action is executed.
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
