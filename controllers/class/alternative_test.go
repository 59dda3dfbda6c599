package class

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
			o := Input{Spec: tree(t, tt.spec), Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "gcp", Leads: "gcp", Same: same("gcp")}
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

// An object that goes back from one of the two to the class's default of the other was edited: the class did not change.
func TestWhoGoesBackToADefaultOfTheOtherFieldWasEdited(t *testing.T) {
	same := AlternativesOf("Database", map[string]driver.Driver{"gcp": gcp.New(gcp.Options{})})("gcp")
	const own, plain = `{"gcp":{"sslMode":"ENCRYPTED_ONLY"}}`, `spec: {sizes: null, defaultSize: ""}`
	const tls, mode = `spec: {defaults: {tls: Optional}}`, `spec: {defaults: {gcp: {sslMode: ENCRYPTED_ONLY}}}`
	for _, tt := range []struct {
		name, before, spec, after, edited, applied string
		want                                       Fields
	}{
		{"back to the default", tls, own, tls, `{}`, "gcp.sslMode", nil},
		{"back to the default in the cloud's words", mode, `{"tls":"Optional"}`, mode, `{}`, "tls", nil},
		{"the class has a default by now", plain, `{}`, tls, `{}`, "", Fields{"tls"}},
		{"the class says it in other words by now", mode, `{}`, tls, `{}`, "gcp.sslMode", Fields{"tls"}},
		{"the class insists by now", plain, own, `spec: {enforced: {tls: Optional}}`, own, "gcp.sslMode", Fields{"tls"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			evaluate := func(class, spec string) Effective {
				o := Input{Spec: tree(t, spec), Namespace: Namespace{Name: "shop"}, Cloud: "gcp", Leads: "gcp", Same: same}
				return Evaluate(classOf(t, plain, class), o, nil).Effective
			}
			stored := evaluate(tt.before, tt.spec).Stored(nil)
			got := evaluate(tt.after, tt.edited).Changed(stored, func(field string) bool { return field == tt.applied }, same)
			if !slices.Equal(got, tt.want) {
				t.Errorf("changed %v, want %v", got, tt.want)
			}
		})
	}
}

// Whoever asks what changed is told which fields say the same.
func TestAResolutionHasTheAlternativesOfItsCloud(t *testing.T) {
	c := accounts(t, `spec: {sizes: null, defaultSize: "", allowedNamespaces: {matchLabels: null}, providerConfigRef: {name: gcp}}`)
	r := resolverOf(c)
	r.Same = AlternativesOf("Database", map[string]driver.Driver{"gcp": gcp.New(gcp.Options{})})
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "bank", Name: "orders"}}
	d.Spec.ClassName = "standard"
	found, err := r.Resolve(t.Context(), d)
	if err != nil || len(found.Same) != 1 || found.Same[0].Field != "tls" {
		t.Errorf("%+v, %v", found, err)
	}
}
