// Package api holds Mooring's kinds to what they promise, against a real API server: what is refused and in
// which words, what can't change once a cloud object exists, what is defaulted, and what people see.
package api
