package rds

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

func TestSameDiskKey(t *testing.T) {
	const arn = "arn:aws:kms:eu-central-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666"
	for _, tt := range []struct {
		name, want string
		same       bool
	}{
		{"the ARN", arn, true},
		{"the id", "0b3c1a5e-1111-2222-3333-444455556666", true},
		{"another id", "0b3c1a5e-7777-2222-3333-444455556666", false},
		{"the end of the id", "444455556666", false},
		{"the ARN of another key", strings.Replace(arn, "1111-2222", "7777-2222", 1), false},
		{"the key of another account", strings.Replace(arn, ":111111111111:", ":222222222222:", 1), false},
		{"an alias", "alias/shop", false},
		{"the ARN of an alias", "arn:aws:kms:eu-central-1:111111111111:alias/shop", false},
	} {
		if got := sameDiskKey(tt.want, arn); got != tt.same {
			t.Errorf("%s: the same: %v, want %v", tt.name, got, tt.same)
		}
		if got := createdWith(tt.want, arn); got != (tt.same || isAlias(tt.want)) {
			t.Errorf("%s: a server of that key may have been created with it: %v", tt.name, got)
		}
	}
}

// A server without encryption never gets a key, so that a spec that names one, even by an alias, can't be met.
func TestNoKeyIsNotAnyKey(t *testing.T) {
	for _, key := range []string{"alias/shop", "0b3c1a5e-1111-2222-3333-444455556666"} {
		changes := rows.Diff(&databaseSpec{Encryption: &v1alpha1.Encryption{Key: &key}}, &instance{}, nil, func(string) bool { return false })
		if len(changes) != 1 || changes[0].Field != "encryption.key" || changes[0].Effect != driver.Impossible {
			t.Errorf("%s: changes %+v, want the key, which is impossible", key, changes)
		}
	}
}

// What was not made for an object is not taken over under an alias as if it had the key to which that points. What an earlier object of the name had made was made with the alias.
func TestAnAliasIsNoKeyOfAnothersServer(t *testing.T) {
	const key = "arn:aws:kms:eu-central-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666"
	own := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid-2"}
	before, another := own, own
	before.UID, another.Name = "uid-1", "pay"
	for name, tt := range map[string]struct {
		want string
		mark driver.Mark
		has  string
		asks bool
	}{
		"its own":                              {"alias/shop", own, key, false},
		"an earlier object's of the name":      {"alias/shop", before, key, false},
		"nobody's":                             {"alias/shop", driver.Mark{}, key, true},
		"another object's":                     {"alias/shop", another, key, true},
		"nobody's, and the ARN of an alias":    {"arn:aws:kms:eu-central-1:111111111111:alias/shop", driver.Mark{}, key, true},
		"nobody's, and the key is named":       {key, driver.Mark{}, key, false},
		"nobody's, and without a key, as told": {"alias/shop", driver.Mark{}, "", false},
		"nobody's, and no key is asked for":    {"", driver.Mark{}, key, false},
	} {
		req := &request{}
		req.Mark = own
		if tt.want != "" {
			req.Spec.Encryption = &v1alpha1.Encryption{Key: &tt.want}
		}
		changes := withUnknownKey(req, &instance{DBInstance: types.DBInstance{KmsKeyId: &tt.has}}, tt.mark, nil)
		if asks := len(changes) == 1 && changes[0].Effect == driver.Impossible && changes[0].From == key; asks != tt.asks || len(changes) > 1 {
			t.Errorf("%s: %+v, want a change that can't be made: %t", name, changes, tt.asks)
		}
	}
}

func TestExplainKey(t *testing.T) {
	refused := &driver.Error{Code: driver.Denied, Message: "not accessible", Err: &smithy.GenericAPIError{Code: "KMSKeyNotAccessibleFault"}}
	key, old := new("alias/shop"), new("arn:aws:kms:eu-central-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666")
	const disk, insights = "spec.encryption.key", "spec.aws.performanceInsights.key"
	for name, test := range map[string]struct {
		err  error
		says []string
	}{
		"a new server, no key":              {explainKey(refused, newKeys(&rds.CreateDBInstanceInput{})), []string{disk}},
		"a new server, the key of its disk": {explainKey(refused, newKeys(&rds.CreateDBInstanceInput{KmsKeyId: key})), []string{disk}},
		"a new server, that of insights":    {explainKey(refused, newKeys(&rds.CreateDBInstanceInput{PerformanceInsightsKMSKeyId: key})), []string{insights}},
		"a new server, both":                {explainKey(refused, newKeys(&rds.CreateDBInstanceInput{KmsKeyId: key, PerformanceInsightsKMSKeyId: key})), []string{disk, insights}},
		"the first key of insights":         {explainKey(refused, storedKey(&rds.ModifyDBInstanceInput{PerformanceInsightsKMSKeyId: key}, &instance{})), []string{"name an enabled key", insights}},
		"the key that insights have":        {explainKey(refused, storedKey(&rds.ModifyDBInstanceInput{PerformanceInsightsKMSKeyId: old}, &instance{DBInstance: types.DBInstance{PerformanceInsightsKMSKeyId: old}})), []string{"enable the key", insights}},
	} {
		text := test.err.Error()
		for _, want := range append(test.says, "kms:CreateGrant") {
			if driver.CodeOf(test.err) != driver.Denied || !strings.Contains(text, want) {
				t.Errorf("%s: it says %q, want %q", name, text, want)
			}
		}
		if strings.Contains(text, disk) != slices.Contains(test.says, disk) || strings.Contains(text, insights) != slices.Contains(test.says, insights) {
			t.Errorf("%s: it says %q, which names a key that the call does not carry", name, text)
		}
	}
	other := &driver.Error{Code: driver.Denied, Message: "no", Err: &smithy.GenericAPIError{Code: "AccessDenied"}}
	if err := explainKey(other, newKeys(&rds.CreateDBInstanceInput{})); !errors.Is(err, other) || strings.Contains(err.Error(), "encryption") {
		t.Errorf("another refusal became %v", err)
	}
}
