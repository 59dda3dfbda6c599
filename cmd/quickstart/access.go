package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The files that others may use.
const (
	kubeconfigFile = "kubeconfig"
	cloudFile      = "cloud.json"
	envFile        = "env"
	gcpKeyFile     = "gcp-key.json"
)

// accessFiles are the files by which others reach the cluster and the local clouds.
type accessFiles struct {
	*transcript
	folder  *folder
	clouds  *clouds
	cluster *cluster.Cluster
	kubectl string
}

// write writes the files that others may use, kubeconfig last: whoever waits for it finds everything up.
func (f *accessFiles) write(ctx context.Context) error {
	c := f.clouds.access()
	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{cloudFile: content, gcpKeyFile: c.GCP.Credentials, envFile: f.environment(c)} {
		if err := os.WriteFile(f.folder.file(name), content, 0o600); err != nil {
			return err
		}
	}
	if err := f.keepToken(ctx); err != nil {
		return err
	}
	return f.cluster.WriteKubeconfig(f.folder.file(kubeconfigFile))
}

// environment is a shell script that points kubectl and the clouds' own tools here.
func (f *accessFiles) environment(c localcloud.Access) []byte {
	var script strings.Builder
	script.WriteString("unset AWS_PROFILE AWS_SESSION_TOKEN\n") // which would go before the keys
	for _, variable := range [][2]string{
		{"KUBECONFIG", f.folder.file(kubeconfigFile)},
		{"AWS_ENDPOINT_URL", c.AWS.Endpoint},
		{"AWS_REGION", c.AWS.Region},
		{"AWS_DEFAULT_REGION", c.AWS.Region},
		{"AWS_ACCESS_KEY_ID", c.AWS.AccessKeyID},
		{"AWS_SECRET_ACCESS_KEY", c.AWS.SecretAccessKey},
		{"CLOUDSDK_CORE_PROJECT", c.GCP.Project},
		{"CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", f.folder.file(tokenFile)},
		{"CLOUDSDK_API_ENDPOINT_OVERRIDES_SQL", c.GCP.Endpoint + "/"},
		{"CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE", c.GCP.Endpoint + "/storage/v1/"},
		{"GOOGLE_APPLICATION_CREDENTIALS", f.folder.file(gcpKeyFile)},
	} {
		_, _ = fmt.Fprintf(&script, "export %s='%s'\n", variable[0], strings.ReplaceAll(variable[1], "'", `'\''`))
	}
	_, _ = fmt.Fprintf(&script, "export PATH=\"$PATH\":'%s'\n", filepath.Dir(f.kubectl)) // where no kubectl is installed
	return []byte(script.String())
}
