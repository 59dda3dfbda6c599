// Package gitops tests what Mooring gives to GitOps tools: the health check for Argo CD, run as Argo CD runs it, over
// objects in every state that there is.
package gitops
