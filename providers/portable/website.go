package portable

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// WantedIndex returns the index document that a spec asks for: empty for `website: {}`, which is no web site, and nil if the spec does not
// say.
func WantedIndex(s *v1alpha1.BucketParameters) *string {
	switch {
	case s.Website == nil:
		return nil
	case *s.Website == v1alpha1.BucketWebsite{}:
		return new("")
	}
	return s.Website.IndexDocument
}

// WantedRedirect returns where a spec wants all requests to a web site sent, nil if it does not say.
func WantedRedirect(s *v1alpha1.BucketParameters) *string {
	if s.Website == nil {
		return nil
	}
	return s.Website.RedirectAllRequestsTo
}

// WantedErrorDocument returns the error document that a spec asks for: empty for `website: {}`, because a bucket of Cloud Storage can have one
// without an index, and nil if the spec does not say.
func WantedErrorDocument(s *v1alpha1.BucketParameters) *string {
	switch {
	case s.Website == nil:
		return nil
	case *s.Website == v1alpha1.BucketWebsite{}:
		return new("")
	}
	return s.Website.ErrorDocument
}

// WebsiteEffect is the effect of a change of a document: the last one that goes takes the pages from the visitors.
func WebsiteEffect(from *string, to string) (driver.Effect, string) {
	if to == "" && from != nil && *from != "" {
		return driver.Interrupts, ""
	}
	return driver.Online, ""
}

// WebsiteEffects are the effects that WebsiteEffect returns, and what it costs that a web site ends.
func WebsiteEffects(end driver.Cost) []driver.PossibleEffect {
	return []driver.PossibleEffect{
		{Effect: driver.Online, When: "it becomes another one"},
		{Effect: driver.Interrupts, When: "it goes, with `website: {}`: the bucket is no web site any more", Cost: end},
	}
}
