package amazon

import (
	"encoding/base32"
	"regexp"
)

// TagText is what keys and values of tags are made of.
var TagText = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)

// Base32ID returns an id of letters and digits, as many as length says, from a seed that is long enough.
func Base32ID(seed []byte, length int) string {
	return base32.StdEncoding.EncodeToString(seed)[:length]
}
