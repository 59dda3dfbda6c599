// Package docs holds the documents to the truth: their YAML is that of config/samples, the API server takes
// every sample, and their links lead somewhere.
package docs
