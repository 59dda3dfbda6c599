// Package admission holds the policies in config/admission to what they promise, against a real API server: what they
// refuse to whom, and that they leave everybody else alone.
package admission
