package sql_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mooring-dev/mooring/providers/sql"
)

// Names of roles on servers are made so: a change of the rule would lose all of them.
func TestSuffixed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, suffix string
		limit        int
		want         string
	}{
		{"orders", "_owner", 63, "orders_owner"},
		{strings.Repeat("x", 57), "_owner", 63, strings.Repeat("x", 57) + "_owner"},
		{strings.Repeat("x", 58), "_owner", 63, strings.Repeat("x", 48) + "_5ef8b2e5_owner"},
		{strings.Repeat("ü", 31), "_a", 63, ""},
		{"under-the-limit-of-mysql-and-more", "_a", 32, ""},
	} {
		got := sql.Suffixed(tc.name, tc.suffix, tc.limit)
		if len(got) > tc.limit || !utf8.ValidString(got) || !strings.HasSuffix(got, tc.suffix) || tc.want != "" && got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.name, got, tc.want)
		}
	}
	if sql.Suffixed(strings.Repeat("x", 60)+"a", "_a", 63) == sql.Suffixed(strings.Repeat("x", 60)+"b", "_a", 63) {
		t.Error("two names become one")
	}
}

// FuzzSuffixed cuts any name within the limit, and the same way each time.
func FuzzSuffixed(f *testing.F) {
	f.Add("orders", 63)
	f.Add(strings.Repeat("ü", 40), 32)
	f.Fuzz(func(t *testing.T, name string, limit int) {
		if limit < 32 || limit > 200 {
			return
		}
		got := sql.Suffixed(name, "_readwrite", limit)
		if len(got) > limit || !strings.HasSuffix(got, "_readwrite") || utf8.ValidString(name) && !utf8.ValidString(got) || got != sql.Suffixed(name, "_readwrite", limit) {
			t.Errorf("%q is cut to %q", name, got)
		}
	})
}
