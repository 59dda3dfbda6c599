package class

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

func bucketClassOf(t *testing.T, spec string) *Class {
	t.Helper()
	o := &v1alpha1.BucketClass{}
	if err := yaml.UnmarshalStrict([]byte("metadata: {name: standard}\nspec: {providerConfigRef: {name: aws}, allowedNamespaces: {}, "+spec+"}"), o); err != nil {
		t.Fatal(err)
	}
	c, err := Of(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// {} is a value where it asks for something: it replaces what the class says by default, and the class can insist on it.
func TestEmptyValuesAreLaidOver(t *testing.T) {
	for _, tt := range []struct {
		name, class, spec string
		want              string // the merged spec
		defaults          string // what is recorded as the class's defaults
		problems          []string
	}{
		{name: "the spec's over the class's value", class: `defaults: {website: {indexDocument: index.html}, encryption: {key: alias/shop}}`, spec: `{"website":{},"encryption":{}}`,
			want: `{"website":{},"encryption":{}}`},
		{name: "the class's by default", class: `defaults: {encryption: {}}`, spec: `{}`, want: `{"encryption":{}}`, defaults: `{"encryption":{}}`},
		{name: "a value over the class's", class: `defaults: {encryption: {}}`, spec: `{"encryption":{"key":"alias/shop"}}`, want: `{"encryption":{"key":"alias/shop"}}`},
		{name: "insisted on", class: `enforced: {website: {}}`, spec: `{"website":{"indexDocument":"index.html"}}`, want: `{"website":{}}`,
			problems: []string{`spec.website: class "standard" enforces {} (no web site), not {"indexDocument":"index.html"}; remove it from the spec`}},
		{name: "agreed on", class: `enforced: {website: {}}`, spec: `{"website":{}}`, want: `{"website":{}}`},
		{name: "against what the class insists on", class: `enforced: {encryption: {key: alias/shop}}`, spec: `{"encryption":{}}`, want: `{"encryption":{"key":"alias/shop"}}`,
			problems: []string{`spec.encryption: class "standard" enforces encryption.key alias/shop, not {} (the cloud's own key); remove it from the spec`}},
		{name: "insisted on over a default", class: `defaults: {encryption: {key: alias/shop}}, enforced: {encryption: {}}`, spec: `{}`, want: `{"encryption":{}}`},
		{name: "another part of a union over the class's", class: `defaults: {website: {indexDocument: index.html, errorDocument: error.html}}`, spec: `{"website":{"redirectAllRequestsTo":"www.example.com"}}`,
			want: `{"website":{"redirectAllRequestsTo":"www.example.com"}}`},
		{name: "more of the same part of a union", class: `defaults: {website: {indexDocument: index.html}}`, spec: `{"website":{"errorDocument":"error.html"}}`,
			want: `{"website":{"indexDocument":"index.html","errorDocument":"error.html"}}`, defaults: `{"website":{"indexDocument":"index.html"}}`},
		{name: "against the part of a union that the class insists on", class: `enforced: {website: {indexDocument: index.html}}`, spec: `{"website":{"redirectAllRequestsTo":"www.example.com"}}`,
			want:     `{"website":{"indexDocument":"index.html"}}`,
			problems: []string{`spec.website.redirectAllRequestsTo: class "standard" enforces website.indexDocument index.html, not www.example.com; remove it from the spec`}},
		{name: "what {} says nothing of", class: `defaults: {tags: {team: shop}, aws: {objectOwnership: ObjectWriter}}`, spec: `{"tags":{},"aws":{}}`,
			want: `{"tags":{"team":"shop"},"aws":{"objectOwnership":"ObjectWriter"}}`, defaults: `{"tags":{"team":"shop"},"aws":{"objectOwnership":"ObjectWriter"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := Evaluate(bucketClassOf(t, tt.class), Input{Spec: tree(t, tt.spec)}, nil)
			if diff := cmp.Diff(tree(t, tt.want), v.Spec); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(parsed(raw(tree(t, or(tt.defaults, `{}`)))), v.Effective.Defaults); diff != "" {
				t.Errorf("defaults (-want +got):\n%s", diff)
			}
			var said []string
			for _, p := range v.Problems {
				said = append(said, p.String())
			}
			if diff := cmp.Diff(tt.problems, said); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// An edit of a class from or to {} is the class's, and is announced as one change.
func TestEmptyValuesOfAClassChange(t *testing.T) {
	index := `defaults: {website: {indexDocument: index.html}}`
	for _, tt := range []struct {
		name, before, after, spec string
		known                     bool // the index document was set in the cloud
		want                      Fields
		announced                 []string
	}{
		{name: "to {}", before: index, after: `defaults: {website: {}}`, spec: `{}`, known: true, want: Fields{"website"},
			announced: []string{"website becomes {} (no web site) (online: the site ends)"}},
		{name: "from {}", before: `defaults: {website: {}}`, after: index, spec: `{}`, known: true, want: Fields{"website.indexDocument"},
			announced: []string{"website.indexDocument becomes index.html (online: the site ends)"}},
		{name: "to {} from nothing", before: `defaults: {}`, after: `defaults: {website: {}}`, spec: `{}`, want: Fields{"website"},
			announced: []string{"website becomes {} (no web site) (online: the site ends)"}},
		{name: "to {} of which the object says something", before: index, after: `defaults: {website: {}}`, spec: `{"website":{"indexDocument":"home.html"}}`, known: true},
		{name: "of which the object says {}", before: index, after: `defaults: {website: {indexDocument: home.html}}`, spec: `{"website":{}}`, known: true},
		{name: "to another part of a union", before: index, after: `defaults: {website: {redirectAllRequestsTo: www.example.com}}`, spec: `{}`, known: true, want: Fields{"website.redirectAllRequestsTo"},
			announced: []string{"website.redirectAllRequestsTo becomes www.example.com (at once)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Input{Spec: tree(t, tt.spec)}
			was := Evaluate(bucketClassOf(t, tt.before), o, nil)
			is := Evaluate(bucketClassOf(t, tt.after), o, nil)
			got := is.Effective.Changed(was.Effective.Stored(nil), func(string) bool { return tt.known }, nil)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
			i := impact{touched: map[touch]int{}}
			i.add(was.Spec, is.Spec, []driver.Change{{Field: "website.indexDocument", Effect: driver.Online, Why: "the site ends"}})
			var lines []string
			for line := range i.touched {
				lines = append(lines, line.line)
			}
			if diff := cmp.Diff(tt.announced, lines); diff != "" {
				t.Errorf("announced (-want +got):\n%s", diff)
			}
		})
	}
}

// An object of 0.1.0, where {} asked for nothing, keeps the key of its class beside it until its spec is edited.
func TestEmptyValuesOfFormerTimesWaitForAnEdit(t *testing.T) {
	c := bucketClassOf(t, `defaults: {encryption: {key: alias/shop}}`)
	before := &v1alpha1.Effective{Defaults: raw(tree(t, `{"encryption":{"key":"alias/shop"}}`))}
	for _, tt := range []struct {
		name string
		o    Input
		want string
	}{
		{"unedited", Input{Unedited: true, Before: before}, `{"encryption":{"key":"alias/shop"}}`},
		{"edited", Input{Before: before}, `{"encryption":{}}`},
		{"of now", Input{Unedited: true, Before: &v1alpha1.Effective{}}, `{"encryption":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Spec = tree(t, `{"encryption":{}}`)
			v := Evaluate(c, tt.o, nil)
			if diff := cmp.Diff(tree(t, tt.want), v.Spec); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
			if frozen := EvaluateStored(tt.o).Spec; tt.o.Unedited && tt.o.Before == before && !cmp.Equal(v.Spec, frozen) {
				t.Errorf("without its class it is %v", frozen)
			}
			if changed := v.Effective.Changed(tt.o.Before, func(string) bool { return true }, nil); tt.o.Unedited && len(changed) > 0 {
				t.Errorf("the class is said to have changed %v", changed)
			}
		})
	}
}

// What {} stands in place of is a field that is set, so that nobody takes it for one that was taken out.
func TestEmptyValuesSetWhatTheyStandFor(t *testing.T) {
	for field, want := range map[string]bool{"encryption": true, "encryption.key": true, "website.indexDocument": false, "tags.team": false} {
		if got := HasField(tree(t, `{"encryption":{},"tags":{}}`), field); got != want {
			t.Errorf("%s is set: %v, want %v", field, got, want)
		}
	}
	if fields := fieldsOf(tree(t, `{"encryption":{},"tags":{}}`)); !fields.Has("encryption.key") || fields.Has("tags.team") {
		t.Errorf("the fields are %v", fields)
	}
}
