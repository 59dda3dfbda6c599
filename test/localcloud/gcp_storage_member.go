package localcloud

import (
	"fmt"
	"strings"

	"google.golang.org/api/storage/v1"
)

// DeleteMember deletes an identity, such as serviceAccount:reader@project.iam.gserviceaccount.com: policies show it as deleted from then on, with its unique id, and no
// policy is taken that names it as if it was there. With an empty uid, one of that name is made again, which no policy names yet. The words of the refusal are those of
// https://github.com/hashicorp/terraform-provider-google/issues/5151.
// https://cloud.google.com/iam/docs/policies-deleted-principals
func (c *Cloud) DeleteMember(member, uid string) {
	c.gcp.mu.Lock()
	defer c.gcp.mu.Unlock()
	if uid == "" {
		delete(c.gcp.storage.gone, member)
		return
	}
	c.gcp.storage.gone[member] = uid
	for _, b := range c.gcp.storage.buckets {
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

// admitsMembers refuses a policy that names an identity that was deleted, as if it was there, or one that was made a moment ago.
func (s *gcsService) admitsMembers(policy *storage.Policy) error {
	for _, binding := range policy.Bindings {
		for _, m := range binding.Members {
			if kind, name, _ := strings.Cut(m, ":"); s.gone[m] != "" || s.cloud.fresh.has(m, s.cloud.opts.Now()) {
				called := map[string]string{"serviceAccount": "Service account", "user": "User", "group": "Group"}[kind]
				return gcsInvalid(fmt.Sprintf("%s %s does not exist.", called, name))
			}
		}
	}
	return nil
}
