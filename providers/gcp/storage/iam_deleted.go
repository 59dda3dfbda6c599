package storage

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// deletedMember returns the member that an identity was before it was deleted. https://cloud.google.com/iam/docs/policies-deleted-principals
func deletedMember(member string) (was string, deleted bool) {
	was, deleted = strings.CutPrefix(member, "deleted:")
	was, _, _ = strings.Cut(was, "?uid=")
	return was, deleted
}

// toDeleted is the value of a grant of ours whose member was deleted since.
const toDeleted = "to an identity that was deleted"

// addDeleted adds the grants of ours that IAM shows as those of deleted members: they differ from what a spec asks for, and go with it.
func (b *bindings) addDeleted(ours []string) {
	for _, binding := range b.list {
		for _, member := range binding.Members {
			was, deleted := deletedMember(member)
			name := grant{binding.Role, was, binding.Condition}.name()
			if _, there := b.grants[name]; deleted && !there && slices.Contains(ours, name) {
				b.grants[name] = toDeleted
			}
		}
	}
}

// memberMissing are the words by which Cloud Storage refuses a policy for one member that does not exist. https://github.com/hashicorp/terraform-provider-google/issues/5151
var memberMissing = regexp.MustCompile(`(?i)^(?:service ?account|user|group|principal|member|domain|identity) +"?([^ "]+?)"? does not exist`)

// mostMissing is how many members one write looks for that do not exist: each takes two calls.
const mostMissing = 20

// grantTo changes grants. Cloud Storage refuses a policy as a whole for one member that does not exist, so those that do are tried without it.
func (p policies) grantTo(ctx context.Context, req *request, change table.Delta) error {
	var missing []string
	var refused error
	for range mostMissing {
		err := p.grant(ctx, req, change)
		if err == nil || refused != nil && driver.CodeOf(err) == driver.Throttled { // the rest has its turn with the next try
			return refused
		}
		words := memberMissing.FindStringSubmatch(wordsOf(err))
		if driver.CodeOf(err) != driver.Invalid || words == nil {
			return err
		}
		rest := table.Delta{Set: maps.Clone(change.Set), Remove: change.Remove}
		maps.DeleteFunc(rest.Set, func(name, _ string) bool {
			_, address, _ := strings.Cut(grantOf(name).member, ":")
			gone := strings.EqualFold(address, words[1])
			if gone {
				missing = append(missing, name)
			}
			return gone
		})
		if len(rest.Set) == len(change.Set) { // it is in what others granted
			return err
		}
		e := *driver.ErrorOf(err)
		e.Message = "spec.gcp.iamBindings names members that do not exist: " + strings.Join(membersOf(missing), ", ") + "; Mooring grants the others. Create them, or remove them from it. Cloud Storage says: " + words[0]
		refused, change = &table.Unset{Err: &e, Names: missing}, rest
	}
	return refused
}

// membersOf returns the members of grants, each once.
func membersOf(names []string) (members []string) {
	for _, name := range names {
		members = append(members, grantOf(name).member)
	}
	slices.Sort(members)
	return slices.Compact(members)
}
