package docs

import (
	"regexp"
	"strings"
	"testing"
)

var (
	// onObjects is a command that names objects: what stands before the first flag.
	onObjects = regexp.MustCompile(`kubectl (?:get|describe|delete|annotate|patch|edit|wait(?: --for=\S+)?) ([a-z][\w.,/-]*)`)
	// shared are the words of ours that others use too: CloudNativePG has Databases, Flux has Buckets, and kubectl takes whichever
	// it finds first.
	shared = regexp.MustCompile(`^(databases?|buckets?)(/|$)`)
)

// TestCommandsNameTheGroup demands that a command finds our objects in every cluster.
func TestCommandsNameTheGroup(t *testing.T) {
	found := 0
	for path, content := range documents(t) {
		for _, command := range onObjects.FindAllStringSubmatch(content, -1) {
			found++
			for word := range strings.SplitSeq(command[1], ",") {
				if shared.MatchString(word) {
					t.Errorf("%s: %q may find somebody else's; say databases.mooring.dev or buckets.mooring.dev", path, command[0])
				}
			}
		}
	}
	if found == 0 {
		t.Error("no document has a command")
	}
}
