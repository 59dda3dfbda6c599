package gcp

import (
	"maps"
	"strings"
	"testing"
)

// No resource is of two APIs: the calls about it would be counted as those of the wrong one. To add the same once more is no contradiction.
func TestResourceOfTwoServices(t *testing.T) {
	before := maps.Clone(services)
	t.Cleanup(func() { services = before })
	services = map[string]string{}
	addService("storage", "buckets", "managedFolders")
	addService("storage", "buckets")
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "buckets") {
			t.Errorf("it panicked with %q, want one that names the resource", said)
		}
		if services["buckets"] != "storage" {
			t.Errorf("buckets are of %q", services["buckets"])
		}
	}()
	addService("logging", "buckets")
}
