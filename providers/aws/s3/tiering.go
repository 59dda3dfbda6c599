package s3

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
	"github.com/mooring-dev/mooring/providers/table"
)

type tiering = v1alpha1.BucketIntelligentTieringAWS

// tierings move objects of the storage class INTELLIGENT_TIERING.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_IntelligentTieringConfiguration.html
var tierings = namedSort[tiering, types.IntelligentTieringConfiguration]{
	field: "aws.intelligentTiering", param: "tierings",
	want:   func(s v1alpha1.BucketAWS) []tiering { return s.IntelligentTiering },
	have:   func(b *bucket) **[]tiering { return &b.tierings },
	change: func(p *params) *table.Members[tiering] { return &p.tierings },
	name:   func(t tiering) string { return t.Name },
	alike:  alikeTiering,
	from:   tieringFrom,
	list: func(ctx context.Context, b aspects, bucket string, token *string) ([]types.IntelligentTieringConfiguration, *string, error) {
		out, err := session.Call(ctx, b.Session, "ListBucketIntelligentTieringConfigurations", b.s3.ListBucketIntelligentTieringConfigurations,
			&s3.ListBucketIntelligentTieringConfigurationsInput{Bucket: &bucket, ExpectedBucketOwner: b.Owner(), ContinuationToken: token})
		if err != nil {
			return nil, nil, err
		}
		return out.IntelligentTieringConfigurationList, more(out.IsTruncated, out.NextContinuationToken), nil
	},
	put: func(ctx context.Context, b aspects, bucket string, t tiering) error {
		_, err := session.Call(ctx, b.Session, "PutBucketIntelligentTieringConfiguration", b.s3.PutBucketIntelligentTieringConfiguration, &s3.PutBucketIntelligentTieringConfigurationInput{
			Bucket: &bucket, ExpectedBucketOwner: b.Owner(), Id: &t.Name, IntelligentTieringConfiguration: tieringTo(t),
		})
		return err
	},
	remove: func(ctx context.Context, b aspects, bucket, name string) error {
		_, err := session.Call(ctx, b.Session, "DeleteBucketIntelligentTieringConfiguration", b.s3.DeleteBucketIntelligentTieringConfiguration,
			&s3.DeleteBucketIntelligentTieringConfigurationInput{Bucket: &bucket, ExpectedBucketOwner: b.Owner(), Id: &name})
		return err
	},
}

// tieringRow says of changes by which more objects move that nobody can read them there.
var tieringRow = tierings.row().Equal("`status` unset is Enabled; "+sameNamed).EffectOf(func(present, wanted []tiering) (driver.Effect, string) {
	if moves := archived(present, wanted); moves != "" {
		return driver.Interrupts, moves
	}
	return driver.Online, ""
},
	driver.PossibleEffect{Effect: driver.Online, When: "nothing more moves to a tier of archives"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "more objects move to Archive Access or Deep Archive Access, or earlier", Cost: driver.Cost{
		Text: "clients can't read such objects until somebody restores a copy, which takes minutes to hours (Deep Archive Access: up to 48 hours); this is about objects of " +
			"the storage class INTELLIGENT_TIERING alone, and others are read as before",
		Source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/restoring-objects-retrieval-options.html",
	}},
)

func alikeTiering(t tiering) tiering {
	t.BucketObjectFilterAWS = alikeFilter(t.BucketObjectFilterAWS)
	if t.Status == nil {
		t.Status = new(string(types.IntelligentTieringStatusEnabled))
	}
	return t
}

// archived says what wanted entries move to archives that the present ones of their names did not, or not as early; empty if there is nothing.
func archived(present, wanted []tiering) string {
	var lines []string
	for _, t := range wanted {
		before := tiering{}
		if at := slices.IndexFunc(present, func(p tiering) bool { return p.Name == t.Name }); at >= 0 {
			before = present[at]
		}
		was, is := archiveDays(before), archiveDays(t)
		if !reflect.DeepEqual(alikeFilter(before.BucketObjectFilterAWS), alikeFilter(t.BucketObjectFilterAWS)) {
			was = nil // it is about other objects
		}
		for _, tier := range tiers {
			if days, moves := is[tier.exact]; moves && (was[tier.exact] == 0 || days < was[tier.exact]) {
				lines = append(lines, fmt.Sprintf("%s move to %s after %d days without access", objectsOf(t.BucketObjectFilterAWS), tier.name, days))
			}
		}
	}
	return prose.Join(lines)
}

