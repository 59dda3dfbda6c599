// Package controllers is the table of kinds: what the one generic reconciler needs to know of each, and
// how they are put into a manager. Sub-packages hold the reconciler itself (resource), conditions
// (condition), retries (retry), provider configs and connections (credential), metrics (telemetry), answers to API
// servers that ask before they store an object (admission), and the rules of classes (constraint).
package controllers
