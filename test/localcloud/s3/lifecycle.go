package s3

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

type lifecycleFilter struct {
	And                   *lifecycleAnd `xml:"And"`
	ObjectSizeGreaterThan *int64        `xml:"ObjectSizeGreaterThan"`
	ObjectSizeLessThan    *int64        `xml:"ObjectSizeLessThan"`
	Prefix                *string       `xml:"Prefix"`
	Tag                   *s3Tag        `xml:"Tag"`
}

type lifecycleAnd struct {
	ObjectSizeGreaterThan *int64  `xml:"ObjectSizeGreaterThan"`
	ObjectSizeLessThan    *int64  `xml:"ObjectSizeLessThan"`
	Prefix                *string `xml:"Prefix"`
	Tags                  []s3Tag `xml:"Tag"`
}

type lifecycleExpiration struct {
	Date                      string `xml:"Date,omitempty"`
	Days                      *int   `xml:"Days"`
	ExpiredObjectDeleteMarker *bool  `xml:"ExpiredObjectDeleteMarker"`
}

type lifecycleMove struct {
	Date         string `xml:"Date,omitempty"`
	Days         *int   `xml:"Days"`
	StorageClass string `xml:"StorageClass"`
}

type lifecycleOldMove struct {
	NewerNoncurrentVersions *int   `xml:"NewerNoncurrentVersions"`
	NoncurrentDays          *int   `xml:"NoncurrentDays"`
	StorageClass            string `xml:"StorageClass"`
}

type lifecycleRule struct {
	Abort *struct {
		DaysAfterInitiation int
	} `xml:"AbortIncompleteMultipartUpload"`
	Expiration    *lifecycleExpiration `xml:"Expiration"`
	Filter        *lifecycleFilter     `xml:"Filter"`
	ID            string               `xml:"ID"`
	OldExpiration *struct {
		NewerNoncurrentVersions *int `xml:"NewerNoncurrentVersions"`
		NoncurrentDays          *int `xml:"NoncurrentDays"`
	} `xml:"NoncurrentVersionExpiration"`
	OldMoves []lifecycleOldMove `xml:"NoncurrentVersionTransition"`
	Prefix   *string            `xml:"Prefix"`
	Status   string             `xml:"Status"`
	Moves    []lifecycleMove    `xml:"Transition"`
}

type lifecycleConfiguration struct {
	XMLName   xml.Name        `xml:"LifecycleConfiguration"`
	Namespace string          `xml:"xmlns,attr,omitempty"`
	Rule      []lifecycleRule `xml:"Rule"`
	smallest  string          // from which size on objects move
}

// smallestHeader names the size from which on objects move.
const smallestHeader = "X-Amz-Transition-Default-Minimum-Object-Size"

var (
	smallestSizes = []string{"all_storage_classes_128K", "varies_by_storage_class"}
	coldClasses   = []string{"STANDARD_IA", "INTELLIGENT_TIERING", "ONEZONE_IA", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"} // the warm first
)

// lifecycleDocument says in a header from which size on objects move: the default where a put does not say.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
var lifecycleDocument = &document[lifecycleConfiguration]{
	sub: "lifecycle", noun: "BucketLifecycleConfiguration", deletes: "DeleteBucketLifecycle", headers: []string{smallestHeader},
	get: func(b *s3Bucket) *lifecycleConfiguration {
		if b.lifecycle == nil {
			return nil
		}
		rules := *b.lifecycle
		rules.Namespace = namespace
		return &rules
	},
	absent: absence{"NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist"},
	check:  validLifecycle,
	put:    func(_ *call, b *s3Bucket, asked *lifecycleConfiguration) { b.lifecycle = asked },
	remove: func(_ *call, b *s3Bucket) { b.lifecycle = nil },
	beside: func(shown *lifecycleConfiguration, header http.Header) { header.Set(smallestHeader, shown.smallest) },
}

// validLifecycle holds rules to S3's own rules, and gives one without an id an id.
func validLifecycle(c *call, _ *s3Bucket, asked *lifecycleConfiguration) error {
	asked.smallest = smallestSizes[0]
	if size := c.r.Header.Get(smallestHeader); size != "" {
		asked.smallest = size
	}
	if len(asked.Rule) == 0 || len(asked.Rule) > 1000 || !slices.Contains(smallestSizes, asked.smallest) {
		return malformedXML()
	}
	ids := map[string]bool{}
	for i := range asked.Rule {
		rule := &asked.Rule[i]
		if rule.ID == "" {
			rule.ID = amazon.Base32ID([]byte(cloud.RequestID()), 24)
		}
		if ids[rule.ID] {
			return invalidArgument("ID", "Rule ID must be unique. Found same ID for more than one rule")
		}
		ids[rule.ID] = true
		if err := rule.valid(); err != nil {
			return err
		}
	}
	return nil
}

func invalidArgument(argument, why string) *amazon.Error {
	e := amazon.Err(http.StatusBadRequest, "InvalidArgument", why)
	e.Detail = [][2]string{{"ArgumentName", argument}}
	return e
}

// valid holds a rule to S3's own rules. No recording shows the refusals; their words are those that people report.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleRule.html
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
func (r *lifecycleRule) valid() error {
	tagged := false
	switch f := r.Filter; {
	case (f == nil) == (r.Prefix == nil), r.Status != "Enabled" && r.Status != "Disabled", len(r.ID) > 255:
		return malformedXML()
	case f != nil:
		set := 0
		for _, has := range []bool{f.And != nil, f.ObjectSizeGreaterThan != nil, f.ObjectSizeLessThan != nil, f.Prefix != nil, f.Tag != nil} {
			if has {
				set++
			}
		}
		if set > 1 {
			return malformedXML()
		}
		tagged = f.Tag != nil || f.And != nil && len(f.And.Tags) > 0
		if err := f.validTags(); err != nil {
			return err
		}
	}
	if r.Abort == nil && r.Expiration == nil && r.OldExpiration == nil && len(r.OldMoves) == 0 && len(r.Moves) == 0 {
		return amazon.Err(http.StatusBadRequest, "InvalidRequest", "At least one action needs to be specified in a rule")
	}
	if tagged && (r.Abort != nil || r.Expiration != nil && r.Expiration.ExpiredObjectDeleteMarker != nil) {
		return amazon.Err(http.StatusBadRequest, "InvalidRequest", "AbortIncompleteMultipartUpload and ExpiredObjectDeleteMarker cannot be specified with Tags.")
	}
	if r.Abort != nil && r.Abort.DaysAfterInitiation < 1 {
		return invalidArgument("DaysAfterInitiation", "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive integer")
	}
	return r.validTimes()
}

// validTags refuses a key that is there twice.
func (f *lifecycleFilter) validTags() error {
	if f.And == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, tag := range f.And.Tags {
		if seen[tag.Key] {
			return amazon.Err(http.StatusBadRequest, "InvalidRequest", "Duplicate Tag Keys are not allowed.")
		}
		seen[tag.Key] = true
	}
	return nil
}

// validDates holds the dates of a rule to midnight. People report the words: https://github.com/aws/aws-cli/issues/7677
func (r *lifecycleRule) validDates() error {
	var dates []string
	if r.Expiration != nil {
		dates = append(dates, r.Expiration.Date)
	}
	for _, m := range r.Moves {
		dates = append(dates, m.Date)
	}
	for _, date := range dates {
		if date == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, date)
		switch {
		case err != nil:
			return malformedXML()
		case !at.Equal(at.Truncate(24 * time.Hour)): // counted from a midnight of UTC
			return invalidArgument("Date", "'Date' must be at midnight GMT")
		}
	}
	return nil
}

