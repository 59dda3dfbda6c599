package admission

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// What the API server shows of warnings. Once those of a request have more than 4096 characters together, it cuts each to 256, and drops
// what is over 4096 even so. A part is left to policies, which warn of the same request.
// https://github.com/kubernetes/apiserver/blob/master/pkg/endpoints/filters/warning.go
const (
	longestWarning = 256
	allWarnings    = 4096 - 2*longestWarning
	// longestName is how much of a namespace and a name a warning begins with, in bytes: most are much shorter.
	longestName = 60
)

// subject says which object a request is about, as warnings begin: kubectl shows equal warnings of one command once, so without it nobody knew of which of many objects.
func subject(req admission.Request, object client.Object) string {
	name := req.Name
	if name == "" && object != nil { // one of a collection, or one of which the API server chooses the rest of the name
		name = cmp.Or(object.GetName(), object.GetGenerateName()+"…")
	}
	if req.Namespace != "" && !ofNamespace(req) { // which is said to be in itself
		name = req.Namespace + "/" + name
	}
	return req.Kind.Kind + " " + prose.Shorten(name, longestName)
}

// ofNamespace reports whether a request is about a namespace itself.
func ofNamespace(req admission.Request) bool {
	return req.Kind.Group == "" && req.Kind.Kind == "Namespace"
}

// fit returns warnings of an object as the API server shows them, the first ones whole: each cut to what it shows, and as many as it shows. The last
// one says how many are left out. The API server drops a warning with a control character or with invalid UTF-8 without a word.
func fit(of string, warnings []string) []string {
	var whole []string
	total := 0
	for _, w := range warnings {
		if w = prose.Plain(w); w != "" {
			whole = append(whole, of+": "+shortened(w, longestWarning))
			total += utf8.RuneCountInString(whole[len(whole)-1])
		}
	}
	if total <= allWarnings { // then it cuts none
		return whole
	}
	left := allWarnings
	for i := range whole {
		whole[i] = shortened(whole[i], longestWarning)
		if left -= utf8.RuneCountInString(whole[i]); left < 0 {
			return append(whole[:i], fmt.Sprintf("%s: %d more warnings are left out", of, len(whole)-i))
		}
	}
	return whole
}

func shortened(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
