package table_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// The API limits the tags of a spec and those of a class, and not those of both together.
func TestCheckOfTags(t *testing.T) {
	other := func(driver.Draft) ([]driver.Refusal, error) {
		return []driver.Refusal{{Fields: []string{"storageClass"}, Message: "no"}}, nil
	}
	kinds := table.Kinds[string]{
		{Name: "Tagged", Tags: 50}, {Name: "Checked", Tags: 50, Check: other}, {Name: "Untagged"},
	}
	room := 50 - driver.MarkLabels
	for _, tt := range []struct {
		name, kind string
		tags       int
		fields     []string
		says       string
	}{
		{"none", "Tagged", 0, nil, ""},
		{"all that there is room for beside the mark", "Tagged", room, nil, ""},
		{"one more", "Tagged", room + 1, []string{"tags"}, fmt.Sprintf("remove %d tags", 1)},
		{"those of a spec and a class", "Tagged", 2 * room, []string{"tags"}, fmt.Sprintf("there are %d tags", 2*room)},
		{"beside what the kind refuses", "Checked", room + 1, []string{"storageClass", "tags"}, "takes 50 of an object"},
		{"few, beside what the kind refuses", "Checked", room, []string{"storageClass"}, ""},
		{"of a kind without tags", "Untagged", 2 * room, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tags := map[string]string{}
			for i := range tt.tags {
				tags[fmt.Sprint("k", i)] = "v"
			}
			spec, err := json.Marshal(map[string]any{"tags": tags})
			if err != nil {
				t.Fatal(err)
			}
			refused, err := kinds.Check("AWS", tt.kind, driver.Draft{Spec: spec})
			if err != nil {
				t.Fatal(err)
			}
			var fields []string
			said := ""
			for _, r := range refused {
				fields, said = append(fields, r.Fields...), said+r.Message
			}
			if diff := cmp.Diff(tt.fields, fields); diff != "" || !strings.Contains(said, tt.says) {
				t.Errorf("says %q, want %q; fields -want +got:\n%s", said, tt.says, diff)
			}
		})
	}
	if _, err := kinds.Check("AWS", "Tagged", driver.Draft{Spec: json.RawMessage("[")}); err == nil {
		t.Error("a draft that is no JSON is checked")
	}
}
