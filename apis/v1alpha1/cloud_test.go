package v1alpha1

import (
	"slices"
	"testing"
)

func TestCloud(t *testing.T) {
	for _, tt := range []struct {
		name              string
		account           Account
		cloud, region, id string
	}{
		{name: "a block that this version does not know"},
		{"aws", Account{AWS: &AWSAccount{Region: "eu-central-1", AccountID: "123456789012"}}, "aws", "eu-central-1", "123456789012"},
		{"gcp", Account{GCP: &GCPAccount{Project: "shop", Region: "europe-west3"}}, "gcp", "europe-west3", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.account
			if a.Cloud() != tt.cloud || a.Field("region") != tt.region || a.Field("accountID") != tt.id || a.Field("Region") != "" {
				t.Errorf("got %q, %q, %q", a.Cloud(), a.Field("region"), a.Field("accountID"))
			}
		})
	}
}

func TestCloudsHaveAccounts(t *testing.T) {
	if got := Clouds(); !slices.Equal(got, []string{"aws", "gcp"}) {
		t.Errorf("clouds %q", got)
	}
	for cloud, want := range map[string][]string{"aws": {"region", "accountID", "bucketNamespace", "s3Compatible"}, "gcp": {"project", "region"}, "other": nil} {
		if got := AccountFields(cloud); !slices.Equal(got, want) {
			t.Errorf("%s: fields %q, want %q", cloud, got, want)
		}
	}
}

func TestWebIdentityField(t *testing.T) {
	w := WebIdentity{ServiceAccountName: "cloud", Provider: "projects/1/pool"}
	for name, want := range map[string]string{"serviceAccountName": "cloud", "provider": "projects/1/pool", "roleARN": "", "none": ""} {
		if got := w.Field(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := WebIdentityFields(); !slices.Equal(got, []string{"serviceAccountName", "roleARN", "provider"}) {
		t.Errorf("fields %q", got)
	}
}
