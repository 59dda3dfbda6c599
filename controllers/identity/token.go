package identity

import (
	"context"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/providers/driver"
)

const (
	// tokenLife is what is asked for, in seconds. The API server may give less, and never gives less than ten minutes.
	tokenLife = 3600
	// tokenLeft is how long a token must still be good for when a driver gets it.
	tokenLeft = 10 * time.Minute
	// tokenTimeout is how long the API server may take for one.
	tokenTimeout = 10 * time.Second

	// Of a token's life: when another is requested for a driver, and when the one that is retained for deletions is renewed.
	renewAfter, renewRetainedAfter = 0.8, 0.5
)

// tokenKey says whose token it is, and for whom.
type tokenKey struct {
	tenant
	account  string // the ServiceAccount
	audience string
}

func (k tokenKey) String() string {
	return strings.Join([]string{k.namespace, string(k.uid), k.account, k.audience}, " ")
}

// A token is one that the API server issued. It never leaves memory but to the cloud and into the private copy.
type token struct {
	value           string
	issued, expires time.Time
}

// youngerThan reports whether less than a part of its life is gone.
func (t token) youngerThan(part float64, now time.Time) bool {
	return now.Before(t.issued.Add(time.Duration(part * float64(t.expires.Sub(t.issued)))))
}

// A tokenSource requests tokens of ServiceAccounts from the API server, and caches those that are still good.
type tokenSource struct {
	client   client.Client
	accounts serviceAccounts
	now      func() time.Time
	asking   singleflight.Group

	mu  sync.Mutex // of what follows
	all map[tokenKey]token
}

// token returns a token of whose life less than a part is gone. All who ask at the same time share one request. One that
// is older is good enough, as long as it is good at all, if the API server does not answer.
func (ts *tokenSource) token(ctx context.Context, key tokenKey, part float64) (token, error) {
	known := ts.cached(key)
	now := ts.now()
	good := known.expires.Sub(now) >= tokenLeft
	if good && known.youngerThan(part, now) {
		return known, nil
	}
	answer := ts.asking.DoChan(key.String(), func() (any, error) {
		if since := ts.cached(key); since.issued.After(known.issued) {
			return since, nil // while we came here
		}
		// It is no one caller's: who gives up must not take it from the others.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tokenTimeout)
		defer cancel()
		return ts.request(ctx, key)
	})
	var err error
	select {
	case a := <-answer:
		if a.Err == nil {
			return a.Val.(token), nil
		}
		err = a.Err
	case <-ctx.Done():
		err = tokenError(key.account, ctx.Err())
	}
	if good && driver.CodeOf(err) == driver.Unavailable {
		return known, nil
	}
	return token{}, err
}

// request requests a token from the API server.
func (ts *tokenSource) request(ctx context.Context, key tokenKey) (token, error) {
	if err := ts.accounts.checkConsent(ctx, key.namespace, key.account); err != nil {
		return token{}, err
	}
	life := int64(tokenLife)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		Audiences: []string{key.audience}, ExpirationSeconds: &life,
	}}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: key.namespace, Name: key.account}}
	t := token{issued: ts.now()}
	err := ts.client.SubResource("token").Create(ctx, account, request)
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return token{}, namespaceTerminating(key.namespace)
	case apierrors.IsNotFound(err):
		return token{}, serviceAccountNotFound(key.namespace, key.account)
	case err != nil:
		return token{}, tokenError(key.account, err)
	}
	t.value, t.expires = request.Status.Token, request.Status.ExpirationTimestamp.Time
	ts.put(key, t)
	return t, nil
}

// cached returns the token that was issued last, zero if there is none.
func (ts *tokenSource) cached(key tokenKey) token {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.all[key]
}

// put adds a token, and drops what has expired.
func (ts *tokenSource) put(key tokenKey, t token) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.all == nil {
		ts.all = map[tokenKey]token{}
	}
	now := ts.now()
	for k, old := range ts.all {
		if !now.Before(old.expires) {
			delete(ts.all, k)
		}
	}
	ts.all[key] = t
}

// dropBefore drops a tenant's tokens from before a time: the cloud may refuse them for what a new one does not have.
func (ts *tokenSource) dropBefore(of tenant, before time.Time) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for k, t := range ts.all {
		if k.tenant == of && t.issued.Before(before) {
			delete(ts.all, k)
		}
	}
}
