// Package replica is the feature of objects that follow another one of their kind, as a read replica does: of which primary a replica is made, how it is promoted, how far it
// lags behind, and that no primary is deleted before what follows it.
//
// Kinds whose objects follow others declare kind.Replicating. The password of a replica, which is that of its primary, is not decided here.
package replica
