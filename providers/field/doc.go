// Package field holds field tables: one row for each field of a cloud object, which says how the
// spec says it, how the cloud reports it, how it is sent, when two values mean the same, and what
// changing it does. From a table follow the difference between spec and cloud, the patch of exactly
// the named fields, the mirror in status, and the reference's line on "what happens when I change
// this". A new field of a cloud object is one row.
//
// Three types run through it: S is the spec's parameters, H what the cloud reports (have), and P the
// driver's own parameters of a call, filled by rows. A nil value from want means unmanaged; a nil
// value from have means that the cloud reports none.
package field
