// Package pipe carries the contract of package driver between two processes. Serve lets a driver answer what comes through a pipe;
// Connect is a driver whose answers come through one. Nobody above the contract sees the difference.
//
// Each line is one frame of JSON, of a bounded size. Both sides call each other, many calls at once: the caller asks the driver, and
// the driver asks its host for tokens and reports its requests. The time that a call has left, and its end, go with it. A pipe that
// breaks makes every call Unavailable: it says nothing about what is in the cloud.
//
// driver.Session says that methods return before their context ends. Through a pipe, a call that the driver has received may return up
// to one second after its context ended: the caller waits that long for the driver to end the call.
package pipe
