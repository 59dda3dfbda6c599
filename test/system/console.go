package system

import (
	"slices"
	"testing"
)

// A Console is what people do to objects of one kind in a cloud beside Mooring, by the cloud's own SDK. What they do to one kind alone is in
// an interface of the kind, such as BucketConsole.
type Console interface {
	// Names are those of all objects in the account.
	Names(t testing.TB) []string
	// Make makes an object without a mark, if that is not among its tags.
	Make(t testing.TB, name string, tags map[string]string)
	// Tags returns the tags of an object, nil if it does not exist. Tag sets some of them, and takes those away that are empty.
	Tags(t testing.TB, name string) map[string]string
	Tag(t testing.TB, name string, tags map[string]string)
	Delete(t testing.TB, name string)
}

// consoleOf returns what people do to objects of a kind in a cloud.
func consoleOf[C Console](c *Cloud, kind string) C { return c.consoles[kind].(C) }

// Names are those of all objects in the account, whatever their kind.
func (c *Cloud) Names(t testing.TB) (names []string) {
	t.Helper()
	for _, console := range c.consoles {
		names = append(names, console.Names(t)...)
	}
	slices.Sort(names)
	return names
}
