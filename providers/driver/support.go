package driver

import "time"

// Support has the end-of-support dates of what a server runs on. Times are in UTC, and zero if the cloud does not
// report them.
type Support struct {
	// Version is the major version of the engine that the dates apply to, in the form of the spec. It is empty if there
	// are no dates.
	Version string
	// StandardUntil is when the standard support of Version ends. ExtendedUntil is when the extended support ends.
	StandardUntil, ExtendedUntil time.Time
	// Unread: the dates of Version were not read this time, or the read failed. They are zero, or those of an earlier
	// read. That is not an error of the observation.
	Unread bool
	// CertificateExpires is when the server's certificate expires, or the certificate of its CA, depending on which one
	// the cloud reports.
	CertificateExpires time.Time
}
