package mem

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// AmbientAccount is where ambient credentials lead, other than for a project of Google Cloud.
const AmbientAccount driver.AccountID = "000000000000"

// Config returns a config that leads to an account, in the way of AWS.
func Config(account driver.AccountID, region string) driver.Opening {
	return driver.Opening{
		Config: driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: region}}, Location: region},
		Credentials: map[string][]byte{
			v1alpha1.SecretKeyAWSAccessKeyID:     []byte(account),
			v1alpha1.SecretKeyAWSSecretAccessKey: []byte("the-secret-key-of-" + account),
		},
	}
}

// The clouds for which this one can stand in, by their names.
const (
	amazon = "aws"
	google = "gcp"
)

// Driver returns a driver for this cloud that describes itself as that of AWS. It serves configs of both providers: with keys
// of AWS the access key's id is the account's id, with roles that of the last one; with those of Google Cloud it is the project,
// and so it is with ambient ones. Of the steps to an identity it takes the first token only, and that anew for each call.
func (c *Cloud) Driver() driver.Driver { return opener{c, amazon} }

type opener struct {
	cloud *Cloud
	name  string
}

// Open implements driver.Driver.
func (o opener) Open(_ context.Context, cfg driver.Opening) (driver.Session, error) {
	account, err := accountOf(cfg)
	if err != nil {
		return nil, err
	}
	s := session{cloud: o.cloud, account: account, location: cfg.Location, cfg: cfg}
	return table.NewSession(o.name, s.identity, o.cloud.kinds().Handlers(s)), nil
}

// session is what one identity can reach.
type session struct {
	cloud    *Cloud
	account  driver.AccountID
	location string
	cfg      driver.Opening
}

// call makes a call, for which an identity that begins with a token needs one.
func (s session) call(ctx context.Context, call Call, act func(*Call, hits) error) error {
	if web := s.cfg.Chain.WebIdentity; web != nil {
		if _, err := s.cfg.WebToken(ctx, Describe(s.cfg.Account.Cloud()).Audience.Of(web)); err != nil {
			return err
		}
	}
	return s.cloud.call(ctx, call, act)
}

func (s session) identity(ctx context.Context) (driver.AccountID, error) {
	err := s.call(ctx, Call{Account: s.account, Op: OpIdentity}, func(*Call, hits) error { return nil })
	if err != nil {
		return "", err
	}
	return s.account, nil
}

// locationOf says where an object is to be made.
func (s session) locationOf(spec *string, requested string) string {
	switch {
	case spec != nil:
		return *spec
	case requested != "":
		return requested
	}
	return s.location
}

func accountOf(cfg driver.Opening) (driver.AccountID, error) {
	if err := cfg.OneBase(); err != nil {
		return "", err
	}
	call := &Call{} // none is made
	if cfg.Account.GCP != nil {
		if cfg.Credentials != nil {
			var googleKey struct{ Type string }
			raw, ok := cfg.Credentials[v1alpha1.SecretKeyGCPCredentials]
			if !ok {
				return "", fail(call, driver.Invalid, "the credentials have no key %q", v1alpha1.SecretKeyGCPCredentials)
			}
			// The parser's own error would quote the key.
			if err := json.Unmarshal(raw, &googleKey); err != nil || googleKey.Type != "service_account" {
				return "", fail(call, driver.Invalid, "%q must hold a key of type service_account", v1alpha1.SecretKeyGCPCredentials)
			}
		}
		return driver.AccountID(cfg.Account.GCP.Project), nil
	}
	account := AmbientAccount
	if cfg.Credentials != nil {
		for _, k := range []string{v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey} {
			if len(cfg.Credentials[k]) == 0 {
				return "", fail(call, driver.Invalid, "the credentials have no key %q", k)
			}
		}
		account = driver.AccountID(cfg.Credentials[v1alpha1.SecretKeyAWSAccessKeyID])
	}
	if web := cfg.Chain.WebIdentity; web != nil {
		account = ofRole(web.RoleARN, account)
	}
	for _, role := range cfg.Chain.AssumeRoles {
		account = ofRole(role.RoleARN, account)
	}
	return account, nil
}

// ofRole returns the account that a role is of, or that which it is assumed from if its ARN is none.
func ofRole(arn string, from driver.AccountID) driver.AccountID {
	if parts := strings.Split(arn, ":"); len(parts) > 4 {
		return driver.AccountID(parts[4])
	}
	return from
}
