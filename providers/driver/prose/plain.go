package prose

import (
	"strings"
	"unicode"
)

// Plain returns a text as people may be shown it: in one line, and without characters that are not seen but change what is. Texts have values of specs and
// words of clouds in them, which anybody may have written: a line break could forge a line of a log or of a description, an escape sequence could rewrite the
// terminal, and a change of direction the rest of the line. The log, Events, conditions, and what admission answers go through here, where they leave
// Mooring. Values in the rest of a status stay as they are.
func Plain(text string) string {
	if isPlain(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ") // U+0085, U+2028 and U+2029 are white space too
}

// isPlain reports whether a text surely stays as it is.
func isPlain(text string) bool {
	space := true // at the beginning too
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && space, c < ' ', c > '~':
			return false
		default:
			space = c == ' '
		}
	}
	return text == "" || !space
}
