package admission

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/net"
)

func TestFit(t *testing.T) {
	long := strings.Repeat("ä", longestWarning+1)
	short := strings.Repeat("ä", longestWarning)
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprintf("%02d%s", i, strings.Repeat("x", longestWarning))
	}
	for _, tc := range []struct {
		name  string
		given []string
		want  int
		last  string
	}{
		{"none", nil, 0, ""},
		{"a few", []string{"a", "b"}, 2, "b"},
		{"a long one", []string{long}, 1, strings.Repeat("ä", longestWarning-1) + "…"},
		{"one of just that length", []string{short}, 1, short},
		{"lines and control characters", []string{"a\n  b\tc\x1b[31m\x00 d\u0085"}, 1, "a b c[31m d"},
		{"separators and directions", []string{"a\u2028b\u202ec\u200bd"}, 1, "a bcd"},
		{"invalid UTF-8", []string{"a\xff"}, 1, "a\uFFFD"},
		{"nothing that can be shown", []string{"a", " \n\x00"}, 1, "a"},
		{"too many", many, 15, "16 more warnings are left out"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := fit("Database shop/orders", tc.given)
			if len(got) != tc.want || tc.want > 0 && got[len(got)-1] != "Database shop/orders: "+tc.last {
				t.Fatalf("%d: %q; want %d, the last %q", len(got), got, tc.want, tc.last)
			}
			total, header := 0, httptest.NewRecorder().Header()
			for _, w := range got {
				total += utf8.RuneCountInString(w)
				text, err := net.NewWarningHeader(299, "-", w) // as the API server writes them
				if err != nil || utf8.RuneCountInString(w) > 256 && len(got) > 10 {
					t.Errorf("the API server does not show %q: %v", w, err)
				}
				header.Add("Warning", text)
			}
			if shown, _ := net.ParseWarningHeaders(header[http.CanonicalHeaderKey("Warning")]); total > 4096 || len(shown) != len(got) {
				t.Errorf("the API server shows %d of %d, with %d characters", len(shown), len(got), total)
			}
		})
	}
}
