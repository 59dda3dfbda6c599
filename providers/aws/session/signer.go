package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/providers/driver/token"
)

// A signer signs calls with credentials that run out.
type signer struct {
	source *token.Source[aws.Credentials]
}

// usedKey is the key of what a call was signed with, in its context.
type usedKey struct{}

// Retrieve implements aws.CredentialsProvider.
func (s *signer) Retrieve(ctx context.Context) (aws.Credentials, error) {
	current, err := s.source.Get(ctx)
	if err != nil {
		return aws.Credentials{}, err
	}
	if used, ok := ctx.Value(usedKey{}).(**token.Cached[aws.Credentials]); ok {
		*used = current
	}
	return current.Value, nil
}

// ended are the codes by which AWS says that it does not know a session, or no longer does. Nothing was done then.
var ended = map[string]bool{
	"ExpiredToken": true, "InvalidAccessKeyId": true, "InvalidClientTokenId": true, "InvalidToken": true,
	"TokenRefreshRequired": true, "UnrecognizedClient": true,
}

// grace is how old a session must be for an explicit deny to be taken for its revocation. A deny of that kind that is
// meant for the role hits new sessions too, and must not have one fetched for every call.
const grace = time.Minute

// gone reports whether an answer says that the session which signed the call is good no more. AWS revokes sessions by a
// policy that denies them everything:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_revoke-sessions.html
func (s *Session) gone(err error, used *token.Cached[aws.Credentials]) bool {
	var api smithy.APIError
	if used == nil || !errors.As(err, &api) {
		return false
	}
	revoked := ErrorCode(err) == "AccessDenied" && strings.Contains(api.ErrorMessage(), "with an explicit deny")
	return ended[ErrorCode(err)] || revoked && s.Now().Sub(used.Since) > grace
}

// signed makes a call, and once more with new credentials where AWS no longer takes those that it was signed with:
// an identity that is good must not be called bad for a session that is not.
func signed[I, O, Opt any](ctx context.Context, s *Session, do func(context.Context, *I, ...func(*Opt)) (*O, error), in *I, opts []func(*Opt)) (*O, error) {
	if s.signer == nil {
		return do(ctx, in, opts...)
	}
	var used *token.Cached[aws.Credentials]
	ctx = context.WithValue(ctx, usedKey{}, &used)
	out, err := do(ctx, in, opts...)
	if err == nil || !s.gone(err, used) {
		return out, err
	}
	s.signer.source.Drop(used)
	return do(ctx, in, opts...)
}
