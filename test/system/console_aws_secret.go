package system

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

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/rds"
)

// ManagedPasswords are administrators' passwords that RDS manages, as people and applications use them beside Mooring.
type ManagedPasswords struct{ databases *awsDatabases }

// ManagedPasswords returns those of the account.
func (c *Cloud) ManagedPasswords() ManagedPasswords {
	return ManagedPasswords{consoleOf[*awsDatabases](c, "Database")}
}

// TurnOn has RDS manage the password of a server.
func (m ManagedPasswords) TurnOn(t testing.TB, name string) {
	t.Helper()
	m.databases.modify(t, name, rds.ModifyDBInstanceInput{ManageMasterUserPassword: awssdk.Bool(true)})
}

// TurnOff sets a password that RDS does not manage.
func (m ManagedPasswords) TurnOff(t testing.TB, name, password string) {
	t.Helper()
	m.databases.modify(t, name, rds.ModifyDBInstanceInput{ManageMasterUserPassword: awssdk.Bool(false), MasterUserPassword: &password})
}

// Rotate has RDS change the password, as it does by itself every week.
func (m ManagedPasswords) Rotate(t testing.TB, name string) {
	t.Helper()
	m.databases.modify(t, name, rds.ModifyDBInstanceInput{RotateMasterUserPassword: awssdk.Bool(true)})
	until(t, name+" has another password", func() bool { return *m.databases.instance(t, name).MasterUserSecret.SecretStatus == "active" })
}

// ARN returns where RDS keeps the password of a server; empty if it manages none.
func (m ManagedPasswords) ARN(t testing.TB, name string) string {
	t.Helper()
	if secret := m.databases.instance(t, name).MasterUserSecret; secret != nil {
		return *secret.SecretArn
	}
	return ""
}

// Read returns the username and the password in a secret, as an application gets them that has an identity of the account with the permission
// secretsmanager:GetSecretValue. It signs the call as AWS's own libraries do.
func (m ManagedPasswords) Read(t testing.TB, c *Cloud, arn string) (username, password string) {
	t.Helper()
	config, body := awsConfig(c), fmt.Sprintf(`{"SecretId":%q}`, arn)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, *config.BaseEndpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "secretsmanager.GetSecretValue")
	keys, err := config.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(body))
	if err := v4.NewSigner().SignHTTP(t.Context(), keys, r, hex.EncodeToString(sum[:]), "secretsmanager", config.Region, time.Now()); err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("read the secret %s: %v: %d %s", arn, err, answer.StatusCode, raw)
	}
	var value struct{ SecretString string }
	var login struct{ Username, Password string }
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(value.SecretString), &login); err != nil {
		t.Fatal(err)
	}
	return login.Username, login.Password
}
