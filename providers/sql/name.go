package sql

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hashed is how many characters of a hash stand in for the part of a name that is cut off.
const hashed = 8

// Suffixed returns a name with a suffix within a limit of bytes. A name that is too long is cut, and a hash of all of
// it stands before the suffix, so that two names never become one. The rule is frozen: roles on servers have these
// names.
func Suffixed(name, suffix string, limit int) string {
	if len(name)+len(suffix) <= limit {
		return name + suffix
	}
	hash := sha256.Sum256([]byte(name))
	room := limit - len(suffix) - hashed - 1
	for room > 0 && !utf8.RuneStart(name[room]) {
		room--
	}
	return name[:room] + "_" + hex.EncodeToString(hash[:])[:hashed] + suffix
}

// Alternate returns the names of the two logins of a user whose passwords alternate.
func Alternate(username string, limit int) (a, b string) {
	return Suffixed(username, "_a", limit), Suffixed(username, "_b", limit)
}

// CheckName refuses a name that is no identifier of any engine: empty, too long, not UTF-8, or with control characters.
// All others are data: statements quote them.
func CheckName(what, name string, limit int) error {
	switch {
	case name == "":
		return Invalid("the name of a %s is empty", what)
	case len(name) > limit:
		return Invalid("the name of a %s has at most %d bytes: %q has %d", what, limit, name, len(name))
	case !utf8.ValidString(name), strings.ContainsFunc(name, func(c rune) bool { return unicode.IsControl(c) || c == utf8.RuneError }):
		return Invalid("the name of a %s has no control characters and is UTF-8: %q is not so", what, name)
	case strings.TrimSpace(name) != name:
		return Invalid("the name of a %s neither begins nor ends with a space: %q does", what, name)
	}
	return nil
}
