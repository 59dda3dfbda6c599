package session

import "time"

// What tests of a session need that no service does. They are in another package, because they need the error tables of the services.

// SessionAt returns a session in a region that calls nobody.
func SessionAt(region string, now func() time.Time, errors Errors) *Session {
	return &Session{Region: region, timeout: 15 * time.Second, Now: now, errors: errors}
}

// The functions and tables that tests try.
var (
	Wrap     = (*Session).wrap
	CodeOf   = Errors.codeOf
	S3Roots  = s3Roots
	Wordless = wordless
	Bodiless = bodiless
)
