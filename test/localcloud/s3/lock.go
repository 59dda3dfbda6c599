package s3

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

var wormModes = []string{"GOVERNANCE", "COMPLIANCE"}

// An objectLockRule is how new versions of objects are locked: for a period, by an event hold, or both. One of days and years is set.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DefaultRetention.html
type objectLockRule struct {
	Mode             string     `xml:",omitempty"`
	Days             int        `xml:",omitempty"`
	Years            int        `xml:",omitempty"`
	DefaultEventHold *eventHold `xml:",omitempty"`
}

// An eventHold is for how long a version is kept once its hold is released.
type eventHold struct {
	Days  int `xml:",omitempty"`
	Years int `xml:",omitempty"`
}

// valid: no recording shows what S3 says of an event hold.
func (r *objectLockRule) valid() bool {
	one := func(days, years int) bool { return (days > 0) != (years > 0) }
	switch period := r.Mode != "" || r.Days != 0 || r.Years != 0; {
	case r.DefaultEventHold != nil && !one(r.DefaultEventHold.Days, r.DefaultEventHold.Years):
		return false
	case period:
		return slices.Contains(wormModes, r.Mode) && one(r.Days, r.Years)
	}
	return r.DefaultEventHold != nil
}

type objectLockConfiguration struct {
	XMLName           xml.Name        `xml:"ObjectLockConfiguration"`
	Namespace         string          `xml:"xmlns,attr,omitempty"`
	ObjectLockEnabled string          `xml:",omitempty"`
	Default           *objectLockRule `xml:"Rule>DefaultRetention"`
}

// A wormLock keeps a version of an object.
type wormLock struct {
	mode  string // "" is none
	until time.Time
	hold  bool
}

func (l *wormLock) keeps(now time.Time) bool { return l.hold || l.mode != "" && now.Before(l.until) }

// objectLockDocument switches Object Lock on for good. No recording shows the put, nor what it says of a bucket without versions.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectLockConfiguration.html
var objectLockDocument = &document[objectLockConfiguration]{
	sub: "object-lock", noun: "ObjectLockConfiguration",
	get: func(b *s3Bucket) *objectLockConfiguration {
		if !b.objectLock {
			return nil
		}
		return &objectLockConfiguration{Namespace: namespace, ObjectLockEnabled: "Enabled", Default: b.lockRule}
	},
	absent: absence{"ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket"},
	check:  validObjectLock,
	put: func(_ *call, b *s3Bucket, asked *objectLockConfiguration) {
		b.objectLock, b.lockRule = true, asked.Default
	},
}

func validObjectLock(_ *call, b *s3Bucket, asked *objectLockConfiguration) error {
	if asked.ObjectLockEnabled != "Enabled" {
		return malformedXML()
	}
	if rule := asked.Default; rule != nil {
		if !rule.valid() {
			return malformedXML()
		}
		if rule.Days < 0 || rule.Days > 36500 || rule.Years < 0 || rule.Years > 100 {
			return amazon.Err(http.StatusBadRequest, "InvalidArgument", "Default retention period is out of range.")
		}
	}
	if b.versioning != "Enabled" {
		return amazon.Err(http.StatusConflict, "InvalidBucketState", "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration")
	}
	return nil
}

// wormHeaders are what an upload may say of its lock.
var wormHeaders = []string{"X-Amz-Object-Lock-Mode", "X-Amz-Object-Lock-Retain-Until-Date", "X-Amz-Object-Lock-Legal-Hold"}

// newLock is how a new version is locked: as its upload says, or as the rule of the bucket does.
func (c *call) newLock(b *s3Bucket) (lock wormLock, err error) {
	mode, until, hold := c.r.Header.Get(wormHeaders[0]), c.r.Header.Get(wormHeaders[1]), c.r.Header.Get(wormHeaders[2])
	bad := func(argument, value, message string) error {
		e := amazon.Err(http.StatusBadRequest, "InvalidArgument", message)
		e.Detail = [][2]string{{"ArgumentName", strings.ToLower(argument)}}
		if value != "" {
			e.Detail = append(e.Detail, [2]string{"ArgumentValue", value})
		}
		return e
	}
	const both = "x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied"
	switch {
	case mode != "" && until == "" && slices.Contains(wormModes, mode):
		return lock, bad(wormHeaders[1], "", both)
	case mode == "" && until != "":
		return lock, bad(wormHeaders[0], "", both)
	case mode != "" && !slices.Contains(wormModes, mode):
		return lock, bad(wormHeaders[0], mode, "Unknown wormMode directive.")
	case (mode != "" || hold != "") && !b.objectLock:
		return lock, amazon.Err(http.StatusBadRequest, "InvalidRequest", "Bucket is missing Object Lock Configuration")
	}
	lock.hold = hold == "ON"
	if mode != "" {
		lock.mode = mode
		if lock.until, err = time.Parse(time.RFC3339, until); err != nil {
			return lock, bad(wormHeaders[1], until, "The retain until date must be provided in ISO 8601 format")
		}
		return lock, nil
	}
	if rule := b.lockRule; rule != nil && rule.DefaultEventHold != nil {
		lock.hold = true
	}
	if rule := b.lockRule; rule != nil && rule.Mode != "" {
		lock.mode, lock.until = rule.Mode, c.now.UTC().AddDate(rule.Years, 0, rule.Days)
	}
	return lock, nil
}

