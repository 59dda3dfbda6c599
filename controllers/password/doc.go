// Package password decides how the password of a server changes, and stores it.
//
// The password Secret, in Mooring's own namespace, is authoritative. A new password is first stored there as the next
// one, then sent to the cloud. It becomes the current one once the cloud has applied it, and only then it is published
// in the connection Secret. So a lost response never leaves the connection Secret and the server with different
// passwords. Each next password has a serial. The object's status records which serial the cloud accepted.
//
// State is a value with pure methods: they take an event, and return the next state and what to do. Store reads and
// writes the Secret.
package password
