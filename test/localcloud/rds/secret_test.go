package rds_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// managed is an instance whose master password RDS manages.
func managed(in *rds.CreateDBInstanceInput) {
	in.MasterUserPassword, in.ManageMasterUserPassword = nil, aws.Bool(true)
}

// Parameters that don't go together are refused at the creation.
func TestRDSManagedPasswordOfNew(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	for name, tt := range map[string]struct {
		edit func(*rds.CreateDBInstanceInput)
		want string
	}{
		"managed":                       {func(*rds.CreateDBInstanceInput) {}, ""},
		"managed, with a key":           {func(in *rds.CreateDBInstanceInput) { in.MasterUserSecretKmsKeyId = aws.String("alias/shop") }, ""},
		"managed, with a bad key":       {func(in *rds.CreateDBInstanceInput) { in.MasterUserSecretKmsKeyId = aws.String("no key") }, "KMSKeyNotAccessibleFault"},
		"managed, with a password":      {func(in *rds.CreateDBInstanceInput) { in.MasterUserPassword = aws.String("correct-horse") }, "InvalidParameterCombination"},
		"not managed, no password":      {func(in *rds.CreateDBInstanceInput) { in.ManageMasterUserPassword = nil }, "InvalidParameterValue"},
		"not managed, without password": {func(in *rds.CreateDBInstanceInput) { in.ManageMasterUserPassword = aws.Bool(false) }, "InvalidParameterValue"},
		"a key without management": {func(in *rds.CreateDBInstanceInput) {
			in.ManageMasterUserPassword, in.MasterUserPassword, in.MasterUserSecretKmsKeyId = nil, aws.String("correct-horse"), aws.String("alias/shop")
		}, "InvalidParameterCombination"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance("db"+fmt.Sprint(len(name)), managed, tt.edit))
			sdk.WantCode(t, err, tt.want)
		})
	}
}

// A secret is made with the instance or later, can be read once the server has its password, is rotated under the same ARN, and ends with the management. What
// RDS does not take of such an instance is refused.
func TestRDSManagedPassword(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client, name := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), "db"
	modify := func(want string, edit func(*rds.ModifyDBInstanceInput)) *rdstypes.MasterUserSecret {
		t.Helper()
		in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, ApplyImmediately: aws.Bool(true)}
		edit(in)
		_, err := client.ModifyDBInstance(t.Context(), in)
		sdk.WantCode(t, err, want)
		return sdk.WantInstance(t, client, name, "available").MasterUserSecret
	}
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance(name)))(t)
	if secret := sdk.WantInstance(t, client, name, "available").MasterUserSecret; secret != nil {
		t.Fatalf("an instance with a password of its own has the secret %v", secret)
	}
	modify("InvalidParameterCombination", func(in *rds.ModifyDBInstanceInput) { in.RotateMasterUserPassword = aws.Bool(true) })
	modify("InvalidParameterCombination", func(in *rds.ModifyDBInstanceInput) { in.ManageMasterUserPassword = aws.Bool(false) })
	modify("InvalidParameterCombination", func(in *rds.ModifyDBInstanceInput) { in.MasterUserSecretKmsKeyId = aws.String("alias/shop") })
	made := modify("", func(in *rds.ModifyDBInstanceInput) { in.ManageMasterUserPassword = aws.Bool(true) })
	if made == nil || *made.SecretStatus != "active" || !strings.HasPrefix(*made.SecretArn, "arn:aws:secretsmanager:eu-west-1:"+sdk.OwnAccount+":secret:rds!db-") || made.KmsKeyId == nil {
		t.Fatalf("the secret is %+v", made)
	}
	first := readSecret(t, cloud, sdk.OwnAccount, *made.SecretArn, http.StatusOK)
	modify("InvalidParameterCombination", func(in *rds.ModifyDBInstanceInput) { in.MasterUserPassword = aws.String("correct-horse") })
	modify("InvalidParameterCombination", func(in *rds.ModifyDBInstanceInput) {
		in.ManageMasterUserPassword, in.MasterUserPassword = aws.Bool(true), aws.String("correct-horse")
	})
	modify("InvalidParameterCombination", func(in *rds.ModifyDBInstanceInput) {
		in.ManageMasterUserPassword, in.MasterUserSecretKmsKeyId = aws.Bool(true), aws.String("alias/shop")
	})
	modify("InvalidParameterCombination", func(in *rds.ModifyDBInstanceInput) {
		in.RotateMasterUserPassword, in.ApplyImmediately = aws.Bool(true), nil
	})
	rotated := modify("", func(in *rds.ModifyDBInstanceInput) { in.RotateMasterUserPassword = aws.Bool(true) })
	second := readSecret(t, cloud, sdk.OwnAccount, *rotated.SecretArn, http.StatusOK)
	if *rotated.SecretArn != *made.SecretArn || second == first || second == "" {
		t.Errorf("after a rotation the secret is %s with %q, before %s with %q", *rotated.SecretArn, second, *made.SecretArn, first)
	}
	readSecret(t, cloud, "999999999999", *made.SecretArn, http.StatusBadRequest)
	if !cloud.ImpairSecret(sdk.OwnAccount, "eu-west-1", name, true) || *sdk.Describe(t, client, name).MasterUserSecret.SecretStatus != "impaired" {
		t.Error("the secret is not impaired")
	}
	ended := modify("", func(in *rds.ModifyDBInstanceInput) {
		in.ManageMasterUserPassword, in.MasterUserPassword = aws.Bool(false), aws.String("correct-horse")
	})
	if ended != nil {
		t.Errorf("the management ended, and the secret is %v", ended)
	}
	readSecret(t, cloud, sdk.OwnAccount, *made.SecretArn, http.StatusBadRequest)
}

// readSecret returns the password in a secret, empty unless it can be read.
func readSecret(t *testing.T, cloud *localcloud.Cloud, account, arn string, status int) string {
	t.Helper()
	body := fmt.Sprintf(`{"SecretId":%q}`, arn)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, cloud.AWSEndpoint(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "secretsmanager.GetSecretValue")
	sum := sha256.Sum256([]byte(body))
	id, key := cloud.AWSKeys(account)
	signer, keys := v4.NewSigner(), aws.Credentials{AccessKeyID: id, SecretAccessKey: key}
	if err := signer.SignHTTP(t.Context(), keys, r, hex.EncodeToString(sum[:]), "secretsmanager", "eu-west-1", time.Now()); err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		t.Fatalf("%v: %d %s, want %d", err, answer.StatusCode, raw, status)
	}
	var value struct{ SecretString string }
	var login struct{ Password string }
	if status == http.StatusOK {
		if err := json.Unmarshal(raw, &value); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(value.SecretString), &login); err != nil {
			t.Fatal(err)
		}
	}
	return login.Password
}
