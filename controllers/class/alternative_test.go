package class

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// Of two fields that say the same, one is set: the object's over the class's default, and what the class insists on over all.
func TestOfTwoFieldsThatSayTheSameOneIsSet(t *testing.T) {
	same := AlternativesOf("Database", map[string]driver.Driver{"gcp": gcp.New(gcp.Options{})})
	const mode, tls = `gcp: {sslMode: ENCRYPTED_ONLY}`, `tls: Optional`
	for _, tt := range []struct{ name, class, spec, tls, mode, problem string }{
		{"a default", `spec: {defaults: {` + tls + `}}`, `{}`, "Optional", "", ""},
		{"a default, and the object's own words", `spec: {defaults: {` + tls + `}}`, `{"gcp":{"sslMode":"ENCRYPTED_ONLY"}}`, "", "ENCRYPTED_ONLY", ""},
		{"a default in the cloud's words", `spec: {defaults: {` + mode + `}}`, `{"tls":"Optional"}`, "Optional", "", ""},
		{"a default in the same words", `spec: {defaults: {` + tls + `}}`, `{"tls":"Required"}`, "Required", "", ""},
		{"what the class insists on, and a default", `spec: {defaults: {` + mode + `}, enforced: {` + tls + `}}`, `{}`, "Optional", "", ""},
		{"what the class insists on in the cloud's words, and a default", `spec: {defaults: {` + tls + `}, enforced: {` + mode + `}}`, `{}`, "", "ENCRYPTED_ONLY", ""},
		{"what the class insists on", `spec: {enforced: {` + tls + `}}`, `{"gcp":{"sslMode":"ENCRYPTED_ONLY"}}`, "Optional", "",
			`spec.gcp.sslMode: class "standard" enforces spec.tls Optional, which says the same; remove it from the spec`},
		{"what the class insists on in the cloud's words", `spec: {enforced: {` + mode + `}}`, `{"tls":"Optional"}`, "", "ENCRYPTED_ONLY",
			`spec.tls: class "standard" enforces spec.gcp.sslMode ENCRYPTED_ONLY, which says the same`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Case{Spec: tree(t, tt.spec), Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "gcp", Leads: "gcp", Same: same("gcp")}
			v := Evaluate(classOf(t, catalogue, `spec: {sizes: null, defaultSize: ""}`, tt.class), o, nil)
			haveTLS, _ := get(v.Spec, path{"tls"})
			haveMode, _ := get(v.Spec, path{"gcp", "sslMode"})
			if text(haveTLS) != tt.tls || text(haveMode) != tt.mode {
				t.Errorf("tls %v, sslMode %v; want %q, %q", haveTLS, haveMode, tt.tls, tt.mode)
			}
			says := ""
			for _, p := range v.Problems {
				if says += p.String(); !p.Overruled || p.Reason != v1alpha1.ReasonClassViolated {
					t.Errorf("the class's word does not hold: %+v", p)
				}
			}
			if !strings.HasPrefix(says, tt.problem) || (says == "") != (tt.problem == "") {
				t.Errorf("problem %q, want %q", says, tt.problem)
			}
			for layer, from := range map[string]Tree{"defaults": v.Effective.Defaults, "enforced": v.Effective.Enforced} {
				if has(from, path{"tls"}) && has(v.Spec, path{"gcp", "sslMode"}) || has(from, path{"gcp", "sslMode"}) && has(v.Spec, path{"tls"}) {
					t.Errorf("status.effective.%s has what is not set: %v", layer, from)
				}
			}
		})
	}
	for layer, c := range map[string]*Class{"defaults": classOf(t, `spec: {defaults: {`+tls+`, `+mode+`}}`), "enforced": classOf(t, `spec: {enforced: {`+tls+`, `+mode+`}}`)} {
		p := Rules{Kind: kind.Database(), Same: same}.Check(c, "gcp")
		if p == nil || p.Reason != v1alpha1.ReasonClassInvalid || !strings.HasPrefix(p.String(), "spec."+layer+".") || !strings.HasSuffix(p.Message, "says the same; remove one of them") {
			t.Errorf("%s with both: %v", layer, p)
		}
	}
}
