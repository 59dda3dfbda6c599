package controllers

import (
	"fmt"
	"slices"
	"time"
)

// A Recovery is the platform's consent that objects of some namespaces take over what objects of the same namespace and
// name made before the cluster was lost. After that loss all namespaces are new, and nothing else distinguishes the former
// owners from others. It ends by itself. See ADR 37.
type Recovery struct {
	Namespaces []string
	Until      time.Time
}

// LongestRecovery bounds how long a Recovery lasts.
const LongestRecovery = 7 * 24 * time.Hour

// Covers reports whether a namespace is covered.
func (r Recovery) Covers(namespace string, now time.Time) bool {
	return now.Before(r.Until) && slices.Contains(r.Namespaces, namespace)
}

// Check refuses a recovery without an end, without a namespace, or one that lasts too long. One that has ended is fine, and covers nothing.
func (r Recovery) Check(now time.Time) error {
	switch {
	case len(r.Namespaces) == 0 && r.Until.IsZero():
		return nil
	case len(r.Namespaces) == 0:
		return fmt.Errorf("--recover-until is of use with --recover-namespaces alone: name the namespaces, or remove it")
	case r.Until.IsZero():
		return fmt.Errorf("--recover-namespaces needs --recover-until, the time at which the recovery ends, such as %s", now.Add(24*time.Hour).UTC().Format(time.RFC3339))
	case r.Until.Sub(now) > LongestRecovery:
		return fmt.Errorf("--recover-until is %s, more than 7 days ahead: set a time until %s", r.Until.Format(time.RFC3339), now.Add(LongestRecovery).UTC().Format(time.RFC3339))
	}
	return nil
}
