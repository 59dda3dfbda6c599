package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// A store is a server of another maker that has the API of S3, and not all of it.
type store struct {
	host    string
	virtual bool // names of buckets stand in the host name
	now     func() time.Time

	mu    sync.Mutex
	lacks map[string]lack // by what was asked for
	has   map[string]bool // what it once answered
}

// A lack is the answer that the store has nothing of what was asked for, and when it came. Until when that is
// believed, it is not asked again.
type lack struct {
	answer    *driver.Error
	at, until time.Time
}

// storeLacks are the codes by which stores say that they lack what a call is about, beside NotImplemented. S3 itself says the first of a version that is a delete marker.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/DeleteMarker.html
var storeLacks = map[string]bool{
	"MethodNotAllowed":        true,
	"VersioningNotConfigured": true, // versitygw without a folder for versions
}

// A store that lacks something is not asked for it again for lackPause: only a new release of the store, or a change
// of its own settings, can give another answer, and a person who made it asks for an observation. The first such
// answer may be a slip, of a node that starts or of a proxy before it, and is believed for lackDoubt alone: it must
// not hide what is applied.
const (
	lackPause = time.Hour
	lackDoubt = time.Minute
)

// storeOf returns the store that a session leads to, nil if that is AWS.
func storeOf(cfg driver.Opening, now func() time.Time) (*store, error) {
	if cfg.Account.AWS == nil || cfg.Account.AWS.S3Compatible == nil {
		return nil, nil
	}
	at, err := url.Parse(cfg.Endpoint)
	if err != nil || at.Host == "" {
		return nil, Invalid("spec.aws.s3Compatible needs spec.endpoint, the URL of the store")
	}
	return &store{host: strings.ToLower(at.Host), virtual: cfg.Account.AWS.S3Compatible.Addressing == v1alpha1.S3AddressingVirtualHost,
		now: now, lacks: map[string]lack{}, has: map[string]bool{}}, nil
}

// S3 returns a client of S3. A name of a bucket in the host name works with AWS's own certificates and DNS, and with a store that says so.
func S3(s *Session) *s3.Client {
	return s3.NewFromConfig(s.Config, func(o *s3.Options) { o.UsePathStyle = s.Custom && (s.store == nil || !s.store.virtual) })
}

// ownerInStore asks a store who owns the buckets that the session makes. Stores have no accounts as AWS has, and few have STS: what tells one owner from
// another, also in another store, is the store's host and the owner's id there.
func ownerInStore(ctx context.Context, s *Session) (driver.AccountID, error) {
	client := S3(s)
	out, err := Call(ctx, s, "ListBuckets", client.ListBuckets, &s3.ListBucketsInput{MaxBuckets: aws.Int32(1)})
	if err != nil {
		return "", err
	}
	if out.Owner == nil || aws.ToString(out.Owner.ID) == "" {
		return "", &driver.Error{Code: driver.Internal, Op: "ListBuckets", Message: "the store names no owner of its buckets"}
	}
	signedBy, err := s.Config.Credentials.Retrieve(ctx)
	if err != nil {
		return "", s.wrap("ListBuckets", err)
	}
	s.account.Store(out.Owner.ID)
	owner := *out.Owner.ID
	if owner == signedBy.AccessKeyID { // so versitygw names owners; what is in the credentials Secret is shown nowhere
		owner = fmt.Sprintf("key-%x", sha256.Sum256([]byte(owner)))[:16]
	}
	return driver.AccountID(s.store.host + "/" + owner), nil
}

// question is what a store is asked, as far as the answer that it lacks that depends on it: a read asks for a kind of setting, whatever the bucket, and
// all that a write says may be the reason. Tags are asked for by bucket: whose a bucket is depends on them.
func question(op string, in any) string {
	if strings.HasPrefix(op, "Get") && op != "GetBucketTagging" {
		return op
	}
	says, err := json.Marshal(in)
	if err != nil {
		return ""
	}
	return op + string(says)
}

// known returns the answer to a question that the store lacks what it is about, nil if it has to be asked.
func (s *store) known(ctx context.Context, op string, in any) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.lacks[question(op, in)]; ok && s.now().Before(l.until) && !table.AskedSince(ctx, l.at) {
		again := *l.answer
		return &again
	}
	return nil
}

// note takes in an answer, and returns it as people read it: what to do first, and then the words of the store.
func (s *store) note(op string, in any, answer *driver.Error) *driver.Error {
	if s == nil || answer.Code != driver.Unsupported {
		return answer
	}
	explained := *answer
	explained.Message = "this S3-compatible store does not have it: remove the field from the spec, or from the class that sets it, or use another store; " + StoreAnswer(answer)
	s.mu.Lock()
	defer s.mu.Unlock()
	now, asked := s.now(), question(op, in)
	maps.DeleteFunc(s.lacks, func(_ string, l lack) bool { return now.Sub(l.until) > lackPause })
	if asked == "" || s.has[asked] {
		return &explained
	}
	pause := lackDoubt
	if _, again := s.lacks[asked]; again {
		pause = lackPause
	}
	s.lacks[asked] = lack{&explained, now, now.Add(pause)}
	return &explained
}

// answered notes that the store has what it was asked for. If it later says otherwise of a read, it is asked each time.
func (s *store) answered(op string, in any) {
	if s == nil {
		return
	}
	asked := question(op, in)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lacks, asked)
	if asked == op { // of all buckets, or the notes would grow with them
		s.has[asked] = true
	}
}

// StoreAnswer returns the words of a store.
func StoreAnswer(err error) string {
	return fmt.Sprintf("the store answers %s: %s", ErrorCode(err), Plain(ErrorMessage(err)))
}