func (r *lifecycleRule) validTimes() error {
	if err := r.validDates(); err != nil {
		return err
	}
	if e := r.Expiration; e != nil {
		set := 0
		for _, has := range []bool{e.Date != "", e.Days != nil, e.ExpiredObjectDeleteMarker != nil} {
			if has {
				set++
			}
		}
		switch {
		case set != 1:
			return malformedXML()
		case e.Days != nil && *e.Days < 1:
			return invalidArgument("Days", "'Days' for Expiration action must be a positive integer")
		}
	}
	old := r.OldExpiration
	switch {
	case old != nil && old.NoncurrentDays == nil:
		return malformedXML()
	case old != nil && *old.NoncurrentDays < 1:
		return invalidArgument("NoncurrentDays", "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer")
	}
	var moves, oldMoves []lifecycleMove
	for _, m := range r.Moves {
		if m.Date == "" {
			moves = append(moves, m)
		}
	}
	for _, m := range r.OldMoves {
		oldMoves = append(oldMoves, lifecycleMove{Days: m.NoncurrentDays, StorageClass: m.StorageClass})
	}
	var expire, oldExpire *int
	if r.Expiration != nil {
		expire = r.Expiration.Days
	}
	if old != nil {
		oldExpire = old.NoncurrentDays
	}
	if err := validMoves("Days", "Transition", "Expiration", moves, expire); err != nil {
		return err
	}
	return validMoves("NoncurrentDays", "NoncurrentVersionTransition", "NoncurrentVersionExpiration", oldMoves, oldExpire)
}

// validMoves holds the times of moves, and that of the deletion after them, to S3's rules.
func validMoves(days, action, deletion string, moves []lifecycleMove, expire *int) error {
	last, at := -1, -1
	slices.SortStableFunc(moves, func(a, b lifecycleMove) int {
		return slices.Index(coldClasses, a.StorageClass) - slices.Index(coldClasses, b.StorageClass)
	})
	for _, m := range moves {
		class := slices.Index(coldClasses, m.StorageClass)
		switch {
		case class < 0 || m.Days == nil:
			return malformedXML()
		case class == last:
			return amazon.Err(http.StatusBadRequest, "InvalidRequest", fmt.Sprintf("'StorageClass' must be different for '%s' actions in same 'Rule' with filter ''", action))
		case strings.HasSuffix(m.StorageClass, "_IA") && *m.Days < 30:
			return invalidArgument(days, fmt.Sprintf("'%s' in %s action must be greater than or equal to 30 for storageClass '%s'", days, action, m.StorageClass))
		case *m.Days <= at:
			return invalidArgument(days, fmt.Sprintf("'%s' in the '%s' action for StorageClass '%s' must be greater than for StorageClass '%s'", days, action, m.StorageClass, coldClasses[last]))
		case expire != nil && *m.Days >= *expire:
			return invalidArgument(days, fmt.Sprintf("'%s' in the %s action for filter '' must be greater than '%s' in the %s action", days, deletion, days, action))
		}
		last, at = class, *m.Days
	}
	return nil
}
