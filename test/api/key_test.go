package api

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const keyID = "1234abcd-12ab-34cd-56ef-1234567890ab"

// A key is written as the clouds write it, and goes on to calls, logs and messages: nothing else passes.
func TestEncryptionKey(t *testing.T) {
	const wrong = "must name a key"
	for _, tt := range []struct{ name, key, want string }{
		{"ARN of a key", "arn:aws:kms:eu-central-1:111122223333:key/" + keyID, ""},
		{"ARN of a multi-Region key", "arn:aws:kms:eu-central-1:111122223333:key/mrk-" + strings.Repeat("0a", 16), ""},
		{"ARN in another partition", "arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/" + keyID, ""},
		{"ARN of an alias", "arn:aws:kms:eu-central-1:111122223333:alias/shop/data_1", ""},
		{"key id", keyID, ""},
		{"multi-Region key id", "mrk-" + strings.Repeat("0a", 16), ""},
		{"alias", "alias/shop", ""},
		{"alias of AWS", "alias/aws/s3", ""},
		{"Cloud KMS", "projects/my-project-1/locations/europe-west3/keyRings/Ring_1/cryptoKeys/key-1", ""},
		{"Cloud KMS, project of a domain", "projects/example.com:my-project/locations/global/keyRings/r/cryptoKeys/k", ""},
		{"Cloud KMS, project's number", "projects/123456789/locations/eu/keyRings/r/cryptoKeys/k", ""},

		{"a word", "my-key", wrong},
		{"a line break", "alias/shop\n", wrong},
		{"a line break before", "\nalias/shop", wrong},
		{"a control character", "alias/shop\u0007", wrong},
		{"an escape sequence", "arn:aws:kms:eu-central-1:111122223333:key/\u001b[31m", wrong},
		{"a space", "alias/the shop", wrong},
		{"another alphabet", "alias/mаgasin", wrong}, // a Cyrillic а
		{"an empty alias", "alias/", wrong},
		{"ARN of a role", "arn:aws:iam::111122223333:role/shop", wrong},
		{"ARN without an account", "arn:aws:kms:eu-central-1::key/" + keyID, wrong},
		{"half a key id", "1234abcd-12ab-34cd-56ef", wrong},
		{"a version of a key", "projects/p1/locations/eu/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1", wrong},
		{"a key ring", "projects/p1/locations/eu/keyRings/r", wrong},
		{"a full resource name", "//cloudkms.googleapis.com/projects/p1/locations/eu/keyRings/r/cryptoKeys/k", wrong},
		{"nothing", "", "at least 1 char"},
		{"too much", "alias/" + strings.Repeat("a", 2048), "may not be more than 2048"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key := strconv.QuoteToASCII(tt.key)
			for kind, spec := range map[string]string{
				"Bucket":      `spec: {className: standard, encryption: {key: ` + key + `}}`,
				"BucketClass": `spec: {providerConfigRef: {name: aws}, defaults: {encryption: {key: ` + key + `}}, enforced: {encryption: {key: ` + key + `}}}`,
			} {
				answered(t, api.Create(t.Context(), object(t, kind, spec), client.DryRunAll), tt.want)
			}
		})
	}
}

// What an earlier release took stays editable: the API server judges a value anew only when it changes. The definition
// is a copy in a group of its own, first as 0.1.0 had it.
func TestKeyOfAnEarlierReleaseStays(t *testing.T) {
	all, _ := definitions(t)
	crd := copyOf(all["Bucket"], "earlier.example.com")
	rules := setKeyRules(crd, nil)
	if _, err := envtest.InstallCRDs(server, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{crd}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = envtest.UninstallCRDs(server, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{crd}})
	})
	bucket := func(name string) *unstructured.Unstructured {
		o := object(t, "Bucket", `{metadata: {name: `+name+`}, spec: {className: standard, encryption: {key: "my key\n"}}}`)
		o.SetAPIVersion(crd.Spec.Group + "/v1alpha1")
		return o
	}
	odd := bucket("odd")
	if err := api.Create(t.Context(), odd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(context.WithoutCancel(t.Context()), odd) })

	setKeyRules(crd, rules)
	if _, err := envtest.InstallCRDs(server, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{crd}}); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); api.Create(t.Context(), bucket("new"), client.DryRunAll) == nil; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the rule is not in force after a minute")
		}
	}
	answered(t, patch(t, odd, `spec: {versioning: Enabled, encryption: {key: "my key\n"}}`, false), "")
	answered(t, patch(t, odd, `metadata: {labels: {a: b}, finalizers: [mooring.dev/cloud-resource]}`, false), "")
	answered(t, patch(t, odd, `status: {externalName: some-name}`, true), "")
	answered(t, patch(t, odd, `spec: {encryption: {key: "your key\n"}}`, false), "must name a key")
	answered(t, patch(t, odd, `spec: {encryption: {key: alias/shop}}`, false), "")
	answered(t, patch(t, odd, `metadata: {finalizers: null}`, false), "")
}

// copyOf returns a definition under another group, so that the one that other tests use stays as it is.
func copyOf(crd *apiextensionsv1.CustomResourceDefinition, group string) *apiextensionsv1.CustomResourceDefinition {
	crd = crd.DeepCopy()
	crd.Spec.Group = group
	crd.Name = crd.Spec.Names.Plural + "." + group
	crd.Spec.Names.ShortNames, crd.Spec.Names.Categories = nil, nil
	return crd
}

// setKeyRules sets the rules of spec.encryption.key, and returns those that it had.
func setKeyRules(crd *apiextensionsv1.CustomResourceDefinition, rules apiextensionsv1.ValidationRules) apiextensionsv1.ValidationRules {
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	key := spec.Properties["encryption"].Properties["key"]
	had := key.XValidations
	key.XValidations = rules
	spec.Properties["encryption"].Properties["key"] = key
	return had
}
