package docs

import (
	"maps"
	"path/filepath"
	"regexp"
	"testing"
)

// retired are words that only Mooring's authors understood, and the word of the field for each.
var retired = map[string]string{
	`turns?`:                  "reconciliation, or slot of a rollout",
	`gates?`:                  "concurrency limiter",
	`places?`:                 "slot",
	`in line`:                 "in the queue",
	`vaults?`:                 "password Secret",
	`put right`:               "corrected",
	`come back|came back`:     "recurred, requeued",
	`re-checks?`:              "resync",
	`under way`:               "in progress",
	`unrecorded|written down`: "status not written",
	`people`:                  "users",
	`catalogue`:               "classes",
}

// named are the files whose names and short texts people meet before they read a guide: flags, values, metrics, alerts and panels.
var named = []string{
	"docs/reference/metrics.md",
	"docs/reference/flags.md",
	"charts/mooring/values.yaml",
	"charts/mooring/files/rules.yaml",
	"charts/mooring/files/dashboard.json",
}

func TestNamesAreWordsOfTheField(t *testing.T) {
	texts := map[string]string{}
	for _, name := range named {
		path := filepath.Join(root(t), filepath.FromSlash(name))
		texts[name] = files(t, path, filepath.Ext(path))[path]
	}
	words := maps.Clone(retired)
	maps.Copy(words, dialect)
	for word, better := range words {
		pattern := regexp.MustCompile(`(?i)(?:\b|_)(?:` + word + `)(?:\b|_)`)
		for path, text := range texts {
			for _, at := range pattern.FindAllStringIndex(text, -1) {
				t.Errorf("%s says %q; the word of the field is %q: …%s…", path, text[at[0]:at[1]], better, text[max(0, at[0]-40):min(len(text), at[1]+40)])
			}
		}
	}
}
