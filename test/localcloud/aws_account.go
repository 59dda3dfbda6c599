package localcloud

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

var awsAccountID = regexp.MustCompile(`^[0-9]{12}$`)

// An awsCaller is who signed a call, and the region its credential scope names.
type awsCaller struct {
	account string
	arn     string
	userID  string
	region  string
}

// An awsKey is an access key: of an account's user, or temporary and of a role's session.
type awsKey struct {
	id      string
	secret  string
	token   string    // of a session, else empty
	expires time.Time // of a session, else zero
	revoked bool
	caller  awsCaller
}

// An awsKeyring knows all access keys of all accounts.
type awsKeyring struct {
	mu    sync.Mutex
	keys  map[string]*awsKey
	roles map[string]string // by ARN: the external id it asks for
	count int               // of sessions
	// rotated counts the rotations of an account's key.
	rotated map[string]int
}

func newAWSKeyring() *awsKeyring {
	return &awsKeyring{keys: map[string]*awsKey{}, roles: map[string]string{}, rotated: map[string]int{}}
}

// AWSKeys returns the access key of an account's user, who may do everything in it. The account (12
// digits) is made on first use; its key is the same in every local cloud, until it is rotated.
func (c *Cloud) AWSKeys(account string) (accessKeyID, secretAccessKey string) {
	key := c.aws.keys.user(account)
	return key.id, key.secret
}

// RevokeAWSKeys deactivates the key of an account's user until RestoreAWSKeys. Sessions of roles live on, as in AWS.
func (c *Cloud) RevokeAWSKeys(account string) { c.aws.keys.revoke(account, true) }

// RestoreAWSKeys undoes RevokeAWSKeys.
func (c *Cloud) RestoreAWSKeys(account string) { c.aws.keys.revoke(account, false) }

// RotateAWSKeys gives an account's user a new key, which AWSKeys returns from then on. The old one is refused for good.
func (c *Cloud) RotateAWSKeys(account string) {
	c.RevokeAWSKeys(account)
	c.aws.keys.mu.Lock()
	defer c.aws.keys.mu.Unlock()
	c.aws.keys.rotated[account]++
}

// AddAWSRole makes a role (arn:aws:iam::<account>:role/<name>) that every caller may assume who
// gives this external id; an empty one asks for none.
func (c *Cloud) AddAWSRole(arn, externalID string) {
	c.aws.keys.mu.Lock()
	defer c.aws.keys.mu.Unlock()
	c.aws.keys.roles[arn] = externalID
}

func (k *awsKeyring) user(account string) *awsKey {
	if !awsAccountID.MatchString(account) {
		panic(fmt.Sprintf("localcloud: an AWS account id has 12 digits, not %q", account))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	seed := account
	if n := k.rotated[account]; n > 0 {
		seed = fmt.Sprint(account, " ", n)
	}
	id := "AKIA" + keyText(seed)
	key, ok := k.keys[id]
	if !ok {
		key = &awsKey{id: id, secret: keySecret(seed), caller: awsCaller{
			account: account,
			arn:     "arn:aws:iam::" + account + ":user/mooring",
			userID:  "AIDA" + keyText("user "+account),
		}}
		k.keys[id] = key
	}
	return key
}

func (k *awsKeyring) revoke(account string, revoked bool) {
	key := k.user(account)
	k.mu.Lock()
	defer k.mu.Unlock()
	key.revoked = revoked
}

// session makes a temporary key for a caller.
func (k *awsKeyring) session(caller awsCaller, expires time.Time) awsKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count++
	seed := fmt.Sprint(caller.arn, " ", k.count)
	key := &awsKey{
		id: "ASIA" + keyText(seed), secret: keySecret(seed), token: "IQoJ" + keySecret("token "+seed),
		expires: expires, caller: caller,
	}
	k.keys[key.id] = key
	return *key
}

// role returns the external id that a role asks for.
func (k *awsKeyring) role(arn string) (externalID string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	externalID, ok = k.roles[arn]
	return externalID, ok
}

func (k *awsKeyring) find(id string) (awsKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key, ok := k.keys[id]
	if !ok {
		return awsKey{}, false
	}
	return *key, true
}

// keyText returns 16 characters as access key ids have them.
func keyText(seed string) string {
	sum := sha256.Sum256([]byte("id " + seed))
	return base32.StdEncoding.EncodeToString(sum[:10])
}

// keySecret returns 40 characters as secret access keys have them.
func keySecret(seed string) string {
	sum := sha256.Sum256([]byte("secret " + seed))
	return strings.TrimRight(base64.StdEncoding.EncodeToString(sum[:30]), "=")
}
