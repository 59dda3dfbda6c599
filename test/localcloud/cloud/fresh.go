package cloud

import (
	"sync"
	"time"
)

// MakeIdentity makes an IAM role or user (by its ARN), or an identity of Google Cloud (such as serviceAccount:reader@project.iam.gserviceaccount.com), that the clouds
// do not see everywhere before lag has passed by their clock: policies that name it are refused until then, as if it was not there, and RDS does not take it for a role of
// monitoring. The clouds name no time: it is seconds, and minutes now and then.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency
// https://cloud.google.com/iam/docs/access-change-propagation
func (c *Shared) MakeIdentity(name string, lag time.Duration) {
	c.Fresh.mu.Lock()
	defer c.Fresh.mu.Unlock()
	if c.Fresh.until == nil {
		c.Fresh.until = map[string]time.Time{}
	}
	c.Fresh.until[name] = c.Options.Now().Add(lag)
}

// GrantKey gives the services of a cloud the use of a key of KMS (by its ARN, or as a call names it), or of Cloud KMS (by its name). They do not see the grant everywhere before
// lag has passed by the clouds' clock, and refuse what is to be encrypted by the key until then, as if nobody had granted it: RDS a new server, its insights and its secret, Cloud
// Storage a new bucket and another key of one, Cloud SQL a new server. S3 does not look at the key of a bucket before somebody writes an object.
// https://docs.aws.amazon.com/kms/latest/developerguide/accessing-kms.html#programming-eventual-consistency
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html (S3 does not validate the key)
// https://cloud.google.com/kms/docs/consistency
func (c *Shared) GrantKey(key string, lag time.Duration) { c.MakeIdentity(key, lag) }

// FreshNames are the identities that were made, and the keys that were granted, a moment ago.
type FreshNames struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// Has reports whether a name is too new to be known everywhere.
func (f *FreshNames) Has(name string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return now.Before(f.until[name])
}