// tell says in the headers of an answer how a version is locked.
func (l *wormLock) tell(header http.Header) {
	if l.mode != "" {
		header.Set(wormHeaders[0], l.mode)
		header.Set(wormHeaders[1], isoTime(l.until))
	}
	if l.hold {
		header.Set(wormHeaders[2], "ON")
	}
}

// lockedAway refuses what Object Lock does not allow. The recordings show these words of a period that is shortened; of a deletion they are those
// that people report.
func lockedAway() *amazon.Error {
	return amazon.Err(http.StatusForbidden, "AccessDenied", "Access Denied because object protected by object lock.")
}

// lockedVersion returns the version that a call about its lock is about. Delete markers have none.
func (c *call) lockedVersion() (*s3Object, error) {
	b, err := c.bucket()
	if err != nil {
		return nil, err
	}
	o := b.objects.get(c.key, c.query.Get("versionId"))
	switch {
	case o == nil:
		return nil, amazon.Err(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	case o.marker:
		e := amazon.Err(http.StatusMethodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource.")
		e.Detail = [][2]string{{"Method", c.r.Method}, {"ResourceType", "DeleteMarker"}}
		return nil, e
	case !b.objectLock:
		return nil, amazon.Err(http.StatusBadRequest, "InvalidRequest", "Bucket is missing Object Lock Configuration")
	}
	return o, nil
}

type objectRetention struct {
	XMLName         xml.Name `xml:"Retention"`
	Namespace       string   `xml:"xmlns,attr,omitempty"`
	Mode            string
	RetainUntilDate string
}

func (c *call) getRetention() (cloud.Reply, error) {
	o, err := c.lockedVersion()
	if err != nil {
		return cloud.Reply{}, err
	}
	if o.lock.mode == "" {
		return cloud.Reply{}, amazon.Err(http.StatusNotFound, "NoSuchObjectLockConfiguration", "The specified object does not have a ObjectLock configuration")
	}
	return c.ok(objectRetention{Namespace: namespace, Mode: o.lock.mode, RetainUntilDate: isoTime(o.lock.until)}), nil
}

// putRetention extends a period. It shortens none.
func (c *call) putRetention() (cloud.Reply, error) {
	o, err := c.lockedVersion()
	if err != nil {
		return cloud.Reply{}, err
	}
	var asked objectRetention
	if err := c.parse(&asked); err != nil {
		return cloud.Reply{}, err
	}
	until, err := time.Parse(time.RFC3339, asked.RetainUntilDate)
	if err != nil || !slices.Contains(wormModes, asked.Mode) {
		return cloud.Reply{}, malformedXML()
	}
	if o.lock.mode != "" && c.now.Before(o.lock.until) && (until.Before(o.lock.until) || o.lock.mode == "COMPLIANCE" && asked.Mode != o.lock.mode) {
		return cloud.Reply{}, lockedAway()
	}
	o.lock.mode, o.lock.until = asked.Mode, until
	return c.ok(nil), nil
}

type legalHold struct {
	XMLName xml.Name `xml:"LegalHold"`
	Status  string
}

// putHold places a legal hold, or releases it. No recording shows it. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectLegalHold.html
func (c *call) putHold() (cloud.Reply, error) {
	o, err := c.lockedVersion()
	if err != nil {
		return cloud.Reply{}, err
	}
	var asked legalHold
	if err := c.parse(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if asked.Status != "ON" && asked.Status != "OFF" {
		return cloud.Reply{}, malformedXML()
	}
	o.lock.hold = asked.Status == "ON"
	return c.ok(nil), nil
}
