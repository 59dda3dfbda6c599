// Package identity holds tests of how Mooring signs in to clouds, on the whole system: a real API server that issues the
// tokens, the manager with the rights that it has where it is installed, and a local cloud that trusts the API server by the
// keys that it shows.
//
// Every way to an identity is gone from a Secret or a ServiceAccount to a bucket that is Ready, and it is the cloud that says who
// came. What makes tests hold still elsewhere is what moves here: sessions that last seconds, keys that are replaced, trust that
// is taken back and given again.
package identity
