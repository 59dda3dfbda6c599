// Package rbac holds the roles: Mooring's own, generated from the markers beside the code that needs them, and those for
// people.
package rbac

import _ "embed"

// Role is the manifest of Mooring's ClusterRole and of its Role in its own namespace.
//
//go:embed role.yaml
var Role []byte
