// Package system is the harness that all end-to-end tests share. Its words are those of the tests:
//
//   - An Environment is a control plane from test/cluster and a local cloud from test/localcloud.
//   - A Manager is Mooring's own, with the drivers that it is given. It can be killed as a process would be: from one moment on
//     nothing of it reaches the API server or the cloud any more, and all it remembered is lost.
//
// A test that needs something from a cluster or a cloud looks here first, and adds here what a second package would need too.
package system
