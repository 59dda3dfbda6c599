package localcloud_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	ststypes "github.com/aws/aws-sdk-go-v2/service/sts/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
	localsts "github.com/mooring-dev/mooring/test/localcloud/sts"
)

const testRole = "arn:aws:iam::" + sdk.OwnAccount + ":role/mooring"

func assumeInput(role string, edit func(*sts.AssumeRoleInput)) *sts.AssumeRoleInput {
	in := &sts.AssumeRoleInput{RoleArn: aws.String(role), RoleSessionName: aws.String("test")}
	if edit != nil {
		edit(in)
	}
	return in
}

func tagged(keys ...string) func(*sts.AssumeRoleInput) {
	return func(in *sts.AssumeRoleInput) {
		for _, key := range keys {
			in.Tags = append(in.Tags, ststypes.Tag{Key: aws.String(key), Value: aws.String("v")})
		}
	}
}

// as returns a config that calls as a session.
func as(cloud *localcloud.Cloud, c *ststypes.Credentials) aws.Config {
	config := sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1")
	config.Credentials = credentials.NewStaticCredentialsProvider(*c.AccessKeyId, *c.SecretAccessKey, *c.SessionToken)
	return config
}

func TestAWSTrust(t *testing.T) {
	user := "arn:aws:iam::" + sdk.OwnAccount + ":user/mooring"
	for name, tc := range map[string]struct {
		trust localcloud.AWSTrust
		edit  func(*sts.AssumeRoleInput)
		code  string
	}{
		"nobody":                    {localcloud.AWSTrust{}, nil, "AccessDenied"},
		"the account":               {localcloud.AWSTrust{Principals: []string{sdk.OwnAccount}}, nil, ""},
		"the account, by its root":  {localcloud.AWSTrust{Principals: []string{"arn:aws:iam::" + sdk.OwnAccount + ":root"}}, nil, ""},
		"the user":                  {localcloud.AWSTrust{Principals: []string{user}}, nil, ""},
		"everybody":                 {localcloud.AWSTrust{Principals: []string{"*"}}, nil, ""},
		"another account":           {localcloud.AWSTrust{Principals: []string{sdk.OtherAccount}}, nil, "AccessDenied"},
		"web identities only":       {localcloud.AWSTrust{Issuer: "https://c.example"}, nil, "AccessDenied"},
		"an external id too much":   {localcloud.AWSTrust{Principals: []string{"*"}}, func(in *sts.AssumeRoleInput) { in.ExternalId = aws.String("id") }, ""},
		"no external id":            {localcloud.AWSTrust{Principals: []string{"*"}, ExternalID: "id"}, nil, "AccessDenied"},
		"the external id":           {localcloud.AWSTrust{Principals: []string{"*"}, ExternalID: "id"}, func(in *sts.AssumeRoleInput) { in.ExternalId = aws.String("id") }, ""},
		"tags, without leave":       {localcloud.AWSTrust{Principals: []string{"*"}}, tagged("a"), "AccessDenied"},
		"tags":                      {localcloud.AWSTrust{Principals: []string{"*"}, TagSession: true}, tagged("a"), ""},
		"a tag that is missing":     {localcloud.AWSTrust{Principals: []string{"*"}, TagSession: true, RequireTags: []string{"a", "b"}}, tagged("a"), "AccessDenied"},
		"a tag that is asked for":   {localcloud.AWSTrust{Principals: []string{"*"}, TagSession: true, RequireTags: []string{"a"}}, tagged("a"), ""},
		"longer than an hour":       {localcloud.AWSTrust{Principals: []string{"*"}}, func(in *sts.AssumeRoleInput) { in.DurationSeconds = aws.Int32(7200) }, "ValidationError"},
		"a name that is none":       {localcloud.AWSTrust{Principals: []string{"*"}}, func(in *sts.AssumeRoleInput) { in.RoleSessionName = aws.String("a b") }, "ValidationError"},
		"a role that was not asked": {localcloud.AWSTrust{Principals: []string{"*"}}, func(in *sts.AssumeRoleInput) { in.RoleArn = aws.String(testRole + "2") }, "AccessDenied"},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
			cloud.AWSRole(testRole, tc.trust)
			_, err := sts.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1")).AssumeRole(t.Context(), assumeInput(testRole, tc.edit))
			sdk.WantCode(t, err, tc.code)
			if got, want := len(cloud.AWSSessions()), map[bool]int{true: 1}[tc.code == ""]; got != want {
				t.Errorf("%d sessions, want %d", got, want)
			}
		})
	}
}

