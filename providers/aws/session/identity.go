package session

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	ststypes "github.com/aws/aws-sdk-go-v2/service/sts/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/token"
)

const (
	// sessionLife is how long a session is asked for: what every role allows, and the most for a role that is assumed from
	// another. https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_terms-and-concepts.html#iam-term-role-chaining
	sessionLife = time.Hour
	// WebAudience is whom tokens of web identities are for.
	WebAudience = "sts.amazonaws.com"

	tagNamespace      = "mooring:namespace"
	tagProviderConfig = "mooring:providerConfig"
)

// A chain is the steps by which an identity is reached: a base, and roles to assume one from the other.
type chain struct {
	session *Session
	config  aws.Config // of the calls to STS, without credentials
	cfg     driver.Opening
	base    func(context.Context) (aws.Credentials, error)
}

// newIdentity returns what signs a session's calls. It calls nobody yet.
func newIdentity(ctx context.Context, s *Session, shared aws.Config, cfg driver.Opening) (aws.CredentialsProvider, error) {
	if err := checkChain(cfg); err != nil {
		return nil, err
	}
	c := &chain{session: s, config: shared, cfg: cfg}
	switch {
	case cfg.Chain.WebIdentity != nil:
		c.base = c.webIdentity
	case cfg.Ambient:
		// The HTTP client is the SDK's own here: with AWS_CA_BUNDLE set, the SDK takes none that it can't extend.
		own, err := config.LoadDefaultConfig(ctx, config.WithRegion(cfg.Location), config.WithAPIOptions([]middlewareOption{watch(cfg.Host, s.errors), genuine(true)}))
		if err != nil {
			return nil, &driver.Error{Code: driver.Invalid, Message: "the environment's AWS configuration can't be read", Err: err}
		}
		c.base = func(ctx context.Context) (aws.Credentials, error) { return c.ambient(ctx, own.Credentials) }
	default:
		static, err := staticKeys(cfg.Credentials)
		if err != nil || len(cfg.Chain.AssumeRoles) == 0 {
			return static, err
		}
		c.base = static.Retrieve
	}
	return &signer{token.New(s.Now, c.fetch)}, nil
}

// checkChain refuses steps that are not of this cloud, or that can't be gone.
func checkChain(cfg driver.Opening) error {
	if err := cfg.OneBase(); err != nil {
		return err
	}
	switch web := cfg.Chain.WebIdentity; {
	case web != nil && web.RoleARN == "":
		return Invalid("credentials.webIdentity names no role: set its roleARN")
	case cfg.Chain.ImpersonateServiceAccount != "":
		return Invalid("credentials.impersonateServiceAccount is only for Google Cloud: for AWS, use assumeRoles")
	}
	for _, role := range cfg.Chain.AssumeRoles {
		if role.RoleARN == "" {
			return Invalid("credentials.assumeRoles has an entry without a roleARN")
		}
	}
	return nil
}

// roleIn returns the ARN of the role that the steps to an identity end in; empty if they name none.
func roleIn(chain v1alpha1.IdentityChain) string {
	if steps := chain.AssumeRoles; len(steps) > 0 {
		return steps[len(steps)-1].RoleARN
	}
	if chain.WebIdentity != nil {
		return chain.WebIdentity.RoleARN
	}
	return ""
}

