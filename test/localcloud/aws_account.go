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
	// key is the id of the user's key that the identity began with; empty if it began with a token.
	key    string
	region string
	// Of a session: its role's ARN, its tags, which of them pass on to sessions that follow, and whether it was revoked.
	role       string
	tags       map[string]string
	transitive []string
	denied     bool
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
	mu       sync.Mutex
	keys     map[string]*awsKey
	roles    map[string]AWSTrust // by ARN
	sessions []AWSSession
	// rotated counts the rotations of an account's key.
	rotated map[string]int
}

func newAWSKeyring() *awsKeyring {
	return &awsKeyring{keys: map[string]*awsKey{}, roles: map[string]AWSTrust{}, rotated: map[string]int{}}
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
			account: account, key: id,
			arn:    "arn:aws:iam::" + account + ":user/mooring",
			userID: "AIDA" + keyText("user "+account),
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

// current returns the access key of an account's user.
func (k *awsKeyring) current(account string) (accessKeyID, secretAccessKey string) {
	key := k.user(account)
	return key.id, key.secret
}

// another gives an account's user another key. The old one is good until the returned function is called.
func (k *awsKeyring) another(account string) (deleteOld func()) {
	old := k.user(account)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rotated[account]++
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		old.revoked = true
	}
}
