package driver

import "time"

// Support says until when the cloud supports what a server runs on, as far as the cloud says so. Times are in UTC; those that it does not say are zero.
type Support struct {
	// Version is the major version of the engine that the dates are about, in the form of the spec. It is empty if the cloud says no date of an engine.
	Version string
	// StandardUntil is when the standard support of Version ends, and ExtendedUntil when the support ends that the cloud has after it.
	StandardUntil, ExtendedUntil time.Time
	// Unread: the cloud was not asked about Version now, or did not answer. The times of Version are zero, or those that it said last: they change
	// seldom. It is no error of the observation.
	Unread bool
	// CertificateExpires is when the certificate ends that the server shows to clients, or the certificate of the authority that signed it, whichever
	// of the two the cloud reports.
	CertificateExpires time.Time
}
