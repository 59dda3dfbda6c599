package plan

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

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
