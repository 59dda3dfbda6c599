package localcloud

import (
	"encoding/base32"
	"regexp"
)

// tagText is what keys and values of tags are made of.
var tagText = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)

// base32ID returns an id of letters and digits, as many as length says, from a seed that is long enough.
func base32ID(seed []byte, length int) string {
	return base32.StdEncoding.EncodeToString(seed)[:length]
}
