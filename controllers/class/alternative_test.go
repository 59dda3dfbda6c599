package class

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// Of two fields that contradict each other, one is set: the object's over the class's default, and what the class insists on over all. Where they
// agree both are: the cloud's own words may say more.
func TestOfTwoFieldsThatContradictEachOtherOneIsSet(t *testing.T) {
	same := AlternativesOf("Database", map[string]driver.Driver{"gcp": gcp.New(gcp.Options{})})
	const mode, tls = `gcp: {sslMode: ENCRYPTED_ONLY}`, `tls: Optional`
	const stricter, trusted, required = "TRUSTED_CLIENT_CERTIFICATE_REQUIRED", `gcp: {sslMode: TRUSTED_CLIENT_CERTIFICATE_REQUIRED}`, `tls: Required`
	for _, tt := range []struct{ name, class, spec, tls, mode, problem string }{
		{"a default", `spec: {defaults: {` + tls + `}}`, `{}`, "Optional", "", ""},
		{"a default, and the object's own words", `spec: {defaults: {` + tls + `}}`, `{"gcp":{"sslMode":"ENCRYPTED_ONLY"}}`, "", "ENCRYPTED_ONLY", ""},
		{"a default in the cloud's words", `spec: {defaults: {` + mode + `}}`, `{"tls":"Optional"}`, "Optional", "", ""},
		{"a default in the same words", `spec: {defaults: {` + tls + `}}`, `{"tls":"Required"}`, "Required", "", ""},
		{"what the class insists on, and a default", `spec: {defaults: {` + mode + `}, enforced: {` + tls + `}}`, `{}`, "Optional", "", ""},
		{"what the class insists on in the cloud's words, and a default", `spec: {defaults: {` + tls + `}, enforced: {` + mode + `}}`, `{}`, "", "ENCRYPTED_ONLY", ""},
		{"what the class insists on", `spec: {enforced: {` + tls + `}}`, `{"gcp":{"sslMode":"ENCRYPTED_ONLY"}}`, "Optional", "",
			`spec.gcp.sslMode: class "standard" enforces spec.tls Optional, which contradicts ENCRYPTED_ONLY; remove it from the spec`},
		{"what the class insists on in the cloud's words", `spec: {enforced: {` + mode + `}}`, `{"tls":"Optional"}`, "", "ENCRYPTED_ONLY",
			`spec.tls: class "standard" enforces spec.gcp.sslMode ENCRYPTED_ONLY, which contradicts Optional`},
		{"a stricter default", `spec: {defaults: {` + trusted + `}}`, `{"tls":"Required"}`, "Required", stricter, ""},
		{"a stricter default, and less", `spec: {defaults: {` + trusted + `}}`, `{"tls":"Optional"}`, "Optional", "", ""},
		{"a stricter default, and what the class insists on", `spec: {defaults: {` + trusted + `}, enforced: {` + required + `}}`, `{}`, "Required", stricter, ""},
		{"a stricter default, and an object that is overruled", `spec: {defaults: {` + trusted + `}, enforced: {` + required + `}}`, `{"tls":"Optional"}`, "Required", stricter,
			`spec.tls: class "standard" enforces Required`},
		{"more than the class insists on", `spec: {enforced: {` + required + `}}`, `{"gcp":{"sslMode":"` + stricter + `"}}`, "Required", stricter, ""},
		{"less than the class insists on", `spec: {enforced: {` + trusted + `}}`, `{"tls":"Required"}`, "Required", stricter, ""},
		{"both in the class", `spec: {enforced: {` + required + `, ` + trusted + `}}`, `{}`, "Required", stricter, ""},
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
			leaves(v.Effective.flat(), func(at path, value any) {
				if is, _ := get(v.Spec, at); !reflect.DeepEqual(is, value) {
					t.Errorf("status.effective has %s %v, and the spec %v", at, value, is)
				}
			})
		})
	}
	for layer, c := range map[string]*Class{"defaults": classOf(t, `spec: {defaults: {`+tls+`, `+mode+`}}`), "enforced": classOf(t, `spec: {enforced: {`+tls+`, `+mode+`}}`)} {
		p := Rules{Kind: kind.Database(), Same: same}.Check(c, "gcp")
		if p == nil || p.Reason != v1alpha1.ReasonClassInvalid || !strings.HasPrefix(p.String(), "spec."+layer+".") || !strings.HasSuffix(p.Message, "; remove one of them") {
			t.Errorf("%s with both: %v", layer, p)
		}
	}
	if p := (Rules{Kind: kind.Database(), Same: same}).Check(classOf(t, `spec: {enforced: {`+required+`, `+trusted+`}}`), "gcp"); p != nil {
		t.Errorf("a class in which the two agree: %v", p)
	}
}
