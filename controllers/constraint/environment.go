package constraint

import (
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/openapi"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/config/crd"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// The variables that a rule sees. `namespace` is a word that CEL keeps for itself.
const (
	variableSpec      = "spec"
	variableNamespace = "namespaceObject"
	variableClass     = "class"
)

// An ambience is what the rules about one kind are compiled in.
type ambience struct {
	env *cel.Env
	// schemas and types of the variables.
	schemas map[string]common.Schema
	types   map[string]*apiservercel.DeclType
}

// ambiences has that of each kind, by its plural. Each is made once, when the first rule needs it: that takes some ten milliseconds.
var ambiences sync.Map

func ambienceOf(k *kind.Kind) (*ambience, error) {
	made, _ := ambiences.LoadOrStore(k.Plural, sync.OnceValues(func() (*ambience, error) { return newAmbience(k) }))
	return made.(func() (*ambience, error))()
}

func newAmbience(k *kind.Kind) (*ambience, error) {
	object, err := schemaOf(k)
	if err != nil {
		return nil, err
	}
	a := &ambience{
		schemas: map[string]common.Schema{
			variableSpec:      &openapi.Schema{Schema: object},
			variableNamespace: &openapi.Schema{Schema: metadataSchema("labels")},
			variableClass:     &openapi.Schema{Schema: metadataSchema("labels", "annotations")},
		},
		types: map[string]*apiservercel.DeclType{},
	}
	// The options have no history here: they are in force in every version.
	options := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0)}
	for name, schema := range a.schemas {
		declared := common.SchemaDeclType(schema, false).MaybeAssignTypeName("mooring." + name)
		a.types[name] = declared
		options.DeclTypes = append(options.DeclTypes, declared)
		options.EnvOptions = append(options.EnvOptions, cel.Variable(name, declared.CelType()))
	}
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(options)
	if err != nil {
		return nil, fmt.Errorf("declare what rules about %s see: %w", k.Plural, err)
	}
	// The one with all that any supported API server knows: no older Mooring has to read what it accepts.
	a.env = set.StoredExpressionsEnv()
	return a, nil
}

// schemaOf returns the schema of a kind's spec, from its CRD.
func schemaOf(k *kind.Kind) (*spec.Schema, error) {
	content, err := crd.Files.ReadFile(v1alpha1.GroupVersion.Group + "_" + k.Plural + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", k.Plural, err)
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Name   string `json:"name"`
				Schema struct {
					OpenAPIV3Schema spec.Schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(content, &definition); err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", k.Plural, err)
	}
	for _, v := range definition.Spec.Versions {
		if root, ok := v.Schema.OpenAPIV3Schema.Properties["spec"]; ok && v.Name == v1alpha1.GroupVersion.Version {
			return &root, nil
		}
	}
	return nil, fmt.Errorf("read the schema of %s: version %s has no spec", k.Plural, v1alpha1.GroupVersion.Version)
}

// Bounds of metadata, for estimates of cost. Kubernetes bounds annotations only by their sum.
const (
	maxEntries = 256
	maxValue   = 1024
)

// metadataSchema is the schema of an object with metadata: the name and the named maps.
func metadataSchema(maps ...string) *spec.Schema {
	value := spec.StringProperty().WithMaxLength(maxValue)
	properties := map[string]spec.Schema{"name": *spec.StringProperty().WithMaxLength(253)}
	for _, name := range maps {
		properties[name] = *spec.MapProperty(value).WithMaxProperties(maxEntries)
	}
	object := func(of map[string]spec.Schema) *spec.Schema {
		return &spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Properties: of}}
	}
	return object(map[string]spec.Schema{"metadata": *object(properties)})
}

// HasField reports whether the kind has a field. path is as in the field of a Constraint, for example
// spec.storage.sizeGiB.
func HasField(k *kind.Kind, path string) bool {
	within, err := ambienceOf(k)
	names := strings.Split(path, ".")
	if err != nil || names[0] != variableSpec {
		return false
	}
	at := within.types[variableSpec]
	for _, name := range names[1:] {
		if at.IsMap() {
			at = at.ElemType
		} else if at = step(at, name); at == nil {
			return false
		}
	}
	return true
}
