package aws_test

import (
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// Where the provider config names the role, its path is known. Where nothing does, AWS tells the name alone: then a policy that spares a role with one of all paths is refused.
func TestPolicyThatSparesARoleWithAPath(t *testing.T) {
	spares := func(arns ...string) v1alpha1.BucketParameters {
		s := v1alpha1.PolicyStatement{Sid: "A", Effect: "Deny", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"*"}}, Actions: []string{"s3:*"}}
		s.When = []v1alpha1.PolicyCondition{{Operator: "ArnNotLike", Key: "aws:PrincipalArn", Values: arns}}
		return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{s}}}
	}
	const withoutPath, anyPath = "arn:aws:iam::" + awstest.Other + ":role/shop", "arn:aws:iam::" + awstest.Other + ":role/*/shop"
	named := func(r *reach) driver.Opening {
		cfg := r.assuming()
		cfg.Chain.AssumeRoles = append(cfg.Chain.AssumeRoles, v1alpha1.AssumeRole{RoleARN: roleTwo, ExternalID: "agreed"})
		return cfg
	}
	unnamed := func(r *reach) driver.Opening { // a session that somebody else began: its keys say nothing of the role
		cfg := r.assuming()
		cfg.Credentials, cfg.Chain = r.sessionKeys(roleTwo), v1alpha1.IdentityChain{}
		return cfg
	}
	for name, tt := range map[string]struct {
		config  func(*reach) driver.Opening
		spec    v1alpha1.BucketParameters
		refused bool
	}{
		"named in full":                          {named, spares(roleTwo), false},
		"named without its path":                 {named, spares(withoutPath), true},
		"unnamed, spared in full":                {unnamed, spares(roleTwo), true},
		"unnamed, spared without a path":         {unnamed, spares(withoutPath), true},
		"unnamed, spared with and without paths": {unnamed, spares(withoutPath, anyPath), false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			r.Session = r.openConfig(tt.config(r))
			req := awstest.BucketOf("shop-spared", v1alpha1.BucketParameters{})
			buckets := drivertest.Buckets(r.Session)
			if _, err := buckets.Create(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			req.Spec = tt.spec
			seen, err := buckets.Observe(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			result, err := buckets.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
			if err != nil || (len(result.Failed) > 0) != tt.refused {
				t.Errorf("%v, failed %v; want refused %v", err, result.Failed, tt.refused)
			}
		})
	}
}

// sessionKeys are the keys of a session of a role, as somebody who assumed it would store them.
func (r *reach) sessionKeys(role string) driver.Credentials {
	r.T.Helper()
	r.AWSRole(role, localcloud.AWSTrust{Principals: []string{awstest.Account}})
	id, secret := r.AWSKeys(awstest.Account)
	client := sts.NewFromConfig(awssdk.Config{
		Region: awstest.Region, BaseEndpoint: awssdk.String(r.AWSEndpoint()), Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
	})
	out, err := client.AssumeRole(r.T.Context(), &sts.AssumeRoleInput{RoleArn: &role, RoleSessionName: new("somebody")})
	if err != nil {
		r.T.Fatal(err)
	}
	return driver.Credentials{
		v1alpha1.SecretKeyAWSAccessKeyID: []byte(*out.Credentials.AccessKeyId), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(*out.Credentials.SecretAccessKey),
		v1alpha1.SecretKeyAWSSessionToken: []byte(*out.Credentials.SessionToken),
	}
}
