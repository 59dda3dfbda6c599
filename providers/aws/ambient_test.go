package aws_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// bare is an environment with nothing of AWS in it.
func bare(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_ENDPOINT_URL",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

func tokenFile(t *testing.T, token string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func ambient() driver.Opening {
	return driver.Opening{Config: driver.Config{Location: awstest.Region, Ambient: true, Tenant: tenant}}
}

// irsa gives the process an identity as EKS does with IAM roles for service accounts.
func irsa(t *testing.T, r *reach) {
	t.Helper()
	bare(t)
	t.Setenv("AWS_ROLE_ARN", roleOne)
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", tokenFile(t, r.cluster.Token("shop", "buyer", audience, time.Hour)))
	t.Setenv("AWS_ENDPOINT_URL_STS", r.AWSEndpoint())
}

// podIdentity gives the process an identity as EKS Pod Identity does: an agent hands out sessions over HTTP to whoever shows
// the token of the pod.
func podIdentity(t *testing.T, r *reach) {
	t.Helper()
	bare(t)
	r.AWSRole(roleOne, localcloud.AWSTrust{Principals: []string{awstest.Account}})
	id, secret := r.AWSKeys(awstest.Account)
	client := sts.NewFromConfig(awssdk.Config{
		Region: awstest.Region, BaseEndpoint: awssdk.String(r.AWSEndpoint()), Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
	})
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "the-pod" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		out, err := client.AssumeRole(q.Context(), &sts.AssumeRoleInput{RoleArn: awssdk.String(roleOne), RoleSessionName: awssdk.String("pod")})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"AccessKeyId": out.Credentials.AccessKeyId, "SecretAccessKey": out.Credentials.SecretAccessKey,
			"Token": out.Credentials.SessionToken, "Expiration": out.Credentials.Expiration,
		})
	}))
	t.Cleanup(agent.Close)
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.URL+"/v1/credentials")
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", tokenFile(t, "the-pod"))
}

// The identity of the process serves, alone and as the base of a chain, and is renewed and replaced as any other.
func TestAmbient(t *testing.T) {
	for name, setUp := range map[string]func(*testing.T, *reach){"IRSA": irsa, "EKS Pod Identity": podIdentity} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			setUp(t, r)
			conn := r.openConfig(ambient())
			if got, err := conn.Identity(t.Context()); err != nil || got != awstest.Account {
				t.Errorf("identity %q, %v", got, err)
			}
			if err := look(t.Context(), conn); err != nil {
				t.Error(err)
			}
			if n := len(r.AWSSessions()); n != 1 {
				t.Errorf("%d sessions, want 1", n)
			}
			r.ExpireAWSSessions()
			if err := look(t.Context(), conn); err != nil {
				t.Errorf("after its session was ended: %v", err)
			}
			if n := len(r.AWSSessions()); n != 2 {
				t.Errorf("%d sessions, want 2", n)
			}

			chained := ambient()
			chained.Chain.AssumeRoles = []v1alpha1.AssumeRole{{RoleARN: roleTwo, ExternalID: "agreed"}}
			if got, err := r.openConfig(chained).Identity(t.Context()); err != nil || got != awstest.Other {
				t.Errorf("chained: identity %q, %v", got, err)
			}
		})
	}
}

func TestNoAmbient(t *testing.T) {
	for name, setUp := range map[string]func(*testing.T, *reach){
		"nothing":  func(t *testing.T, _ *reach) { bare(t) },
		"no token": func(t *testing.T, r *reach) { irsa(t, r); t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "/nowhere") },
		"another": func(t *testing.T, r *reach) {
			podIdentity(t, r)
			t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", tokenFile(t, "x"))
		},
		"not issued": func(t *testing.T, r *reach) { irsa(t, r); r.RemoveAWSRole(roleOne) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			setUp(t, r)
			_, err := r.openConfig(ambient()).Identity(t.Context())
			awstest.WantCode(t, err, driver.Denied)
		})
	}
}
