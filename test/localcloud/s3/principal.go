package s3

import (
	"net/http"
	"slices"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

func (p *principal) replace(arn, id string) {
	if p == nil {
		return
	}
	for i, name := range p.kinds["AWS"] {
		if name == arn {
			p.kinds["AWS"][i] = id
		}
	}
}

// checkPrincipals refuses a policy that names an identity that was deleted, or made a moment ago.
func (c *call) checkPrincipals(p *s3Policy) error {
	for _, statement := range p.Statement {
		for _, who := range []*principal{statement.Principal, statement.NotPrincipal} {
			if who != nil && slices.ContainsFunc(who.kinds["AWS"], func(name string) bool { return c.deleted[name] != "" || c.cloud.Fresh.Has(name, c.now) }) {
				return amazon.Err(http.StatusBadRequest, "MalformedPolicy", "Invalid principal in policy")
			}
		}
	}
	return nil
}

// DeletePrincipal deletes an IAM identity that has a unique id, or makes one of its name again.
func (s *Service) DeletePrincipal(arn, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		delete(s.deleted, arn)
		return
	}
	s.deleted[arn] = id
	for _, b := range s.buckets {
		if b.Now == nil || b.Now.policy == nil {
			continue
		}
		for _, statement := range b.Now.policy.Statement {
			for _, who := range []*principal{statement.Principal, statement.NotPrincipal} {
				who.replace(arn, id)
			}
		}
	}
}
