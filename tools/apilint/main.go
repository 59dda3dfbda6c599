// Command apilint runs the Kubernetes API linter over the packages it is given. The list below is chosen from
// https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md. Not in it:
//
//   - optionalfields, requiredfields, nonpointerstructs: they want a pointer wherever a zero value could be meant.
//     Ours has one where unset differs from zero; an empty name or choice is unset.
//   - maxlength, minlength: status mirrors what the cloud holds, so by design it has no validation.
//   - nobools: forceDestroy and its like are switches, and the words of both clouds.
//   - nomaps: status.applied is keyed by field.
//   - defaults: it wants the marker +default of built-in kinds; ours are CRDs, with +kubebuilder:default.
//   - noreferences: it wants allowedReferences to end with Ref. These are no references to Kubernetes objects, but rules for names that
//     cloud objects have.
//   - conflictingmarkers, dependenttags, forbiddenmarkers, namingconventions, preferredmarkers: they check only
//     what they are configured to, and nothing here needs it.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/multichecker"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/registry"
	"sigs.k8s.io/kube-api-linter/pkg/config"
	_ "sigs.k8s.io/kube-api-linter/pkg/registration" // all of them
)

var linters = []string{
	"arrayofstruct", "commentstart", "conditions", "defaultorrequired", "duplicatemarkers", "integers", "jsontags",
	"nodurations", "nofloats", "nonullable", "nophase", "notimestamp", "optionalorrequired",
	"ssatags", "statusoptional", "statussubresource", "uniquemarkers",
}

// settings of linters. Clients of CRDs know neither protobuf nor strategic merge patches, and conditions stand
// where they read best.
var settings = config.LintersConfig{
	"conditions": map[string]string{"isFirstField": "Ignore", "useProtobuf": "Forbid", "usePatchStrategy": "Forbid"},
}

func main() {
	chosen := config.Linters{Disable: []string{config.Wildcard}, Enable: linters}
	analyzers, err := registry.DefaultRegistry().InitializeLinters(chosen, settings)
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "apilint: %v\n", err)
		os.Exit(1)
	}
	multichecker.Main(analyzers...)
}
