package s3

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// sameNamed says when two configurations of a sort mean the same.
const sameNamed = "entries in another order; entries of other names, which others set, are left alone"

// A namedSort is a sort of configurations of which a bucket may have up to 1,000, known by their names: S3 lists all in pages of 100, and has a call that
// sets one and a call that deletes one. V is one in the spec, and C is one in the calls. The calls take the name of the bucket.
type namedSort[V, C any] struct {
	field, param string
	want         func(v1alpha1.BucketAWS) []V
	have         func(*bucket) **[]V
	change       func(*params) *table.Members[V]
	name         func(V) string
	alike        func(V) V // returns one as all are written that mean the same
	from         func(C) V
	list         func(ctx context.Context, b aspects, bucket string, token *string) (page []C, next *string, err error)
	put          func(ctx context.Context, b aspects, bucket string, v V) error
	remove       func(ctx context.Context, b aspects, bucket, name string) error
	advice       string // of what S3 asks, where it refuses one
}

func (s namedSort[V, C]) row() *table.MemberList[v1alpha1.BucketParameters, bucket, params, V] {
	return table.MembersOf(s.field,
		func(spec *v1alpha1.BucketParameters) []V { return s.want(block(spec)) },
		func(b *bucket) *[]V { return *s.have(b) },
		func(p *params, m table.Members[V]) { *s.change(p) = m },
		s.name, s.alike,
	).Equal(sameNamed).EachOnce()
}

func (s namedSort[V, C]) part(b aspects) table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{s.field}, Taken: table.Names{s.param}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			entries, err := s.read(ctx, b, req.Name)
			if err == nil {
				*s.have(into) = &entries
			}
			return err
		},
		Write: func(ctx context.Context, req *request, _ *bucket, params *params, changes []driver.Change) (string, error) {
			if err := s.check(&req.Spec); err != nil {
				return "", err
			}
			return "", s.write(ctx, b, req.Name, s.presentFirst(*s.change(params), changes))
		},
	}
}

// check refuses two configurations of one name, of which S3 would keep the one that is set last. The schema can't say it of 1,000.
func (s namedSort[V, C]) check(spec *v1alpha1.BucketParameters) error {
	return checkNames(s.field, s.want(block(spec)), s.name)
}

// checkNames refuses two entries of one name.
func checkNames[V any](field string, entries []V, name func(V) string) error {
	if twice := table.Twice(entries, name); twice != "" {
		return table.Fields{field}.Refuse("spec.%s has two entries of one name, %q: give each entry a name of its own", field, twice)
	}
	return nil
}

// checkNamed refuses two configurations of one name in each sort.
func checkNamed(spec *v1alpha1.BucketParameters) []error {
	return []error{metrics.check(spec), tierings.check(spec), analyses.check(spec), inventories.check(spec)}
}

// maxNamed is how many configurations of a sort a bucket has at most.
const maxNamed = 1000

// read returns all of the bucket.
func (s namedSort[V, C]) read(ctx context.Context, b aspects, bucket string) ([]V, error) {
	entries := []V{}
	for token, pages := (*string)(nil), 0; ; pages++ {
		page, next, err := s.list(ctx, b, bucket, token)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			entries = append(entries, s.from(c))
		}
		switch {
		case next == nil:
			return entries, nil
		case *next == "", *next == aws.ToString(token), pages == maxNamed: // a page has one at least
			return nil, &driver.Error{Code: driver.Internal, Op: "List", Message: fmt.Sprintf("the pages of spec.%s come to no end", s.field)}
		}
		token = next
	}
}

// presentFirst returns what is to become of configurations with those to set first that are there. They need no room, and whatever ends the calls for new
// ones comes too late for them.
func (s namedSort[V, C]) presentFirst(change table.Members[V], of []driver.Change) table.Members[V] {
	isNew := func(v V) bool {
		return slices.ContainsFunc(of, func(c driver.Change) bool { return slices.Contains(c.Adds, s.name(v)) })
	}
	var there, news []V
	for _, v := range change.Set {
		if isNew(v) {
			news = append(news, v)
		} else {
			there = append(there, v)
		}
	}
	change.Set = append(there, news...)
	return change
}

// write deletes and sets what changes, one by one. One that S3 refuses, or has no room for, keeps no other from being set.
func (s namedSort[V, C]) write(ctx context.Context, b aspects, bucket string, change table.Members[V]) error {
	unset := &table.Unset{}
	for _, v := range change.Set {
		unset.Names = append(unset.Names, s.name(v))
	}
	for _, name := range change.Remove {
		if err := s.remove(ctx, b, bucket, name); err != nil && session.ErrorCode(err) != "NoSuchConfiguration" {
			unset.Err = err
			return unset
		}
	}
	var failed []*driver.Error
	for _, v := range change.Set {
		err := s.put(ctx, b, bucket, v)
		if !driver.CodeOf(err).SetsNothing() { // it is set, or may be
			unset.Names = slices.DeleteFunc(unset.Names, func(name string) bool { return name == s.name(v) })
		}
		if err == nil {
			continue
		}
		e := *session.AsError(err)
		failed = append(failed, &e)
		if e.Code != driver.Invalid && e.Code != driver.Quota {
			break
		}
		if e.Code == driver.Quota {
			e.Message = fmt.Sprintf("there is no room for %q of spec.%s. Amazon S3 says: %s", s.name(v), s.field, e.Message)
		} else {
			e.Message = fmt.Sprintf("correct %q of spec.%s%s. Amazon S3 says: %s", s.name(v), s.field, s.advice, e.Message)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	unset.Err = table.Joined(failed)
	return unset
}

// more returns the token of the next page, nil behind the last one.
func more(truncated *bool, next *string) *string {
	if aws.ToBool(truncated) {
		return new(aws.ToString(next))
	}
	return nil
}

// alikeFilter returns a filter as all are written that mean the same.
func alikeFilter(f v1alpha1.BucketObjectFilterAWS) v1alpha1.BucketObjectFilterAWS {
	if f.Prefix = session.NonEmpty(f.Prefix); len(f.Tags) == 0 {
		f.Tags = nil
	}
	return f
}

// filterOf returns a filter as a spec says it.
func filterOf(prefix *string, tags ...types.Tag) v1alpha1.BucketObjectFilterAWS {
	return v1alpha1.BucketObjectFilterAWS{Prefix: session.NonEmpty(prefix), Tags: specTags(tags)}
}
