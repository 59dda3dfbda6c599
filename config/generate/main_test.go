package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/controllers/kind"
)

// more returns the names of some kinds and of two others: Volume has a class, Address has none.
func more(kinds ...*kind.Kind) names {
	return namesOf(append(kinds, &kind.Kind{Plural: "volumes", Class: &kind.Class{Plural: "volumeclasses"}}, &kind.Kind{Plural: "addresses"}))
}

func TestListsNameEveryKind(t *testing.T) {
	kinds := more(kind.Database(), kind.Bucket())
	for from, want := range map[string]string{
		"resources: [buckets, databases]":                               "resources: [addresses, buckets, databases, volumes]",
		"resources: [buckets, databases, providerconfigs]":              "resources: [addresses, buckets, databases, volumes, providerconfigs]",
		"resources: [bucketclasses, databaseclasses]":                   "resources: [bucketclasses, databaseclasses, volumeclasses]",
		"[buckets, databases, bucketclasses, databaseclasses, secrets]": "[addresses, buckets, databases, volumes, bucketclasses, databaseclasses, volumeclasses, secrets]",
		"in ['buckets', 'databases'] ? ['a'] : ['b', 'c']":              "in ['addresses', 'buckets', 'databases', 'volumes'] ? ['a'] : ['b', 'c']",
		`workqueue_depth{name=~"buckets|databases",priority!="-100"}`:   `workqueue_depth{name=~"addresses|buckets|databases|volumes",priority!="-100"}`,
		`{name=~\"buckets|databases\"}`:                                 `{name=~\"addresses|buckets|databases|volumes\"}`,
		"{'buckets': 'bucketclasses'}[r]":                               "{'buckets': 'bucketclasses', 'databases': 'databaseclasses', 'volumes': 'volumeclasses'}[r]",
		"{'databaseclasses': 'databases'}[r]":                           "{'bucketclasses': 'buckets', 'databaseclasses': 'databases', 'volumeclasses': 'volumes'}[r]",
		// What is about something else stays.
		"verbs: [get, list, watch]": "verbs: [get, list, watch]",
		`{name=~"aws|gcp"}`:         `{name=~"aws|gcp"}`,
		"{'a': 'b'}":                "{'a': 'b'}",
		"buckets and databases":     "buckets and databases",
	} {
		got := kinds.write(from)
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", from, got, want)
		}
		if again := kinds.write(got); again != got {
			t.Errorf("%s\nonce  %s\ntwice %s", from, got, again)
		}
	}
}

// The manifests are what generate writes, and it finds in each of those with rules about kinds where they are.
func TestManifestsKnowEveryKind(t *testing.T) {
	known, all := namesOf(kind.All()), more(kind.All()...)
	for file, lists := range map[string]int{
		"config/rbac/users.yaml": 3, "config/admission/annotations.yaml": 2, "config/admission/consent.yaml": 2, "config/admission/webhook.yaml": 2,
		"charts/mooring/files/rules.yaml": 1, "charts/mooring/files/dashboard.json": 1,
	} {
		content, err := os.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(known.write(string(content)), string(content)); diff != "" {
			t.Errorf("%s is stale; run make generate: -generated +is:\n%s", file, diff)
		}
		if n := strings.Count(all.write(string(content)), "addresses"); n < lists {
			t.Errorf("%s: a new kind is in %d lists, want %d at least", file, n, lists)
		}
	}
}

// The lists of what clouds have are those of the SDKs that go.mod names.
func TestKnownValuesAreThoseOfTheSDKs(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, list := range knownValues {
		want, err := list.content(root)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(root, list.file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stale; run make generate: -generated +is:\n%s", list.file, diff)
		}
	}
}
