// Package docs holds the documents to the truth: their YAML and JSON is that of config/samples, the API server takes
// every sample, the policies for the clouds allow what the drivers call and no more, and links lead somewhere.
package docs
