// Package binding keeps the connection Secret of an object as it should be: what an application needs to reach what the object stands for, with the keys of the Service
// Binding specification. The Secret is a projection of what was observed and of the login, where a kind has one: see Login. Nothing is ever read from it but by whoever
// takes a server back.
//
// A Secret is read before it is written or deleted. What is written is guarded by the resourceVersion that was read, and what is deleted by the uid. One that does not belong
// to the object is never touched. After spec.connection.secretName changed, the Secret of the former name is kept up to date for a day.
package binding
