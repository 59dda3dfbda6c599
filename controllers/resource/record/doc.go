// Package record stores the status of an object, in the one place where that is done, whoever acts or reports. An object that has no room for its whole
// status gets one with the beginnings of long values.
package record