// tiers are the tiers of archives: as S3 writes them, and as people do.
var tiers = []struct {
	exact types.IntelligentTieringAccessTier
	name  string
	days  func(*v1alpha1.IntelligentTieringsAWS) **int32
}{
	{types.IntelligentTieringAccessTierArchiveAccess, "Archive Access", func(t *v1alpha1.IntelligentTieringsAWS) **int32 { return &t.ArchiveAccessDays }},
	{types.IntelligentTieringAccessTierDeepArchiveAccess, "Deep Archive Access", func(t *v1alpha1.IntelligentTieringsAWS) **int32 { return &t.DeepArchiveAccessDays }},
}

// archiveDays returns after how many days an entry moves objects, by tier; nothing if it moves none.
func archiveDays(t tiering) map[types.IntelligentTieringAccessTier]int32 {
	days := map[types.IntelligentTieringAccessTier]int32{}
	for _, tier := range tiers {
		if n := *tier.days(&t.Tierings); n != nil && *alikeTiering(t).Status == string(types.IntelligentTieringStatusEnabled) {
			days[tier.exact] = *n
		}
	}
	return days
}

// objectsOf says which objects a filter is about.
func objectsOf(f v1alpha1.BucketObjectFilterAWS) string {
	text := "objects"
	if f.Prefix != nil {
		text += fmt.Sprintf(" that begin with %q", *f.Prefix)
	}
	tags := make([]string, 0, len(f.Tags))
	for _, tag := range s3Tags(session.WantTags(f.Tags)) {
		tags = append(tags, *tag.Key+"="+*tag.Value)
	}
	if len(tags) > 0 {
		text += " with the tags " + strings.Join(tags, " and ")
	}
	return text
}

// tieringTo returns an entry as S3 takes it.
func tieringTo(t tiering) *types.IntelligentTieringConfiguration {
	t = alikeTiering(t)
	c := &types.IntelligentTieringConfiguration{Id: &t.Name, Status: types.IntelligentTieringStatus(*t.Status)}
	for _, tier := range tiers {
		if days := *tier.days(&t.Tierings); days != nil {
			c.Tierings = append(c.Tierings, types.Tiering{AccessTier: tier.exact, Days: days})
		}
	}
	switch tags := s3Tags(session.WantTags(t.Tags)); {
	case t.Prefix == nil && len(tags) == 0:
	case len(tags) == 0:
		c.Filter = &types.IntelligentTieringFilter{Prefix: t.Prefix}
	case t.Prefix == nil && len(tags) == 1:
		c.Filter = &types.IntelligentTieringFilter{Tag: &tags[0]}
	default:
		c.Filter = &types.IntelligentTieringFilter{And: &types.IntelligentTieringAndOperator{Prefix: t.Prefix, Tags: tags}}
	}
	return c
}

// tieringFrom returns an entry as a spec says it.
func tieringFrom(c types.IntelligentTieringConfiguration) tiering {
	t := tiering{Name: aws.ToString(c.Id), Status: new(string(c.Status))}
	for _, there := range c.Tierings {
		for _, tier := range tiers {
			if there.AccessTier == tier.exact {
				*tier.days(&t.Tierings) = there.Days
			}
		}
	}
	if f := c.Filter; f != nil {
		switch {
		case f.And != nil:
			t.BucketObjectFilterAWS = filterOf(f.And.Prefix, f.And.Tags...)
		case f.Tag != nil:
			t.BucketObjectFilterAWS = filterOf(nil, *f.Tag)
		default:
			t.BucketObjectFilterAWS = filterOf(f.Prefix)
		}
	}
	return t
}
