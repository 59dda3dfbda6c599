package class

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// corrects matches what a refusal says is to be corrected: other fields that its text names may be a way out, and not what is refused.
var corrects = regexp.MustCompile(`\bcorrect ([^:;(]*)`)

// specField is a field of the spec as messages name it.
var specField = regexp.MustCompile(`\bspec\.([a-z][A-Za-z0-9]*(?:\.[a-z][A-Za-z0-9]*)*)`)

// Origin returns, for a message, which of the fields of a refusal have their value from the class, and who can change
// it. A user can't correct these fields in the object. fields are the fields that the refusal depends on. Without
// fields, they are taken from the text of the refusal. It returns an empty text if no field comes from the class.
func (r *Resolution) Origin(refusal string, fields []string) string {
	if r == nil || r.Name == "" {
		return ""
	}
	if len(fields) == 0 {
		for _, part := range corrects.FindAllStringSubmatch(refusal, -1) {
			for _, named := range specField.FindAllStringSubmatch(part[1], -1) {
				fields = append(fields, named[1])
			}
		}
	}
	e := r.Effective
	var said []string
	for _, layer := range []struct {
		gives     Tree
		who, does string
	}{
		{e.Enforced, fmt.Sprintf("class %q enforces", r.Name), "ask your platform team to change the class"},
		{e.Sized, fmt.Sprintf("size %s of class %q sets", e.Size, r.Name), "choose another size, or ask your platform team to change the class"},
		{e.Defaults, fmt.Sprintf("class %q sets", r.Name), "set it in this object, or ask your platform team to change the class"},
	} {
		if given := r.givenIn(layer.gives, refusal, fields); len(given) > 0 {
			said = append(said, fmt.Sprintf("%s spec.%s: %s", layer.who, strings.Join(given, " and spec."), layer.does))
		}
	}
	return strings.Join(said, "; ")
}

// givenIn returns the fields that a layer of the class gives. Where others give a part of a field too, only the entries count that the refusal names.
func (r *Resolution) givenIn(layer Tree, refusal string, fields []string) []string {
	given := map[string]bool{}
	leaves(layer, func(at path, _ any) {
		for _, field := range fields {
			name := at.String()
			within := strings.HasPrefix(name, field+".")
			switch {
			case name == field, strings.HasPrefix(field, name+"."):
				given[name] = true
			case within && r.wholly(layer, field):
				given[field] = true
			case within && names(refusal, at[len(at)-1]):
				given[name] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(given))
}

// shortestName is how long a name is at least that a text is taken to name: shorter ones are words of the language.
const shortestName = 4

// names reports whether a text has a name as a word of its own.
func names(text, name string) bool {
	between := func(r rune) bool {
		return !strings.ContainsRune("_.-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return len(name) >= shortestName && slices.ContainsFunc(strings.FieldsFunc(text, between), func(word string) bool { return strings.Trim(word, ".-") == name })
}

// wholly reports whether all that the spec says in a field is from one layer of the class.
func (r *Resolution) wholly(layer Tree, field string) bool {
	at := path(strings.Split(field, "."))
	all, _ := get(r.Spec, at)
	own, _ := get(layer, at)
	return same(all, own)
}
