package rds

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// rdsPrefix begins what neither a key nor a value of a tag may begin with. No recording shows the refusal.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_Tag.html
var rdsPrefix = regexp.MustCompile("^(?i)(aws|rds):")

// validRDSTags holds tags to the rules. People report the words for a key that is there twice: https://github.com/crossplane/stack-aws-sample/issues/12
func validRDSTags(tags []rdstypes.Tag) error {
	seen := map[string]bool{}
	for _, tag := range tags {
		key, value := aws.ToString(tag.Key), aws.ToString(tag.Value)
		switch {
		case key == "" || utf8.RuneCountInString(key) > 128 || !amazon.TagText.MatchString(key) || rdsPrefix.MatchString(key):
			return invalidValue("The tag key %q is not valid", key)
		case utf8.RuneCountInString(value) > 256 || !amazon.TagText.MatchString(value) || rdsPrefix.MatchString(value):
			return invalidValue("The value of the tag %q is not valid", key)
		case seen[key]:
			return invalidCombination("Duplicate tag key found in request: %s", key)
		}
		seen[key] = true
	}
	if len(tags) > 50 {
		return amazon.Err(http.StatusBadRequest, "TagQuotaPerResourceExceeded", "A resource can have at most 50 tags")
	}
	return nil
}

// A tagging is the tags of a resource, and what stores others.
type tagging struct {
	tags  []rdstypes.Tag
	store func([]rdstypes.Tag)
}

// taggable are the resources that have tags. Each finds those of one of its name.
var taggable = map[resource]func(c *call, name string, stale bool) (tagging, error){
	instanceResource: func(c *call, name string, stale bool) (tagging, error) {
		key := c.key(name)
		have := c.instances[key].Read(stale)
		if have == nil {
			return tagging{}, instanceResource.missing(name)
		}
		return tagging{have.db.TagList, func(tags []rdstypes.Tag) {
			next := have.clone()
			next.db.TagList = tags
			c.store(key, next)
		}}, nil
	},
	snapshotResource: func(c *call, name string, _ bool) (tagging, error) {
		snapshot := c.snapshots[c.key(name)]
		if snapshot == nil {
			return tagging{}, snapshotResource.missing(name)
		}
		return tagging{snapshot.db.TagList, func(tags []rdstypes.Tag) { snapshot.db.TagList = tags }}, nil
	},
	deploymentResource: func(c *call, id string, stale bool) (tagging, error) {
		key, d, err := c.deployment(&id, stale)
		if err != nil {
			return tagging{}, err
		}
		return tagging{d.tags, func(tags []rdstypes.Tag) {
			next := d.clone()
			next.tags = tags
			c.storeDeployment(key, next)
		}}, nil
	},
	groupResource: func(c *call, name string, _ bool) (tagging, error) {
		g, err := c.ownGroup(&name)
		if err != nil {
			return tagging{}, err
		}
		return tagging{g.tags, func(tags []rdstypes.Tag) { g.tags = tags }}, nil
	},
	backupResource: (*call).taggedBackups,
}

// tagged finds the tags of what an ARN names.
func (c *call) tagged(arn *string, stale bool) (tagging, error) {
	for r, find := range taggable {
		if name, ok := strings.CutPrefix(aws.ToString(arn), c.arn(r, "")); ok {
			return find(c, name, stale)
		}
	}
	return tagging{}, invalidValue("Invalid resource name: %s", aws.ToString(arn))
}

func (c *call) addTags(in *rds.AddTagsToResourceInput) (any, error) {
	have, err := c.tagged(in.ResourceName, false)
	if err != nil {
		return nil, err
	}
	if err := validRDSTags(in.Tags); err != nil {
		return nil, err
	}
	merged := slices.DeleteFunc(slices.Clone(have.tags), func(old rdstypes.Tag) bool {
		return slices.ContainsFunc(in.Tags, func(added rdstypes.Tag) bool { return *added.Key == *old.Key })
	})
	merged = append(merged, in.Tags...)
	if err := validRDSTags(merged); err != nil {
		return nil, err
	}
	have.store(merged)
	return nil, nil
}

func (c *call) removeTags(in *rds.RemoveTagsFromResourceInput) (any, error) {
	have, err := c.tagged(in.ResourceName, false)
	if err != nil {
		return nil, err
	}
	have.store(slices.DeleteFunc(slices.Clone(have.tags), func(tag rdstypes.Tag) bool { return slices.Contains(in.TagKeys, *tag.Key) }))
	return nil, nil
}

func (c *call) listTags(in *rds.ListTagsForResourceInput) (any, error) {
	have, err := c.tagged(in.ResourceName, c.stale)
	return &rds.ListTagsForResourceOutput{TagList: have.tags}, err
}
