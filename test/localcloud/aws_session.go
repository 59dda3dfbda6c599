package localcloud

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// An AWSTrust is a role's trust policy: who may take the role on. The zero value lets nobody.
type AWSTrust struct {
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

// An AWSSession is a session of a role, as STS handed it out.
type AWSSession struct {
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

func (k *awsKeyring) eachSession(do func(*awsKey)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.keys {
		if key.token != "" {
			do(key)
		}
	}
}

// session makes a temporary key for a caller.
func (k *awsKeyring) session(caller awsCaller, s AWSSession) awsKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sessions = append(k.sessions, s)
	seed := fmt.Sprint(caller.arn, " ", len(k.sessions))
	key := &awsKey{
		id: "ASIA" + keyText(seed), secret: keySecret(seed), token: "IQoJ" + keySecret("token "+seed),
		expires: s.Expires, caller: caller,
	}
	k.keys[key.id] = key
	return *key
}

// role returns a role's trust; the zero trust if there is no such role.
func (k *awsKeyring) role(arn string) AWSTrust {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.roles[arn]
}

// admits reports whether a caller may do sts:AssumeRole, and if not, what it lacks.
func (t AWSTrust) admits(caller awsCaller, externalID string, tags map[string]string) (missing string) {
	principals := []string{"*", caller.arn, caller.account, "arn:aws:iam::" + caller.account + ":root"}
	if caller.role != "" {
		principals = append(principals, caller.role)
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

// trust makes a role, or changes its trust.
func (k *awsKeyring) trust(arn string, trust AWSTrust) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.roles[arn] = trust
}

// removeRole deletes a role and its sessions.
func (k *awsKeyring) removeRole(arn string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.roles, arn)
	maps.DeleteFunc(k.keys, func(_ string, k *awsKey) bool { return k.caller.role == arn })
}

// revokeSessions denies the sessions that a role has now.
func (k *awsKeyring) revokeSessions(arn string) {
	k.eachSession(func(k *awsKey) { k.caller.denied = k.caller.denied || k.caller.role == arn })
}

// expireSessions ends the life of every session so far.
func (k *awsKeyring) expireSessions() {
	k.eachSession(func(k *awsKey) { k.expires = time.Unix(1, 0) })
}

// issued returns all sessions so far, in order.
func (k *awsKeyring) issued() []AWSSession {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.sessions)
}
