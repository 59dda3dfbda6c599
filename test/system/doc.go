// Package system is the harness that all end-to-end tests share. Its words are those of the tests:
//
//   - An Environment is a control plane from test/cluster and a local cloud from test/localcloud.
//   - A Manager is Mooring's own, with the drivers that it is given. It can be killed as a process would be: from one moment on
//     nothing of it reaches the API server or the cloud any more, and all it remembered is lost.
//   - A Fixture is what one test has of an environment: a namespace, what it makes there, and its waits.
//   - A Target is a kind of object in one cloud. Targets is the table that tests of all kinds and clouds iterate over.
//   - A Console is what people do to objects of a kind in a cloud beside Mooring, by its own SDK.
//   - A Recorder keeps every state of every object, and holds it against the design's table of conditions and against kstatus.
//   - A Clock is the real one, until a test puts it forward or stops it.
//
// A test that needs something from a cluster or a cloud looks here first, and adds here what a second package would need too.
package system
