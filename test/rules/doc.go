// Package rules compares the rules of a cloud that stand twice as data: in a driver, which checks a spec by them before it calls the cloud, and
// in the stand-in for that cloud, which refuses calls by them. Neither reads the other's, so that a driver's mistake is a refused call in the
// tests (docs/adr/0042-a-rule-of-a-cloud-stands-where-its-source-is.md). This package sees both, and fails where they part.
package rules