// Tags that pass on are inherited, and can't be passed again; others end with their session.
func TestAWSTransitiveTags(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	cloud.AWSRole(testRole, localcloud.AWSTrust{Principals: []string{"*"}, TagSession: true})
	first := check.Need(sts.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1")).AssumeRole(t.Context(), assumeInput(testRole, func(in *sts.AssumeRoleInput) {
		tagged("passes", "ends")(in)
		in.TransitiveTagKeys = []string{"passes"}
	})))(t)
	client := sts.NewFromConfig(as(cloud, first.Credentials))
	_, err := client.AssumeRole(t.Context(), assumeInput(testRole, tagged("passes")))
	sdk.WantCode(t, err, "InvalidParameterValue")
	second := check.Need(client.AssumeRole(t.Context(), assumeInput(testRole, tagged("own"))))(t)
	if _, err := s3.NewFromConfig(as(cloud, second.Credentials)).ListBuckets(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	calls := cloud.Ledger.Calls(localcloud.Filter{Service: "s3"})
	if diff := cmp.Diff(map[string]string{"passes": "v", "own": "v"}, calls[0].Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}

func TestAWSSessionsEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		end     func(*localcloud.Cloud)
		s3, sts string
	}{
		"not":     {func(*localcloud.Cloud) {}, "", ""},
		"expired": {func(c *localcloud.Cloud) { c.ExpireAWSSessions() }, "ExpiredToken", "ExpiredToken"},
		"revoked": {func(c *localcloud.Cloud) { c.RevokeAWSSessions(testRole) }, "AccessDenied", ""},
		"removed": {func(c *localcloud.Cloud) { c.RemoveAWSRole(testRole) }, "InvalidAccessKeyId", "InvalidClientTokenId"},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
			cloud.AWSRole(testRole, localcloud.AWSTrust{Principals: []string{"*"}})
			session := check.Need(sts.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1")).AssumeRole(t.Context(), assumeInput(testRole, nil)))(t)
			tc.end(cloud)
			config := as(cloud, session.Credentials)
			_, err := s3.NewFromConfig(config).ListBuckets(t.Context(), nil)
			sdk.WantCode(t, err, tc.s3)
			_, err = sts.NewFromConfig(config).GetCallerIdentity(t.Context(), nil)
			sdk.WantCode(t, err, tc.sts)
		})
	}
}

// A session ends by the clock of sessions, which no other clock moves.
func TestSessionLife(t *testing.T) {
	clock := &check.Clock{At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	cloud, err := localcloud.Start(localcloud.Options{ListenersOnly: true, SessionNow: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Close() })
	cloud.AWSRole(testRole, localcloud.AWSTrust{Principals: []string{"*"}})
	session := check.Need(sts.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1")).AssumeRole(t.Context(), assumeInput(testRole, nil)))(t)
	if lasts := session.Credentials.Expiration.Sub(clock.Now()); lasts != time.Hour {
		t.Errorf("it lasts %v", lasts)
	}
	for _, tc := range []struct {
		after time.Duration
		code  string
	}{{time.Hour - time.Second, ""}, {time.Second, "ExpiredToken"}} {
		clock.Advance(tc.after)
		_, err = s3.NewFromConfig(as(cloud, session.Credentials)).ListBuckets(t.Context(), nil)
		sdk.WantCode(t, err, tc.code)
	}
}

func TestAWSWebIdentity(t *testing.T) {
	const url = "https://cluster.example"
	cluster, forger := localcloud.NewIssuer(url), localcloud.NewIssuer(url)
	for name, tc := range map[string]struct {
		token, code string
	}{
		"good":             {cluster.Token("shop", "buyer", localsts.StsAudience, time.Hour), ""},
		"another subject":  {cluster.Token("shop", "thief", localsts.StsAudience, time.Hour), "AccessDenied"},
		"another audience": {cluster.Token("shop", "buyer", "https://kubernetes.default.svc", time.Hour), "InvalidIdentityToken"},
		"expired":          {cluster.Token("shop", "buyer", localsts.StsAudience, -time.Minute), "ExpiredTokenException"},
		"forged":           {forger.Token("shop", "buyer", localsts.StsAudience, time.Hour), "InvalidIdentityToken"},
		"another issuer":   {(&localcloud.Issuer{URL: "https://x.example", Private: forger.Private}).Token("shop", "buyer", localsts.StsAudience, time.Hour), "InvalidIdentityToken"},
		"no token":         {"a.b.c", "InvalidIdentityToken"},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
			cloud.TrustIssuer(url, cluster.Key())
			cloud.AWSRole(testRole, localcloud.AWSTrust{Issuer: url, Subjects: []string{localcloud.ServiceAccountSubject("shop", "buyer")}})
			out, err := sts.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1")).AssumeRoleWithWebIdentity(context.Background(), &sts.AssumeRoleWithWebIdentityInput{
				RoleArn: aws.String(testRole), RoleSessionName: aws.String("web"), WebIdentityToken: aws.String(tc.token),
			})
			sdk.WantCode(t, err, tc.code)
			if err != nil {
				return
			}
			if _, err := s3.NewFromConfig(as(cloud, out.Credentials)).ListBuckets(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
}
