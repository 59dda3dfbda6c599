package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/config/crd"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// order is that in which people meet the kinds.
var order = slices.Concat(names(kind.All()), []string{"ProviderConfig", "ClusterProviderConfig"})

// names returns the names of kinds, then those of their classes.
func names(kinds []*kind.Kind) (objects []string) {
	var classes []string
	for _, k := range kinds {
		objects = append(objects, k.Name)
		if k.Class != nil {
			classes = append(classes, k.Class.Name)
		}
	}
	return append(objects, classes...)
}

// apiPage lists all kinds and their fields, from the CRDs.
func apiPage() ([]byte, error) {
	kinds, err := definitions()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString("# The API\n\n" +
		"Group `mooring.dev`, version `v1alpha1`. What is not marked as needed may be left out; what a Database or\n" +
		"Bucket does not say about its cloud object is not managed.\n" +
		"`kubectl explain database.spec --api-version=mooring.dev/v1alpha1` says the same on a terminal; what a change of a field does is in\n" +
		"[what happens when I change this](fields.md).\n\n| kind | scope | short | what |\n|---|---|---|---|\n")
	for _, name := range order {
		d := kinds[name]
		fmt.Fprintf(&b, "| [%s](#%s) | %s | `%s` | %s |\n", name, strings.ToLower(name), scope(d),
			strings.Join(d.Spec.Names.ShortNames, "`, `"), cell(strings.TrimPrefix(oneLine(schema(d).Description), name+" is ")))
	}
	for _, name := range order {
		if err := describe(&b, name, kinds[name]); err != nil {
			return nil, err
		}
	}
	if err := annotations(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// annotations writes what there is in metadata besides.
func annotations(b *bytes.Buffer) error {
	groups, err := constants("../../apis/v1alpha1/annotation.go")
	if err != nil {
		return err
	}
	b.WriteString("\n## Annotations, finalizers and labels\n")
	for _, g := range groups {
		fmt.Fprintf(b, "\n%s\n\n| | |\n|---|---|\n", strings.TrimSpace(sentence(g.title)+" "+g.text))
		for _, c := range g.constants {
			fmt.Fprintf(b, "| `%s` | %s |\n", c.value, cell(sentence(c.comment)))
		}
	}
	return nil
}

// definitions returns the CRDs by their kinds.
func definitions() (map[string]*apiextensionsv1.CustomResourceDefinition, error) {
	entries, err := crd.Files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	found := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, entry := range entries {
		content, err := crd.Files.ReadFile(entry.Name())
		if err != nil {
			return nil, err
		}
		d := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(content, d); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		if len(d.Spec.Versions) != 1 {
			return nil, fmt.Errorf("%s has %d versions: this page is about one", entry.Name(), len(d.Spec.Versions))
		}
		found[d.Spec.Names.Kind] = d
	}
	if all := slices.Sorted(maps.Keys(found)); !slices.Equal(all, slices.Sorted(slices.Values(order))) {
		return nil, fmt.Errorf("there are CRDs of %q, and this page has a place for %q", all, order)
	}
	return found, nil
}

func schema(d *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.JSONSchemaProps {
	return d.Spec.Versions[0].Schema.OpenAPIV3Schema
}

func scope(d *apiextensionsv1.CustomResourceDefinition) string {
	if d.Spec.Scope == apiextensionsv1.NamespaceScoped {
		return "namespace"
	}
	return "cluster"
}

// describe writes the section of a kind.
func describe(b *bytes.Buffer, kind string, d *apiextensionsv1.CustomResourceDefinition) error {
	s := schema(d)
	fmt.Fprintf(b, "\n## %s\n\n%s\n", kind, oneLine(s.Description))
	for _, part := range []string{"spec", "status"} {
		p, ok := s.Properties[part]
		if !ok {
			return fmt.Errorf("%s has no %s", kind, part)
		}
		fmt.Fprintf(b, "\n### %s %s\n\n| field | type | what |\n|---|---|---|\n", kind, part)
		fields(b, strings.ToLower(kind), part, &p)
	}
	fmt.Fprintf(b, "\n### %s rules\n\nThe API server refuses what breaks one of these.\n\n", kind)
	rules := slices.Concat(s.XValidations, s.Properties["spec"].XValidations)
	if len(rules) == 0 {
		return fmt.Errorf("%s has no rules", kind)
	}
	for _, rule := range rules {
		fmt.Fprintf(b, "- %s\n", rule.Message)
	}
	return nil
}

// fields writes a row for each field of a schema, and for each of those within it.
func fields(b *bytes.Buffer, kind, path string, s *apiextensionsv1.JSONSchemaProps) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		full := path + "." + name
		what := sentence(inCode(name, p.Description))
		if slices.Contains(s.Required, name) {
			what = "**Needed.** " + what
		}
		for _, rule := range p.XValidations {
			what += " " + sentence(rule.Message)
		}
		if limits := limits(&p); limits != "" {
			what += " " + limits + "."
		}
		anchor := strings.NewReplacer(".", "-", "[]", "").Replace(kind + "-" + full)
		fmt.Fprintf(b, "| <a id=%q></a>`%s` | %s | %s |\n", strings.ToLower(anchor), full, kindOf(&p), cell(what))
		switch {
		case usual(&p):
		case p.Items != nil && p.Items.Schema != nil && !usual(p.Items.Schema):
			fields(b, kind, full+"[]", p.Items.Schema)
		default:
			fields(b, kind, full, &p)
		}
	}
}

// usual reports whether a schema is of Kubernetes itself, and has its description there.
func usual(s *apiextensionsv1.JSONSchemaProps) bool {
	_, selects := s.Properties["matchLabels"]
	_, changes := s.Properties["lastTransitionTime"]
	return selects || changes
}

// kindOf says a type in a word or two.
func kindOf(s *apiextensionsv1.JSONSchemaProps) string {
	switch {
	case s.Type == "array" && usual(s.Items.Schema):
		return "list of conditions"
	case usual(s):
		return "label selector"
	case s.Type == "array":
		return "list of " + kindOf(s.Items.Schema) + "s"
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return "map to " + kindOf(s.AdditionalProperties.Schema)
	case s.Format == "date-time":
		return "time"
	default:
		return s.Type
	}
}

// limits says what values a schema takes.
func limits(s *apiextensionsv1.JSONSchemaProps) string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if s.Default != nil {
		say("default `%s`", s.Default.Raw)
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, "`"+strings.Trim(string(v.Raw), `"`)+"`")
		}
		say("one of %s", strings.Join(values, ", "))
	}
	between(&all, "", number(s.Minimum), number(s.Maximum))
	between(&all, " characters", count(s.MinLength), count(s.MaxLength))
	between(&all, " items", count(s.MinItems), count(s.MaxItems))
	between(&all, " entries", count(s.MinProperties), count(s.MaxProperties))
	if s.Pattern != "" {
		say("pattern `%s`", s.Pattern)
	}
	if len(all) > 0 {
		all[0] = strings.ToUpper(all[0][:1]) + all[0][1:]
	}
	return strings.Join(all, "; ")
}

func between(all *[]string, what, least, most string) {
	switch {
	case least != "" && most != "":
		*all = append(*all, least+" to "+most+what)
	case least != "":
		*all = append(*all, "at least "+least+what)
	case most != "":
		*all = append(*all, "at most "+most+what)
	}
}

func number(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

func count(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// inCode shows the name of what is described as code, where the description begins with it.
func inCode(name, description string) string {
	text := oneLine(description)
	if rest, ok := strings.CutPrefix(text, name+" "); ok {
		return "`" + name + "` " + rest
	}
	return text
}
