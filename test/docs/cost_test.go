package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// TestCostsHaveSources: whoever reads what a change costs can follow it to a page of the cloud, and finds it in the reference. That every change that
// interrupts or restarts has a cost is a rule of driver.Description.Validate.
func TestCostsHaveSources(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "reference", "fields.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []driver.Description{aws.New(aws.Options{}).Describe(), gcp.New(gcp.Options{}).Describe()} {
		costs := 0
		for _, r := range d.Resources {
			for _, f := range r.Fields {
				for _, e := range f.Effects {
					if e.Cost.Text == "" {
						continue
					}
					costs++
					if !strings.HasPrefix(e.Cost.Source, "https://") {
						t.Errorf("%s in %s: %s costs %q, and its source is %q: name the page of the cloud", f.Field, r.Title, e.Effect, e.Cost.Text, e.Cost.Source)
					}
					for _, text := range []string{e.Cost.Text, e.Cost.MultiZone, e.Cost.Source} {
						if !strings.Contains(string(page), text) {
							t.Errorf("docs/reference/fields.md lacks what %s of %s costs: %q; run make generate", e.Effect, f.Field, text)
						}
					}
				}
			}
		}
		if costs == 0 {
			t.Errorf("no change in %s costs anything", d.Title)
		}
	}
}
