package prose

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPlainIsOneLineOfWhatIsSeen(t *testing.T) {
	for given, want := range map[string]string{
		"":                                     "",
		"changed tags.team a -> b":             "changed tags.team a -> b",
		"Größe 5 GiB → 10 GiB, 大":              "Größe 5 GiB → 10 GiB, 大",
		"a\nb\r\nc\vd\fe\tf":                   "a b c d e f",
		"a\u0085b\u2028c\u2029d":               "a b c d",
		" a  b ":                               "a b",
		"a\x00b\x7fc":                          "abc",
		"\x1b[31mred\x1b[0m \x1b]0;title\x07x": "[31mred[0m ]0;titlex",
		"\u009b31mred":                         "31mred",
		"a\u202eb\u2066c\u2069\u200e\u061cd":   "abcd",
		"a\u200bb\ufeffc\u00add\u2060e":        "abcde",
		"a\U000e0041b":                         "ab",
		"a\xffb":                               "a\uFFFDb",
	} {
		if diff := cmp.Diff(want, Plain(given)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", given, diff)
		}
	}
}

// What is plain stays as it is.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{"a b", " a\n\x1b[31mb\u2028", "a\u202eb", "\xff", "a  b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Plain(text)
		if again := Plain(got); again != got {
			t.Errorf("%q becomes %q and then %q", text, got, again)
		}
		hidden := func(r rune) bool {
			return r != ' ' && !unicode.IsGraphic(r) && (unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r))
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
