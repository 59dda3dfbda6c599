package portable

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// WantedLogBucket returns the bucket that a spec wants access logs in: empty for `logging: {}`, which is no logs, and nil if the spec does not say.
func WantedLogBucket(s *v1alpha1.BucketParameters) *string {
	switch {
	case s.Logging == nil:
		return nil
	case *s.Logging == v1alpha1.BucketLogging{}:
		return new("")
	}
	return s.Logging.Bucket
}

// WantedLogPrefix returns the prefix that a spec wants access logs to have: empty for `logging: {}`, and nil if the spec does not say.
func WantedLogPrefix(s *v1alpha1.BucketParameters) *string {
	switch {
	case s.Logging == nil:
		return nil
	case *s.Logging == v1alpha1.BucketLogging{}:
		return new("")
	}
	return s.Logging.Prefix
}
