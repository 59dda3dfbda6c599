package admission

import (
	"fmt"
	"unicode/utf8"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What the API server shows of warnings. Once those of a request have more than 4096 characters together, it cuts each to 256, and drops
// what is over 4096 even so. A part is left to policies, which warn of the same request.
// https://github.com/kubernetes/apiserver/blob/master/pkg/endpoints/filters/warning.go
const (
	longestWarning = 256
	allWarnings    = 4096 - 2*longestWarning
	// longestName is how much of a namespace and a name a warning begins with, in bytes: most are much shorter.
	longestName = 80
)

// subject says which object a request is about, as warnings begin: kubectl shows equal warnings of one command once, so without it nobody knew of which of many objects.
func subject(req admission.Request) string {
	name := req.Name
	if name == "" { // generateName: the API server chooses the rest
		name = "(new)"
	}
	if req.Namespace != "" {
		name = req.Namespace + "/" + name
	}
	return req.Kind.Kind + " " + driver.Shortened(name, longestName)
}

// fit returns warnings of an object as the API server shows them, the first ones whole: each cut to what it shows, and as many as it shows. The last
// one says how many are left out. The API server drops a warning with a control character or with invalid UTF-8 without a word.
func fit(of string, warnings []string) []string {
	var shown []string
	left := allWarnings
	for i, w := range warnings {
		if w = driver.Plain(w); w == "" {
			continue
		}
		w = shortened(of + ": " + w)
		if left -= utf8.RuneCountInString(w); left < 0 {
			return append(shown, fmt.Sprintf("%s: %d more warnings are left out", of, len(warnings)-i))
		}
		shown = append(shown, w)
	}
	return shown
}

func shortened(text string) string {
	if utf8.RuneCountInString(text) <= longestWarning {
		return text
	}
	return string([]rune(text)[:longestWarning-1]) + "…"
}
