package admission

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
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

// A warning says which object it is about, also where the request does not.
func TestSubject(t *testing.T) {
	made, named := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{GenerateName: "orders-"}}, &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: "stock"}}
	for want, of := range map[string]struct {
		request string
		object  client.Object
	}{
		"Database shop/orders":   {"orders", made},
		"Database shop/orders-…": {"", made},
		"Database shop/stock":    {"", named},
		"Database shop/":         {"", nil},
	} {
		req := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Name: of.request, Namespace: "shop", Kind: metav1.GroupVersionKind{Kind: "Database"}}}
		if got := subject(req, of.object); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := saying(field.ErrorList{field.Forbidden(field.NewPath("spec"), "no"), field.Forbidden(field.NewPath("spec"), "no"), field.Forbidden(field.NewPath("spec", "size"), "no")}); got != "spec: no; spec.size: no" {
		t.Errorf("%q", got)
	}
}
