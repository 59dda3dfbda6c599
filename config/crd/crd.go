// Package crd holds Mooring's CustomResourceDefinitions, for code that needs their schemas. The YAML beside it is
// generated from apis/.
package crd

import "embed"

// Files are the definitions, each in a file mooring.dev_<plural>.yaml.
//
//go:embed *.yaml
var Files embed.FS
