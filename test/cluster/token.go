package cluster

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"slices"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// signedIn are the administrators that make most of all requests: who runs a test, and its managers. They have tokens, which the API server
// looks up; of a certificate it verifies the signatures with each request.
var signedIn = []string{"admin", "mooring"}

// configureTokens makes tokens of those that are signedIn.
func (c *Cluster) configureTokens(s *envtest.APIServer) error {
	var lines bytes.Buffer
	c.tokens = map[string]string{}
	for _, name := range signedIn {
		c.tokens[name] = rand.Text()
		_, _ = fmt.Fprintf(&lines, "%s,%s,%s,%s\n", c.tokens[name], name, name, Administrators)
	}
	path := c.path("tokens.csv")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		return fmt.Errorf("configure tokens: %w", err)
	}
	s.Configure().Set("token-auth-file", path)
	return nil
}

// withToken returns the configuration of a user that has a token, nil for any other.
func (c *Cluster) withToken(name string, groups []string) *rest.Config {
	token, found := c.tokens[name]
	if !found || !slices.Equal(groups, []string{Administrators}) {
		return nil
	}
	config := rest.AnonymousClientConfig(c.env.Config)
	config.BearerToken, config.QPS = token, unlimited
	return config
}
