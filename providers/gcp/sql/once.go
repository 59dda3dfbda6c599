package sql

import (
	"maps"
	"slices"

	"github.com/mooring-dev/mooring/providers/portable"
)

// sayOnce takes out of a mirror what it says twice, and what says nothing there, because no spec may say so. Of two fields that exclude each other the mirror has the one that the spec
// has; of a spec with neither it has the one that says more. A track of maintenance says nothing without a window: Cloud SQL then chooses the time.
func sayOnce(spec, mirror *databaseParameters) {
	block := mirror.GCP
	switch {
	case mirror.TLS == nil || gcpOf(mirror).SSLMode == nil || spec.TLS != nil && gcpOf(spec).SSLMode != nil: // a class may have set one of the two
	case spec.TLS != nil && *block.SSLMode == *modeOf(*mirror.TLS): // a stricter mode says more than tls does
		block.SSLMode = nil
	default:
		mirror.TLS = nil
	}
	if block != nil && maintenanceOf(mirror).Day == nil {
		block.MaintenanceTrack = nil
	}
	for _, name := range slices.Sorted(maps.Values(iamFlags)) {
		if _, flagged := mirror.Parameters[name]; !flagged {
			continue
		}
		if _, asked := spec.Parameters[name]; asked && spec.IAMAuthentication == nil {
			mirror.IAMAuthentication = nil
			continue
		}
		if delete(mirror.Parameters, name); len(mirror.Parameters) == 0 {
			mirror.Parameters = nil
		}
	}
}

// inWordsOf returns a mirror with what it says by another field than a spec does: see sayOnce.
func inWordsOf(spec *databaseParameters, mirror databaseParameters) databaseParameters {
	block := gcpOf(&mirror).DeepCopy()
	switch {
	case spec.TLS != nil && mirror.TLS == nil && block.SSLMode != nil:
		mirror.TLS = tlsOf(block.SSLMode)
	case gcpOf(spec).SSLMode != nil && block.SSLMode == nil && mirror.TLS != nil:
		block.SSLMode = modeOf(*mirror.TLS) // the mirror does not say whether it is the stricter mode: rather announce a change too many
		mirror.GCP = block
	}
	for _, name := range slices.Sorted(maps.Values(iamFlags)) {
		asked, flagged := spec.Parameters[name]
		if on, said := portable.Switch(string(mirror.Parameters[name])); said && spec.IAMAuthentication != nil && mirror.IAMAuthentication == nil {
			mirror.IAMAuthentication = &on
		}
		if on, said := portable.Switch(string(asked)); flagged && said && mirror.IAMAuthentication != nil && on == *mirror.IAMAuthentication {
			mirror.Parameters = maps.Clone(mirror.Parameters)
			if mirror.Parameters == nil {
				mirror.Parameters = maps.Clone(spec.Parameters)
				clear(mirror.Parameters)
			}
			mirror.Parameters[name] = asked
		}
	}
	return mirror
}
