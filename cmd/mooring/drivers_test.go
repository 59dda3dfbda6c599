package main

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

func TestDriversDescribeThemselves(t *testing.T) {
	if err := driver.Check(drivers()); err != nil {
		t.Error(err)
	}
}
