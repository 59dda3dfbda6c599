package localcloud

import "encoding/json"

// Access is how to reach a local cloud: what programs hand on as JSON.
type Access struct {
	AWS AWSAccess `json:"aws"`
	GCP GCPAccess `json:"gcp"`
}

// AWSAccess is how to reach one account of the local AWS.
type AWSAccess struct {
	Endpoint        string `json:"endpoint"`
	Region          string `json:"region"`
	AccountID       string `json:"accountID"`
	AccessKeyID     string `json:"accessKeyID"`
	SecretAccessKey string `json:"secretAccessKey"`
}

// GCPAccess is how to reach one project of the local Google Cloud.
type GCPAccess struct {
	Endpoint string `json:"endpoint"`
	Region   string `json:"region"`
	Project  string `json:"project"`
	// Credentials is the key of a service account, as Google hands it out.
	Credentials json.RawMessage `json:"credentials"`
}

// AWSAccess returns how to reach an account.
func (c *Cloud) AWSAccess(account, region string) AWSAccess {
	id, secret := c.AWSKeys(account)
	return AWSAccess{Endpoint: c.AWSEndpoint(), Region: region, AccountID: account, AccessKeyID: id, SecretAccessKey: secret}
}

// GCPAccess returns how to reach a project.
func (c *Cloud) GCPAccess(project, region string) GCPAccess {
	return GCPAccess{Endpoint: c.GCPEndpoint(), Region: region, Project: project, Credentials: c.GCPKey(project)}
}
