package sql

import (
	"reflect"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// needsServer reports whether a change needs a server that runs. What Cloud SQL changes of a stopped one is not documented; it refuses to change databases and
// users, and to start a server together with other changes, so all is refused but what concerns no server.
// https://github.com/hashicorp/terraform-provider-google/issues/13810
func needsServer(next, old google.Object) bool {
	bare := func(resource google.Object) google.Object {
		resource = google.Cloned(resource)
		for _, setting := range []string{"activationPolicy", "userLabels", "deletionProtectionEnabled", "settingsVersion"} {
			delete(google.Member(resource, "settings"), setting)
		}
		return resource
	}
	return !reflect.DeepEqual(bare(next), bare(old))
}
