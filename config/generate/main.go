// Command generate writes the kinds of the registry, controllers/kind, into the manifests that have to name them: the roles of users, what
// the API server asks Mooring about, its policies, the alerts and the dashboard. The rest of these files is written by hand.
//
// It replaces lists that name all kinds or all classes, whatever else they name: [buckets, databases, providerconfigs] in YAML,
// ['buckets', 'databases'] in CEL, and name=~"buckets|databases" in PromQL. It also replaces maps from kinds to classes and back in CEL.
// A list that should name some of the kinds has to say so in another form.
//
// It also shortens what the definitions of classes repeat, and writes what drivers know of their clouds from the SDKs.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/controllers/kind"
)

// files are those that have such lists.
var files = []string{"config/rbac/users.yaml", "config/admission/*.yaml", "charts/mooring/files/rules.yaml", "charts/mooring/files/dashboard.json"}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: generate REPOSITORY")
	}
	if err := generate(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func generate(root string) error {
	n := namesOf(kind.All())
	for _, pattern := range files {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err == nil && len(paths) == 0 {
			err = fmt.Errorf("there is no %s", pattern)
		}
		for _, path := range paths {
			content, readErr := os.ReadFile(path)
			err = errors.Join(err, readErr)
			if readErr == nil {
				err = errors.Join(err, os.WriteFile(path, []byte(n.write(string(content))), 0o644))
			}
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(shortenClasses(root), writeKnown(root))
}

// names are the resources of kinds and of their classes, in order, and which class a kind has.
type names struct {
	kinds, classes []string
	classOf        map[string]string
}

func namesOf(kinds []*kind.Kind) names {
	n := names{classOf: map[string]string{}}
	for _, k := range kinds {
		n.kinds = append(n.kinds, k.Plural)
		if k.Class != nil {
			n.classes, n.classOf[k.Plural] = append(n.classes, k.Class.Plural), k.Class.Plural
		}
	}
	slices.Sort(n.kinds)
	slices.Sort(n.classes)
	return n
}

var (
	// list is a list of resources, in YAML or CEL.
	list = regexp.MustCompile(`\[('?)[a-z]+'?(, '?[a-z]+'?)*\]`)
	// alternatives are the names of queues, in PromQL and in JSON.
	alternatives = regexp.MustCompile(`(name=~\\?")([a-z|]+)(\\?")`)
	// pairs is a map from resources to resources in CEL.
	pairs = regexp.MustCompile(`\{'[a-z]+': '[a-z]+'(, '[a-z]+': '[a-z]+')*\}`)
)

// write returns a text in which each list of kinds or classes names all.
func (n names) write(text string) string {
	text = list.ReplaceAllStringFunc(text, func(found string) string {
		quote := ""
		if found[1] == '\'' {
			quote = "'"
		}
		items := n.complete(strings.Split(strings.ReplaceAll(found[1:len(found)-1], "'", ""), ", "))
		return "[" + quote + strings.Join(items, quote+", "+quote) + quote + "]"
	})
	text = alternatives.ReplaceAllStringFunc(text, func(found string) string {
		part := alternatives.FindStringSubmatch(found)
		return part[1] + strings.Join(n.complete(strings.Split(part[2], "|")), "|") + part[3]
	})
	return pairs.ReplaceAllStringFunc(text, n.pair)
}

// complete replaces the kinds of a list, if it has one, by all kinds, and its classes likewise.
func (n names) complete(items []string) (all []string) {
	for _, group := range [][]string{n.kinds, n.classes} {
		at := slices.IndexFunc(items, func(item string) bool { return slices.Contains(group, item) })
		if at < 0 {
			continue
		}
		items = slices.DeleteFunc(items, func(item string) bool { return slices.Contains(group, item) })
		items = slices.Insert(items, at, group...)
	}
	return items
}

// pair makes a map of kinds and their classes, in the direction of the one that was found. Other maps stay.
func (n names) pair(found string) string {
	var toClass, toKind []string
	for _, k := range n.kinds {
		if class, has := n.classOf[k]; has {
			toClass = append(toClass, fmt.Sprintf("'%s': '%s'", k, class))
			toKind = append(toKind, fmt.Sprintf("'%s': '%s'", class, k))
		}
	}
	for _, all := range [][]string{toClass, toKind} {
		if slices.ContainsFunc(all, func(pair string) bool { return strings.Contains(found, pair) }) {
			return "{" + strings.Join(all, ", ") + "}"
		}
	}
	return found
}
