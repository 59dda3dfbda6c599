package api

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Objects can be asked for by their cloud and by their class, without a search through all of them.
func TestFieldSelectors(t *testing.T) {
	for _, kind := range []string{"Bucket", "Database"} {
		t.Run(kind, func(t *testing.T) {
			names := map[string]string{}
			for key, status := range map[string]string{
				"mine":  `status: {provider: aws, className: selected}`,
				"gcp":   `status: {provider: gcp, className: selected}`,
				"other": `status: {provider: aws, className: another}`,
				"new":   ``,
			} {
				o := stored(t, kind, `spec: {className: selected}`)
				names[key] = o.GetName()
				if status == "" {
					continue
				}
				if err := patch(t, o, status, true); err != nil {
					t.Fatal(err)
				}
			}
			for _, tt := range []struct {
				selector string
				want     []string
			}{
				{"status.className=selected", []string{"mine", "gcp"}},
				{"status.className=selected,status.provider=aws", []string{"mine"}},
				{"status.className=nobody", nil},
			} {
				list := &unstructured.UnstructuredList{}
				list.SetAPIVersion("mooring.dev/v1alpha1")
				list.SetKind(kind + "List")
				selector, err := fields.ParseSelector(tt.selector)
				if err != nil {
					t.Fatal(err)
				}
				if err := api.List(t.Context(), list, client.InNamespace(namespace), client.MatchingFieldsSelector{Selector: selector}); err != nil {
					t.Errorf("%s: %v", tt.selector, err)
					continue
				}
				var got, want []string
				for _, o := range list.Items {
					got = append(got, o.GetName())
				}
				for _, key := range tt.want {
					want = append(want, names[key])
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s: got %v, want %v", tt.selector, got, want)
				}
			}
		})
	}
}
