package amazon

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// An Trust is a role's trust policy: who may take the role on. The zero value lets nobody.
type Trust struct {
	// Principals may do sts:AssumeRole: ARNs of users and roles, ids of accounts, or "*" for everybody.
	Principals []string
	// ExternalID is what sts:ExternalId must be; empty if it is not asked for.
	ExternalID string
	// TagSession allows sts:TagSession. Without it a call that passes tags is refused.
	TagSession bool
	// RequireTags are keys that must be among the tags that a call passes.
	RequireTags []string
	// Issuer and Subjects may do sts:AssumeRoleWithWebIdentity: tokens of that issuer (see TrustIssuer) whose subject is
	// one of these, and whose audience is sts.amazonaws.com.
	Issuer   string
	Subjects []string
}

// An Session is a session of a role, as STS handed it out.
type Session struct {
	Role string // its ARN
	Name string
	// By is the ARN of who assumed the role, or the subject of the token.
	By         string
	ExternalID string
	// Tags are the session's, those that it inherited among them.
	Tags    map[string]string
	Issued  time.Time
	Expires time.Time
}

func (k *Keyring) eachSession(do func(*awsKey)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.keys {
		if key.Token != "" {
			do(key)
		}
	}
}

// Session makes a temporary key for a caller.
func (k *Keyring) Session(caller Caller, s Session) awsKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sessions = append(k.sessions, s)
	seed := fmt.Sprint(caller.ARN, " ", len(k.sessions))
	key := &awsKey{
		ID: "ASIA" + KeyText(seed), Secret: keySecret(seed), Token: "IQoJ" + keySecret("token "+seed),
		expires: s.Expires, caller: caller,
	}
	k.keys[key.ID] = key
	return *key
}

// Role returns a role's trust; the zero trust if there is no such role.
func (k *Keyring) Role(arn string) Trust {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.roles[arn]
}

// Admits reports whether a caller may do sts:AssumeRole, and if not, what it lacks.
func (t Trust) Admits(caller Caller, externalID string, tags map[string]string) (missing string) {
	principals := []string{"*", caller.ARN, caller.Account, "arn:aws:iam::" + caller.Account + ":root"}
	if caller.Role != "" {
		principals = append(principals, caller.Role)
	}
	known := slices.ContainsFunc(t.Principals, func(p string) bool { return slices.Contains(principals, p) })
	if !known || t.ExternalID != "" && t.ExternalID != externalID {
		return "sts:AssumeRole"
	}
	for _, key := range t.RequireTags {
		if tags[key] == "" {
			return "sts:AssumeRole"
		}
	}
	if len(tags) > 0 && !t.TagSession {
		return "sts:TagSession"
	}
	return ""
}

// Trust makes a role, or changes its trust.
func (k *Keyring) Trust(arn string, trust Trust) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.roles[arn] = trust
}

// RemoveRole deletes a role and its sessions.
func (k *Keyring) RemoveRole(arn string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.roles, arn)
	maps.DeleteFunc(k.keys, func(_ string, k *awsKey) bool { return k.caller.Role == arn })
}

// RevokeSessions denies the sessions that a role has now.
func (k *Keyring) RevokeSessions(arn string) {
	k.eachSession(func(k *awsKey) { k.caller.denied = k.caller.denied || k.caller.Role == arn })
}

// ExpireSessions ends the life of every session so far.
func (k *Keyring) ExpireSessions() {
	k.eachSession(func(k *awsKey) { k.expires = time.Unix(1, 0) })
}

// Issued returns all sessions so far, in order.
func (k *Keyring) Issued() []Session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.sessions)
}
