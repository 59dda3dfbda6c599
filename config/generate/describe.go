package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

// sentence is the first sentence of a description.
var sentence = regexp.MustCompile(`(?s)^.*?[.](\s|$)`)

// shortenClasses leaves the whole descriptions of an object's fields in the defaults of its class, and the first sentence wherever the class has the
// field besides: in what it enforces, and in its sizes. kubectl apply keeps the whole definition in an annotation, and they would not fit in there.
func shortenClasses(root string) error {
	paths, err := filepath.Glob(filepath.Join(root, "config", "crd", "*classes.yaml"))
	for _, path := range paths {
		content, readErr := os.ReadFile(path)
		if err = errors.Join(err, readErr); readErr != nil {
			continue
		}
		short, shortErr := shorten(content)
		if err = errors.Join(err, shortErr); shortErr == nil {
			err = errors.Join(err, os.WriteFile(path, short, 0o644))
		}
	}
	return err
}

func shorten(definition []byte) ([]byte, error) {
	var crd map[string]any
	if err := yaml.Unmarshal(definition, &crd); err != nil {
		return nil, err
	}
	versions, _ := at(crd, "spec")["versions"].([]any)
	if len(versions) == 0 {
		return nil, fmt.Errorf("a definition without versions")
	}
	for _, version := range versions {
		v, _ := version.(map[string]any)
		class := at(v, "schema", "openAPIV3Schema", "properties", "spec", "properties")
		defaults := at(class, "defaults")
		shortenBeside(defaults, at(class, "enforced"))
		shortenBeside(defaults, at(class, "sizes", "items"))
	}
	text, err := yaml.Marshal(crd)
	return append([]byte("---\n"), text...), err
}

// at returns the map at a path; nil if there is none.
func at(in map[string]any, path ...string) map[string]any {
	for _, step := range path {
		in, _ = in[step].(map[string]any)
	}
	return in
}

// shortenBeside cuts the descriptions of the fields in a schema that are described in another one in the same words.
func shortenBeside(whole, schema map[string]any) {
	fields := at(schema, "properties")
	for name := range fields {
		field, full := at(fields, name), at(whole, "properties", name)
		if full == nil {
			continue
		}
		if text, _ := field["description"].(string); text != "" && text == full["description"] {
			field["description"] = strings.TrimSpace(cmp.Or(sentence.FindString(text), text))
		}
		shortenBeside(full, field)
		shortenBeside(at(full, "items"), at(field, "items"))
	}
}
