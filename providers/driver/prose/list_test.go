package prose_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// A message tells the first problems, and counts the others by their fields.
func TestAMessageTellsTheFirstProblemsAndCountsTheOthers(t *testing.T) {
	lines := func(n int, format string) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return all
	}
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"none": {nil, ""},
		"one":  {[]string{"spec.a: wrong"}, "spec.a: wrong"},
		"five": {lines(5, "spec.a: %d"), "spec.a: 0; spec.a: 1; spec.a: 2; spec.a: 3; spec.a: 4"},
		"more": {append(lines(6, "spec.a: %d"), "spec.b.c: wrong", "cors: wrong", "correct spec.d of it. S3 says: no", "it is wrong"),
			"spec.a: 0; spec.a: 1; spec.a: 2; spec.a: 3; spec.a: 4; and 5 more of spec.a, spec.b.c, cors, spec.d"},
		"none of a field": {lines(7, "wrong %d"), "wrong 0; wrong 1; wrong 2; wrong 3; wrong 4; and 2 more"},
	} {
		if got := prose.Join(tt.lines); got != tt.want {
			t.Errorf("%s: it says %s", name, cmp.Diff(tt.want, got))
		}
	}
}

// However many problems there are, and however long each is, a condition holds the message. It takes no memory for those that are not told.
func TestAMessageHoldsInACondition(t *testing.T) {
	long := strings.Repeat("ä", 100_000)
	problems := make([]string, 100_000)
	for i := range problems {
		problems[i] = fmt.Sprintf("spec.f%d: %s", i%1000, long[:2*(i%1000)])
	}
	problems[0] = "spec.a: " + long + "; remove it"
	says := prose.Join(problems)
	if len(says) > 8_000 || !utf8.ValidString(says) || !strings.Contains(says, "; remove it; ") || !strings.Contains(says, "and 99995 more of spec.f5, ") {
		t.Errorf("it has %d bytes: %.900s", len(says), says)
	}
	if n := testing.AllocsPerRun(3, func() {
		prose.List(problems, func(p string) string { return p }, func(string) string { return "spec.a" })
	}); n > 50 {
		t.Errorf("it takes %v allocations, for problems that are not told, too", n)
	}
}

// A text that is too long keeps its beginning and its end.
func TestShortened(t *testing.T) {
	if got := prose.Shorten("short", 5); got != "short" {
		t.Errorf("it is %q", got)
	}
	for n := range 300 {
		text := "Begin" + strings.Repeat("äö", n) + "End"
		got := prose.Shorten(text, 100)
		if len(got) > 100 || !utf8.ValidString(got) || !strings.HasPrefix(got, "Begin") || !strings.HasSuffix(got, "End") {
			t.Errorf("of %d bytes it is %q with %d", len(text), got, len(got))
		}
	}
}
