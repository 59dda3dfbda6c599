// Package admission answers the API server when it asks about an object before storing it, so that people hear at
// once what the controller would refuse later.
//
// It is a courtesy, and the reconciler is the law: whatever goes wrong here, an error, a panic, an answer that takes too
// long, lets the object pass with a warning. Objects that are being deleted pass unseen, and so does every update that
// changes nothing that a validation is about. A deletion is never refused: the answer is warnings that say what it does.
//
// Every replica answers, whether it leads or not. They share one certificate, which they make and renew by themselves:
// see rotator.
package admission