// staticKeys reads a credentials Secret. Of it only the three keys of static credentials are taken; all else is
// refused, so that no Secret can name files, URLs or programs.
func staticKeys(secret driver.Credentials) (aws.CredentialsProvider, error) {
	values := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(secret)) { // a message that names another key at each look would be stored each time
		switch key {
		case v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey, v1alpha1.SecretKeyAWSSessionToken:
			values[key] = string(secret[key])
		default:
			return nil, Invalid("the credentials Secret has the key %q: remove it; only %s, %s and %s are allowed", key,
				v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey, v1alpha1.SecretKeyAWSSessionToken)
		}
	}
	for _, key := range []string{v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey} {
		if values[key] == "" {
			return nil, Invalid("the credentials Secret has no value for the key %q: set it", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !headerSafe(values[key]) {
			return nil, Invalid("the value of %q in the credentials Secret has spaces, line breaks or characters that are not ASCII: write it again without them", key)
		}
	}
	return credentials.NewStaticCredentialsProvider(values[v1alpha1.SecretKeyAWSAccessKeyID],
		values[v1alpha1.SecretKeyAWSSecretAccessKey], values[v1alpha1.SecretKeyAWSSessionToken]), nil
}

// headerSafe reports whether a value can stand in an HTTP header as it is. A line break at the end is
// the usual slip of whoever makes a Secret from a file.
func headerSafe(value string) bool {
	for _, r := range value {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}

// fetch goes all steps. What lies between is not kept: sessions of all steps are asked for the same time, and would have to
// be renewed together.
func (c *chain) fetch(ctx context.Context) (aws.Credentials, time.Time, error) {
	current, err := c.step(ctx, c.base)
	for _, role := range c.cfg.Chain.AssumeRoles {
		if err != nil {
			break
		}
		current, err = c.step(ctx, func(ctx context.Context) (aws.Credentials, error) { return c.assume(ctx, current, role) })
	}
	if err != nil || !current.CanExpire {
		return current, time.Time{}, err
	}
	return current, current.Expires, nil
}

// step gives one step its deadline.
func (c *chain) step(ctx context.Context, do func(context.Context) (aws.Credentials, error)) (aws.Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, c.session.timeout)
	defer cancel()
	return do(ctx)
}

// ambient returns the identity of the process. The SDK would hand out what it keeps until the last moment; who asks here
// wants another.
func (c *chain) ambient(ctx context.Context, own aws.CredentialsProvider) (aws.Credentials, error) {
	if cache, ok := own.(*aws.CredentialsCache); ok {
		cache.Invalidate()
	}
	current, err := own.Retrieve(ctx)
	if err != nil {
		return current, c.session.withoutAmbient(err)
	}
	return current, nil
}

// webIdentity takes on a role with a token of a ServiceAccount.
func (c *chain) webIdentity(ctx context.Context) (aws.Credentials, error) {
	web := c.cfg.Chain.WebIdentity
	token, err := c.cfg.WebToken(ctx, WebAudience)
	if err != nil {
		return aws.Credentials{}, err
	}
	provider := stscreds.NewWebIdentityRoleProvider(sts.NewFromConfig(c.config), web.RoleARN, identityToken(token), func(o *stscreds.WebIdentityRoleOptions) {
		o.RoleSessionName, o.Duration = sessionName(c.cfg.Tenant), sessionLife
	})
	current, err := provider.Retrieve(ctx)
	if err != nil {
		advice := fmt.Sprintf("check that the role's account has an OIDC provider for this cluster with the audience %s, and that its trust policy allows "+
			"sts:AssumeRoleWithWebIdentity to the subject system:serviceaccount:%s:%s", WebAudience, c.cfg.Tenant.Namespace, web.ServiceAccountName)
		return aws.Credentials{}, driver.RedactError(c.session.refusedRole("AssumeRoleWithWebIdentity", web.RoleARN, "with a token of ServiceAccount "+web.ServiceAccountName, advice, err), token)
	}
	return current, nil
}

// An identityToken is a token that is in memory already.
type identityToken string

// GetIdentityToken implements stscreds.IdentityTokenRetriever.
func (t identityToken) GetIdentityToken() ([]byte, error) { return []byte(t), nil }

// assume takes on a role from another identity.
func (c *chain) assume(ctx context.Context, from aws.Credentials, role v1alpha1.AssumeRole) (aws.Credentials, error) {
	caller := c.config.Copy()
	caller.Credentials = credentials.StaticCredentialsProvider{Value: from}
	externalID := role.ExternalID
	if externalID == "" {
		externalID = c.cfg.Tenant.NamespaceUID
	}
	provider := stscreds.NewAssumeRoleProvider(sts.NewFromConfig(caller), role.RoleARN, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName, o.Duration, o.Tags = sessionName(c.cfg.Tenant), sessionLife, sessionTags(c.cfg.Tenant)
		if externalID != "" {
			o.ExternalID = aws.String(externalID)
		}
	})
	current, err := provider.Retrieve(ctx)
	if err != nil {
		with, condition := "without an external id", "requires no sts:ExternalId"
		if externalID != "" {
			with, condition = fmt.Sprintf("with the external id %q", externalID), "requires no other sts:ExternalId"
		}
		return aws.Credentials{}, c.session.refusedRole("AssumeRole", role.RoleARN, with,
			"check that its trust policy allows this identity sts:AssumeRole and sts:TagSession, and "+condition, err)
	}
	return current, nil
}

// sessionTags are passed with every role, and are not transitive: AWS refuses a tag that is inherited and passed too.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html
func sessionTags(t driver.Tenant) []ststypes.Tag {
	var tags []ststypes.Tag
	for _, tag := range [][2]string{{tagNamespace, t.Namespace}, {tagProviderConfig, t.ProviderConfig}} {
		if tag[1] != "" {
			tags = append(tags, ststypes.Tag{Key: aws.String(tag[0]), Value: aws.String(tag[1])})
		}
	}
	return tags
}

// notInSessionNames are the characters that names of sessions can't have. They have 2 to 64.
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
var notInSessionNames = regexp.MustCompile(`[^\w+=,.@-]`)

func sessionName(t driver.Tenant) string {
	name := "mooring"
	for _, part := range []string{t.Namespace, t.ProviderConfig} {
		if part != "" {
			name += "-" + part
		}
	}
	name = notInSessionNames.ReplaceAllString(name, "-")
	return strings.TrimRight(name[:min(len(name), 64)], "-")
}
