package docs

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/constraint"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// TestRulesOfSamplesCompile compiles the rules of the sample classes, as Mooring does: the API server takes them as mere text.
func TestRulesOfSamplesCompile(t *testing.T) {
	kinds, rules := map[string]*kind.Kind{}, 0
	for _, k := range kind.All() {
		if k.Class != nil {
			kinds[k.Class.Name] = k
		}
	}
	for path, content := range files(t, filepath.Join(root(t), "config", "samples", "classes"), ".yaml") {
		for _, object := range decode(t, content) {
			var class struct {
				Spec v1alpha1.ClassSpec `json:"spec"`
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &class); err != nil {
				t.Fatal(err)
			}
			for _, c := range class.Spec.Constraints {
				rules++
				if _, err := constraint.Compile(c.Rule, kinds[object.GetKind()]); err != nil {
					t.Errorf("%s: %s: %v", path, c.Rule, err)
				}
			}
		}
	}
	if rules == 0 {
		t.Error("no sample has a rule")
	}
}
