package amazon

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

// AccountID is what the id of an account is like.
var AccountID = regexp.MustCompile(`^[0-9]{12}$`)

// An Caller is who signed a call, and the region its credential scope names.
type Caller struct {
	Account string
	ARN     string
	UserID  string
	// Key is the id of the user's key that the identity began with; empty if it began with a token.
	Key    string
	Region string
	// Of a session: its role's ARN, its tags, which of them pass on to sessions that follow, and whether it was revoked.
	Role       string
	Tags       map[string]string
	Transitive []string
	denied     bool
}

// An awsKey is an access key: of an account's user, or temporary and of a role's session.
type awsKey struct {
	ID      string
	Secret  string
	Token   string    // of a session, else empty
	expires time.Time // of a session, else zero
	revoked bool
	caller  Caller
}

// An Keyring knows all access keys of all accounts.
type Keyring struct {
	mu       sync.Mutex
	keys     map[string]*awsKey
	roles    map[string]Trust // by ARN
	sessions []Session
	// rotated counts the rotations of an account's key.
	rotated map[string]int
}

// NewKeyring returns a keyring without keys.
func NewKeyring() *Keyring {
	return &Keyring{keys: map[string]*awsKey{}, roles: map[string]Trust{}, rotated: map[string]int{}}
}

func (k *Keyring) user(account string) *awsKey {
	if !AccountID.MatchString(account) {
		panic(fmt.Sprintf("localcloud: an AWS account id has 12 digits, not %q", account))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	seed := account
	if n := k.rotated[account]; n > 0 {
		seed = fmt.Sprint(account, " ", n)
	}
	id := "AKIA" + KeyText(seed)
	key, ok := k.keys[id]
	if !ok {
		key = &awsKey{ID: id, Secret: keySecret(seed), caller: Caller{
			Account: account, Key: id,
			ARN:    "arn:aws:iam::" + account + ":user/mooring",
			UserID: "AIDA" + KeyText("user "+account),
		}}
		k.keys[id] = key
	}
	return key
}

// Revoke deactivates the key of an account's user, or makes it good again.
func (k *Keyring) Revoke(account string, revoked bool) {
	key := k.user(account)
	k.mu.Lock()
	defer k.mu.Unlock()
	key.revoked = revoked
}

func (k *Keyring) find(id string) (awsKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key, ok := k.keys[id]
	if !ok {
		return awsKey{}, false
	}
	return *key, true
}

// KeyText returns 16 characters as access key ids have them.
func KeyText(seed string) string {
	sum := sha256.Sum256([]byte("id " + seed))
	return base32.StdEncoding.EncodeToString(sum[:10])
}

// keySecret returns 40 characters as secret access keys have them.
func keySecret(seed string) string {
	sum := sha256.Sum256([]byte("secret " + seed))
	return strings.TrimRight(base64.StdEncoding.EncodeToString(sum[:30]), "=")
}

// Current returns the access key of an account's user.
func (k *Keyring) Current(account string) (accessKeyID, secretAccessKey string) {
	key := k.user(account)
	return key.ID, key.Secret
}

// Another gives an account's user another key. The old one is good until the returned function is called.
func (k *Keyring) Another(account string) (deleteOld func()) {
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
