package storage

import (
	"fmt"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// admitsMembers refuses a policy that names an identity that was deleted, as if it was there, or one that was made a moment ago.
func (s *Service) admitsMembers(policy *storage.Policy) error {
	for _, binding := range policy.Bindings {
		for _, m := range binding.Members {
			if kind, name, _ := strings.Cut(m, ":"); s.gone[m] != "" || s.cloud.Fresh.Has(m, s.cloud.Options.Now()) {
				called := map[string]string{"serviceAccount": "Service account", "user": "User", "group": "Group"}[kind]
				return google.Invalid(fmt.Sprintf("%s %s does not exist.", called, name))
			}
		}
	}
	return nil
}

// DeleteMember deletes an identity that has a unique id, or makes one of its name again.
func (s *Service) DeleteMember(member, uid string) {
	s.g.Mu.Lock()
	defer s.g.Mu.Unlock()
	if uid == "" {
		delete(s.gone, member)
		return
	}
	s.gone[member] = uid
	for _, b := range s.buckets {
		if b.now == nil {
			continue
		}
		for _, binding := range b.now.policy.Bindings {
			for i, m := range binding.Members {
				if m == member {
					binding.Members[i] = "deleted:" + member + "?uid=" + uid
				}
			}
		}
	}
}
