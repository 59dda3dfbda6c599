// Package sts stands in for AWS STS: it says who a caller is, and hands out sessions of roles to other callers and to ServiceAccounts of
// Kubernetes clusters. What a session may, and when it ends, is in package amazon, which checks it in every call.
package sts
