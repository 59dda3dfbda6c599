package gcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// TestListsOfManyPages: the driver says how much it takes at once, and what is more than a page is listed in whole.
func TestListsOfManyPages(t *testing.T) {
	const there = 1234
	for kind, item := range map[string]func(i int) map[string]any{
		"Bucket": func(i int) map[string]any {
			return map[string]any{"kind": "storage#bucket", "name": fmt.Sprintf("bucket-%d", i), "location": "EUROPE-WEST3"}
		},
		"Database": func(i int) map[string]any {
			return map[string]any{
				"kind": "sql#instance", "name": fmt.Sprintf("instance-%d", i), "region": "europe-west3", "state": "RUNNABLE",
				"databaseVersion": "POSTGRES_16", "settings": map[string]any{"tier": "db-f1-micro"},
			}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			conn := answering(t, func(w http.ResponseWriter, r *http.Request) {
				most, err := strconv.Atoi(r.URL.Query().Get("maxResults"))
				if err != nil || most < 1 || most > 1000 { // the most that either service lists at once
					t.Errorf("%s: the size of a page is %q", r.URL.Path, r.URL.Query().Get("maxResults"))
					most = 1000
				}
				from, _ := strconv.Atoi(r.URL.Query().Get("pageToken"))
				answer, items := map[string]any{"kind": map[string]string{"Bucket": "storage#buckets", "Database": "sql#instancesList"}[kind]}, []any{}
				for i := from; i < min(from+most, there); i++ {
					items = append(items, item(i))
				}
				answer["items"] = items
				if from+most < there {
					answer["nextPageToken"] = strconv.Itoa(from + most)
				}
				if err := json.NewEncoder(w).Encode(answer); err != nil {
					t.Error(err)
				}
			})
			listed, pages := map[string]bool{}, 0
			for token := ""; pages == 0 || token != ""; pages++ {
				page, err := conn.List(t.Context(), kind, driver.ListRequest{Page: token})
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range page.Objects {
					listed[o.Name] = true
				}
				token = page.Next
			}
			if len(listed) != there || pages < 2 {
				t.Errorf("%d objects on %d pages, want %d on several", len(listed), pages, there)
			}
		})
	}
}
