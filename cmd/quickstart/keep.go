package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// The files that others may use.
const (
	kubeconfigFile = "kubeconfig"
	cloudFile      = "cloud.json"
	envFile        = "env"
	gcpKeyFile     = "gcp-key.json"
)

// clouds is the content of cloud.json: how to reach the local clouds.
func (s *stage) clouds() localcloud.Access {
	return localcloud.Access{AWS: s.cloud.AWSAccess(awsAccount, awsRegion), GCP: s.cloud.GCPAccess(gcpProject, gcpRegion)}
}

// keep writes the files that others may use, kubeconfig last: whoever waits for it finds everything up.
func (s *stage) keep(ctx context.Context) error {
	c := s.clouds()
	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{cloudFile: content, gcpKeyFile: c.GCP.Credentials, envFile: s.environment(c)} {
		if err := os.WriteFile(s.file(name), content, 0o600); err != nil {
			return err
		}
	}
	if err := s.keepToken(ctx); err != nil {
		return err
	}
	return s.cluster.WriteKubeconfig(s.file(kubeconfigFile))
}

// environment is a shell script that points kubectl and the clouds' own tools here.
func (s *stage) environment(c localcloud.Access) []byte {
	var script strings.Builder
	script.WriteString("unset AWS_PROFILE AWS_SESSION_TOKEN\n") // which would go before the keys
	for _, variable := range [][2]string{
		{"KUBECONFIG", s.file(kubeconfigFile)},
		{"AWS_ENDPOINT_URL", c.AWS.Endpoint},
		{"AWS_REGION", c.AWS.Region},
		{"AWS_DEFAULT_REGION", c.AWS.Region},
		{"AWS_ACCESS_KEY_ID", c.AWS.AccessKeyID},
		{"AWS_SECRET_ACCESS_KEY", c.AWS.SecretAccessKey},
		{"CLOUDSDK_CORE_PROJECT", c.GCP.Project},
		{"CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", s.file(tokenFile)},
		{"CLOUDSDK_API_ENDPOINT_OVERRIDES_SQL", c.GCP.Endpoint + "/"},
		{"CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE", c.GCP.Endpoint + "/storage/v1/"},
		{"GOOGLE_APPLICATION_CREDENTIALS", s.file(gcpKeyFile)},
	} {
		_, _ = fmt.Fprintf(&script, "export %s='%s'\n", variable[0], strings.ReplaceAll(variable[1], "'", `'\''`))
	}
	_, _ = fmt.Fprintf(&script, "export PATH=\"$PATH\":'%s'\n", filepath.Dir(s.kubectlFile)) // where no kubectl is installed
	return []byte(script.String())
}
