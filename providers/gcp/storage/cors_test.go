package storage

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Cloud Storage compares origins as a whole: one with a wildcard and more is refused by its field, wherever it stands, and "*" alone is not.
func TestOriginsWithWildcards(t *testing.T) {
	for origin, lacking := range map[string]bool{
		"*": false, "https://a.example.com": false, "http://[::1]:8080": false, "https://*.example.com": true, "*.example.com": true, "https://*": true,
	} {
		rules := []any{map[string]any{"allowedMethods": []any{"GET"}, "allowedOrigins": []any{"https://first.example.com", origin, "*"}, "exposeHeaders": []any{"x-a"}}}
		got := driver.Lacking(lacks, map[string]any{"cors": rules})
		if (len(got) == 1) != lacking {
			t.Errorf("%s: lacks %v, want one: %t", origin, got, lacking)
		}
	}
	if got := driver.Lacking(lacks, map[string]any{"cors": []any{map[string]any{"allowedOrigins": []any{"*"}, "allowedHeaders": []any{"x-amz-*"}}}}); len(got) != 0 {
		t.Errorf("a header with a wildcard is no origin: %v", got)
	}
}

// What both lists of headers hold is sent once.
func TestHeadersAreOneList(t *testing.T) {
	sent := storageCORS([]v1alpha1.CORSRule{{AllowedHeaders: []string{"x-a", "ETag"}, ExposeHeaders: []string{"ETag", "x-b"}}})
	if got := sent[0].ResponseHeaders; len(got) != 3 {
		t.Errorf("sent %q", got)
	}
	if storageCORS(nil) == nil {
		t.Error("no rules are sent as nothing, which keeps those that are there")
	}
}
