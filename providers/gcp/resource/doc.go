// Package resource has what resources of Google Cloud have in common, whichever service they are of: the labels that tags become, the regions that they can be
// in, the keys of Cloud KMS that encrypt them, and how the API writes the names of networks. It makes no calls.
package resource
