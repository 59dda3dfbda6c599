package admission

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A region and a version of which this release knows none are stored, and whoever writes them is warned, wherever they
// stand. A store of another maker names its regions as it likes.
func TestUnknownRegionsAndVersions(t *testing.T) {
	c, heard := checked(t)
	const (
		nearest = " that this release knows (nearest: eu-west-1, eu-west-2, eu-west-3); if it is a newer one, ignore this warning"
		s3      = "eu-west-7 is not a region of Amazon S3" + nearest
		rds     = "eu-west-7 is not a region of Amazon RDS" + nearest
		account = "eu-west-7 is not a region of AWS" + nearest
		keys    = `credentials: {secretRef: {name: keys}}`
		leads   = `providerConfigRef: {name: checked-aws}, allowedNamespaces: {}`
	)
	for _, tt := range []struct{ name, kind, spec, want string }{
		{"a bucket", "Bucket", `className: aws, location: eu-west-7`, ": spec.location " + s3},
		{"a bucket without a class", "Bucket", `providerConfigRef: {name: aws}, location: eu-west-7`, ": spec.location " + s3},
		{"a bucket in a region", "Bucket", `className: aws, location: eu-west-2`, ""},
		{"a bucket in a multi-region", "Bucket", `className: gcp, location: eu`, ""},
		{"a bucket in a dual-region", "Bucket", `className: gcp, location: eur4`, ""},
		{"a bucket in no location", "Bucket", `className: gcp, location: eur9`, "spec.location eur9 is not a region of Google Cloud Storage that this release knows (nearest: eur4, eur5, eur7)"},
		{"a database in a multi-region", "Database", `providerConfigRef: {name: gcp}, engine: postgres, location: eu`, "spec.location eu is not a region of Google Cloud SQL that"},
		{"a database", "Database", `className: aws, location: eu-west-7`, ": spec.location " + rds},
		{"a version", "Database", `className: aws, version: "99"`, "spec.version 99 is not a major version of postgres in Amazon RDS that this release knows (nearest: 16, 17, 18)"},
		{"a version in another cloud", "Database", `className: gcp, version: "99"`, "spec.version 99 is not a major version of postgres in Google Cloud SQL that this release knows"},
		{"a minor version", "Database", `className: aws, version: "17.4"`, ""},
		{"a class of buckets", "BucketClass", leads + `, locations: [eu-west-1, eu-west-7]`, ": spec.locations[1] " + s3},
		{"a class of databases", "DatabaseClass", leads + `, defaults: {location: eu-west-7}`, ": spec.defaults.location " + rds},
		{"a class of databases of a version", "DatabaseClass", leads + `, enforced: {engine: mysql, version: "7.0"}`, ": spec.enforced.version 7.0 is not a major version of mysql"},
		{"an account", "ProviderConfig", `aws: {region: eu-west-7}, ` + keys, ": spec.aws.region " + account},
		{"a platform's account", "ClusterProviderConfig", `aws: {region: eu-west-7}, allowedNamespaces: {}, ` + keys, ": spec.aws.region " + account},
		{"an account in a region", "ProviderConfig", `gcp: {project: shop-test, region: europe-west3}, ` + keys, ""},
		{"a store of another maker", "ClusterProviderConfig", `allowedNamespaces: {}, aws: {region: us-garage-1, s3Compatible: {}}, endpoint: "https://store.example.com", ` + keys, ""},
	} {
		heard.Take()
		if err := c.Create(t.Context(), object(t, tt.kind, `{spec: {`+tt.spec+`}}`), client.DryRunAll); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		said := ""
		for _, warning := range heard.Take() {
			if strings.Contains(warning, "that this release knows") {
				said += warning
			}
		}
		if (said == "") != (tt.want == "") || !strings.Contains(said, tt.want) {
			t.Errorf("%s: the warning is %q, want %q", tt.name, said, tt.want)
		}
	}
}
