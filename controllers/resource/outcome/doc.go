// Package outcome says what a reconciliation came to, and what the status of its object says then. All of it is values: who executes an
// action stores the status before the cloud is called, who reports stores it afterwards, and both get it from feature.Set.Describe, which adds what features say to Facts.Describe.
package outcome
