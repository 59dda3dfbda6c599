package main

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A commit is one that changes the API.
type commit struct {
	hash, subject string
	// fields and kinds are those that it adds.
	fields, kinds []string
	// files are those that it touches and that people write.
	files []string
}

// header begins the line of a commit in a log with patches, in which all other lines begin otherwise.
const header = "\x01"

var (
	// typesFile is a file of the API's types, whose lines follow in a patch.
	typesFile = regexp.MustCompile(`^diff --git a/\S+ b/(apis/\S+\.go)$`)
	jsonName  = regexp.MustCompile("^[+-]\t[A-Z]\\w* .*`json:\"(\\w+)[,\"]")
	resource  = regexp.MustCompile(`^\+// \+kubebuilder:resource:`)
	// typeName is the first type after the marker of a resource.
	typeName = regexp.MustCompile(`^\+type (\w+) struct`)
)

// parse reads a log with patches. A name that the commit takes away elsewhere is moved, and not added.
func parse(patches string) (all []commit) {
	for part := range strings.SplitSeq(patches, header) {
		first, patch, found := strings.Cut(part, "\n")
		hash, subject, is := strings.Cut(first, "\t")
		if !found || !is {
			continue
		}
		c := commit{hash: hash, subject: subject}
		c.fields, c.kinds = added(patch)
		all = append(all, c)
	}
	return all
}

// added returns the fields and kinds that a patch adds to the API's types.
func added(patch string) (fields, kinds []string) {
	plus, minus := map[string]bool{}, map[string]bool{}
	types, marked := false, false
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "diff --git ") {
			file := typesFile.FindStringSubmatch(line)
			types, marked = file != nil && !generated(file[1]) && !strings.HasSuffix(file[1], "_test.go"), false
			continue
		}
		if !types {
			continue
		}
		if name := jsonName.FindStringSubmatch(line); name != nil {
			side := plus
			if line[0] == '-' {
				side = minus
			}
			side[name[1]] = true
		}
		marked = marked || resource.MatchString(line)
		if name := typeName.FindStringSubmatch(line); name != nil && marked {
			kinds, marked = append(kinds, name[1]), false
		}
	}
	maps.DeleteFunc(plus, func(name string, _ bool) bool { return minus[name] })
	return slices.Sorted(maps.Keys(plus)), kinds
}

// written are the files in generated folders that people write.
var written = []string{"charts/mooring/files/dashboard.json", "charts/mooring/files/rules.yaml", "docs/reference/logs.md"}

// recorded is what tests write by a flag, beside golden files.
var recorded = regexp.MustCompile(`^providers/\w+/testdata/|^test/upstream/recorded\.txt$`)

// generated reports whether a program writes a file.
func generated(file string) bool {
	switch {
	case slices.Contains(written, file):
		return false
	case strings.HasPrefix(path.Base(file), "zz_generated"), strings.Contains(file, "/testdata/golden/"), recorded.MatchString(file), strings.HasSuffix(file, "go.sum"), path.Base(file) == "go.work.sum":
		return true
	case strings.HasPrefix(file, "config/crd/") || strings.HasPrefix(file, "charts/mooring/files/"):
		return path.Ext(file) != ".go"
	case file == "config/rbac/role.yaml", file == "charts/mooring/README.md", strings.HasPrefix(file, "docs/reference/") && path.Ext(file) == ".md":
		return true
	default:
		return false
	}
}

// byHand returns the files that people write.
func byHand(files []string) []string { return slices.DeleteFunc(files, generated) }

// folders counts files by their folder: those of two storeys where the first holds others, such as providers/aws.
func folders(files []string) string {
	counts := map[string]int{}
	for _, file := range files {
		parts := strings.Split(path.Dir(file), "/")
		counts[strings.Join(parts[:min(2, len(parts))], "/")]++
	}
	var said []string
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		said = append(said, fmt.Sprintf("%s %d", folder, counts[folder]))
	}
	return strings.Join(said, ", ")
}
