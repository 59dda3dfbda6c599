// Package admission holds what the API server is to ask before it stores Mooring's objects: the configuration of the
// webhook, and the policies about consent, deletions, tokens and annotations.
package admission

import "embed"

// Files are the manifests.
//
//go:embed *.yaml
var Files embed.FS
