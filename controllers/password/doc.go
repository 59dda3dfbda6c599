// Package password decides what happens to the password of a server, and stores it.
//
// The truth about a password is in the password Secret, in Mooring's own namespace. A new password is stored there as the next
// one, then sent, and becomes the current one once the cloud has taken it; only then is it published. So no lost call leaves the
// connection Secret and the server disagreeing for good. Each next password has a serial, and the object's status says which
// serial the cloud accepted.
//
// State is a value, and its methods are pure: they take an event and return the next state and what to do. Store reads and
// writes the Secret.
package password
