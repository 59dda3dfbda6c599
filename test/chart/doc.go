// Package chart tests the Helm chart as people use it: helm's own program installs, upgrades and uninstalls it on a real API
// server, and what it installed is run as it says (see test/node). What it renders for a matrix of values is compared
// with golden files (`go test ./test/chart -update` writes them), validated against the API server's schema, and shown
// to the API server itself.
package chart
