package s3_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A key of another region is refused before any call, and as a draft.
func TestInventoryKeysOfAnotherRegion(t *testing.T) {
	spec := namedSpec(t, "aws.inventory", `{"name": "a", "frequency": "Daily", "includedObjectVersions": "All", "destination": {"bucket": "reports", "format": "CSV",
		"encryption": {"keyARN": "arn:aws:kms:us-west-2:111111111111:key/k"}}}`)
	spec.Location = new(awstest.Region)
	w := newEnvironment(t, localcloud.Options{})
	if _, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf("shop-never", spec)); driver.CodeOf(err) != driver.Invalid || len(w.Operations()) != 0 {
		t.Errorf("created with %v after %v", err, w.Operations())
	}
	if refusals := refusedDrafts(t, spec); len(refusals) != 1 || !strings.Contains(refusals[0].Message, "spec.aws.inventory is a key in us-west-2") {
		t.Errorf("the draft is refused by %v", refusals)
	}
}

// namedSpec is a spec with entries of a sort, which are JSON.
func namedSpec(t *testing.T, field string, entries ...string) (spec v1alpha1.BucketParameters) {
	t.Helper()
	_, list, _ := strings.Cut(field, ".")
	if err := json.Unmarshal(fmt.Appendf(nil, `{"aws": {%q: [%s]}}`, list, strings.Join(entries, ",")), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// forNamed runs a test for each sort, with a bucket in which somebody else has an entry.
func forNamed(t *testing.T, test func(t *testing.T, w *environment, field string, sort awstest.NamedSort, req request)) {
	for field, sort := range awstest.NamedSorts {
		t.Run(field, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			req := awstest.BucketOf("shop-shared", v1alpha1.BucketParameters{})
			w.settleBucket(req)
			theirs := namedSpec(t, field, strings.ReplaceAll(sort.Ours, "ours", "theirs"))
			sort.Put(t, w.S3, req.Name, reflect.ValueOf(theirs.AWS).Elem().FieldByNameFunc(func(name string) bool {
				return strings.EqualFold("aws."+name, field)
			}).Index(0).Interface())
			test(t, w, field, sort, req)
		})
	}
}

// Entries of others survive that ours are added, changed, removed and released.
func TestNamedConfigurationsOfOthersStay(t *testing.T) {
	forNamed(t, func(t *testing.T, w *environment, field string, sort awstest.NamedSort, req request) {
		for _, step := range []struct {
			name string
			spec v1alpha1.BucketParameters
			want []string
		}{
			{"added", namedSpec(t, field, sort.Ours), []string{"ours", "theirs"}},
			{"changed", namedSpec(t, field, sort.Changed), []string{"ours", "theirs"}},
			{"removed", namedSpec(t, field), []string{"theirs"}},
			{"added again", namedSpec(t, field, sort.Ours), []string{"ours", "theirs"}},
			{"released", v1alpha1.BucketParameters{}, []string{"ours", "theirs"}},
			{"none, where nothing is ours any more", namedSpec(t, field), []string{"ours", "theirs"}},
		} {
			req.Spec = step.spec
			req.Applied = w.settleBucket(req).Applied
			if diff := cmp.Diff(step.want, sort.List(t, w.S3, req.Name)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	})
}

// An entry that S3 refuses keeps no other from being set, and what somebody else deleted meanwhile is deleted.
func TestNamedConfigurationsThatAreRefused(t *testing.T) {
	forNamed(t, func(t *testing.T, w *environment, field string, sort awstest.NamedSort, req request) {
		req.Spec = namedSpec(t, field, sort.Ours)
		req.Applied = w.settleBucket(req).Applied
		req.Spec = namedSpec(t, field, sort.Refused, strings.ReplaceAll(sort.Ours, "ours", "more"))
		changes := w.bucket(req).Changes
		sort.Remove(t, w.S3, req.Name, "ours")
		result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != field || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
			t.Fatalf("%v, failed %v; want %s, Invalid", err, result.Failed, field)
		}
		if message := result.Failed[0].Err.Error(); !strings.Contains(message, `correct "bad" of spec.`+field) || !strings.Contains(message, "Amazon S3 says: ") {
			t.Errorf("%q does not say what to do", message)
		}
		if diff := cmp.Diff([]string{"more", "theirs"}, sort.List(t, w.S3, req.Name)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// S3 takes each filter, and what it then has is no difference.
func TestFiltersOfNamedConfigurations(t *testing.T) {
	forNamed(t, func(t *testing.T, w *environment, field string, sort awstest.NamedSort, req request) {
		filters := []string{`"prefix": "a/"`, `"tags": {"a": "b"}`, `"tags": {"a": "b", "c": "d"}`, `"prefix": "a/", "tags": {"a": "b"}`, `"prefix": "a/", "tags": {"a": "b", "c": "d"}`}
		switch field {
		case "aws.inventory":
			filters = filters[:1]
		case "aws.metrics":
			const through = `"accessPointARN": "arn:aws:s3:` + awstest.Region + `:111111111111:accesspoint/a"`
			filters = append(filters, through, through+`, "prefix": "a/"`, through+`, "tags": {"a": "b"}`)
		}
		for _, filter := range filters {
			req.Spec = namedSpec(t, field, strings.Replace(sort.Ours, "{", "{"+filter+",", 1))
			req.Applied = w.settleBucket(req).Applied
			if changes := w.bucket(req).Changes; len(changes) != 0 {
				t.Errorf("%s: differences %+v", filter, changes)
			}
		}
	})
}

// All pages are read: an entry on the last one is no difference.
func TestNamedConfigurationsInPages(t *testing.T) {
	forNamed(t, func(t *testing.T, w *environment, field string, sort awstest.NamedSort, req request) {
		var entries []string
		for i := range 5 {
			entries = append(entries, strings.ReplaceAll(sort.Ours, "ours", fmt.Sprint("ours-", i)))
		}
		req.Spec = namedSpec(t, field, entries...)
		req.Applied = w.settleBucket(req).Applied
		w.SetPageLimit(2)
		if changes := w.bucket(req).Changes; len(changes) != 0 {
			t.Errorf("differences %+v", changes)
		}
	})
}

// Two entries of one name are refused, by the webhook and before a call, although one of them is as S3 has it: the other one would never be in force. Other
// fields are written.
func TestTwoOfOneName(t *testing.T) {
	ours := map[string]string{"aws.replication.rules": `{"name": "ours", "priority": 1, "bucket": "shop-copies"}`}
	changed := map[string]string{"aws.replication.rules": `{"name": "ours", "priority": 1, "bucket": "shop-copies", "prefix": "a/"}`}
	for field, sort := range awstest.NamedSorts {
		ours[field], changed[field] = sort.Ours, sort.Changed
	}
	for field := range ours {
		t.Run(field, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			of := func(entries ...string) (spec v1alpha1.BucketParameters) {
				list := "[" + strings.Join(entries, ", ") + "]"
				block := strings.TrimPrefix(field, "aws.") + `": ` + list
				if field == "aws.replication.rules" {
					block = `replication": {"role": "` + copyRole + `", "rules": ` + list + "}"
				}
				if err := json.Unmarshal([]byte(`{"versioning": "Enabled", "aws": {"`+block+`}}`), &spec); err != nil {
					t.Fatal(err)
				}
				return spec
			}
			isRefused := func(what string, err error) {
				t.Helper()
				if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), `spec.`+field+` has two entries of one name, "ours"`) {
					t.Errorf("%s: %v", what, err)
				}
			}
			w.settleBucket(awstest.BucketOf("shop-copies", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}))
			req := awstest.BucketOf("shop-twice", of(changed[field]))
			w.settleBucket(req)

			req.Spec = of(ours[field], changed[field])
			req.Spec.RequesterPays = new(true)
			result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
			if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != field {
				t.Fatalf("%v, failed %v; want %s", err, result.Failed, field)
			}
			isRefused("an edit", result.Failed[0].Err)
			if left := w.bucket(req).Changes; len(left) != 1 {
				t.Errorf("after the edit %v differ, want %s alone", left, field)
			}

			fresh := awstest.BucketOf("shop-fresh", req.Spec)
			_, err = drivertest.Buckets(w.Session).Create(t.Context(), fresh)
			isRefused("a creation", err)

			raw, err := json.Marshal(req.Spec)
			if err != nil {
				t.Fatal(err)
			}
			refusals, err := aws.New(aws.Options{}).Check("Bucket", driver.Draft{Spec: raw, Location: awstest.Region})
			if err != nil || len(refusals) != 1 || !slices.Equal(refusals[0].Fields, []string{field}) {
				t.Errorf("the webhook is told %v, %v", refusals, err)
			}
		})
	}
}
