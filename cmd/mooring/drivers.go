package main

import (
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// drivers is the one place where clouds are registered: a new one is one line here.
func drivers() map[string]driver.Driver {
	return map[string]driver.Driver{
		"aws": aws.New(aws.Options{}),
		"gcp": gcp.New(gcp.Options{}),
	}
}
