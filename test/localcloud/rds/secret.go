package rds

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// An rdsSecret is the secret in AWS Secrets Manager with a master password that RDS manages. RDS makes the password, and deletes the secret with the instance,
// or once it manages the password no more.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-secrets-manager.html
type rdsSecret struct {
	// password is what the secret has; next is what the server and the secret are about to get. Both are empty where there is no secret.
	password, next string
	// ends: RDS deletes the secret once the server has the password that somebody sent.
	ends bool
}

// validManagement refuses what does not go together. No recording shows the refusals. The words about the key are those of
// https://github.com/hashicorp/terraform-provider-aws/issues/41795, and the rules are those of
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (ManageMasterUserPassword, MasterUserSecretKmsKeyId). That a password is demanded
// beside false is what https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-rds/pull/442 says, also of an instance that manages its own.
func validManagement(manage *bool, password, key *string) error {
	switch {
	case aws.ToBool(manage) && password != nil:
		return invalidCombination("You can't specify MasterUserPassword for a DB instance with ManageMasterUserPassword enabled.")
	case manage != nil && !*manage && password == nil:
		return invalidCombination("MasterUserPassword is required when ManageMasterUserPassword is false.")
	case key != nil && !aws.ToBool(manage):
		return invalidCombination("A ManageMasterUserPassword value is required when MasterUserSecretKmsKeyId is specified.")
	}
	return nil
}

// beginManaging gives an instance a secret, which can't be read before the server has the password. No recording shows when RDS first tells of the secret: here the
// answer to the call does.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_MasterUserSecret.html
func (c *call) beginManaging(in *Instance, key *string) error {
	kms, err := c.kmsARN(orElse(key, "alias/aws/secretsmanager"), aws.Bool(true))
	if err != nil {
		return err
	}
	id := strings.ToLower(rand.Text())
	in.db.MasterUserSecret = &rdstypes.MasterUserSecret{
		SecretArn: aws.String(fmt.Sprintf("arn:aws:secretsmanager:%s:%s:secret:rds!db-%s-%s-%s-%s-%s-%s", c.caller.Region, c.caller.Account,
			id[:8], id[8:12], id[12:16], id[16:20], id[4:16], id[20:26])),
		SecretStatus: aws.String("creating"), KmsKeyId: kms,
	}
	in.secret = rdsSecret{next: rand.Text()}
	return nil
}

// askManagement takes in what a call asks of the master password, and returns the password that the server is to get; nil for none.
func (c *call) askManagement(next *Instance, in *rds.ModifyDBInstanceInput) (password *string, err error) {
	manages, rotates := next.db.MasterUserSecret != nil, aws.ToBool(in.RotateMasterUserPassword)
	switch {
	case rotates && (!manages || in.ManageMasterUserPassword != nil):
		return nil, invalidCombination("You can't rotate the master user password of a DB instance that doesn't manage it in AWS Secrets Manager.")
	case rotates && !aws.ToBool(in.ApplyImmediately):
		return nil, invalidCombination("You must apply the change immediately when rotating the master user password.")
	case rotates:
		secret := *next.db.MasterUserSecret
		secret.SecretStatus = aws.String("rotating")
		next.db.MasterUserSecret, next.secret.next = &secret, rand.Text()
		return &next.secret.next, nil
	case aws.ToBool(in.ManageMasterUserPassword) && manages && in.MasterUserSecretKmsKeyId != nil:
		return nil, invalidCombination("You can't change the KMS key of a master user secret that RDS already manages.")
	case aws.ToBool(in.ManageMasterUserPassword) && manages:
		return nil, nil
	case aws.ToBool(in.ManageMasterUserPassword):
		if err := c.beginManaging(next, in.MasterUserSecretKmsKeyId); err != nil {
			return nil, err
		}
		return &next.secret.next, nil
	case in.MasterUserPassword != nil && manages && in.ManageMasterUserPassword == nil:
		return nil, invalidCombination("You can't specify MasterUserPassword for a DB instance with ManageMasterUserPassword enabled.")
	case in.MasterUserPassword != nil:
		next.secret.ends = manages
	}
	return in.MasterUserPassword, nil
}

// secretSet is for a server that has the password which it was to get.
func (in *Instance) secretSet() {
	switch {
	case in.db.MasterUserSecret == nil:
	case in.secret.ends:
		in.db.MasterUserSecret, in.secret = nil, rdsSecret{}
	case in.secret.next != "":
		secret := *in.db.MasterUserSecret
		secret.SecretStatus = aws.String("active")
		in.db.MasterUserSecret, in.secret = &secret, rdsSecret{password: in.secret.next}
	}
}

// secretFailed is for a server that could not get a password. One whose management was to begin has none; else the secret stays as it was. No recording shows either.
func (in *Instance) secretFailed() {
	if in.db.MasterUserSecret == nil {
		return
	}
	in.secret.next, in.secret.ends = "", false
	if in.secret.password == "" {
		in.db.MasterUserSecret = nil
		return
	}
	secret := *in.db.MasterUserSecret
	secret.SecretStatus = aws.String("active")
	in.db.MasterUserSecret = &secret
}

// ImpairSecret makes the secret of an instance impaired, or heals it. It reports whether there is one.
func (s *Service) ImpairSecret(account, region, name string, impaired bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.instances[Key{account, region, name}]
	if p == nil || p.Now == nil || p.Now.db.MasterUserSecret == nil {
		return false
	}
	next := p.Now.clone()
	secret := *next.db.MasterUserSecret
	secret.SecretStatus = aws.String(map[bool]string{true: "impaired", false: "active"}[impaired])
	next.db.MasterUserSecret, p.Now = &secret, next
	return true
}

// Secret returns the secret of an instance of the caller's account and region that an ARN names, if it can be read.
func (s *Service) Secret(caller amazon.Caller, named string) (arn, user, password string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(s.cloud.Options.Now())
	for key, p := range s.instances {
		in := p.Read(false)
		if in == nil || key.account != caller.Account || key.region != caller.Region || in.db.MasterUserSecret == nil || in.secret.password == "" {
			continue
		}
		if aws.ToString(in.db.MasterUserSecret.SecretArn) == named {
			return named, *in.db.MasterUsername, in.secret.password, true
		}
	}
	return "", "", "", false
}
