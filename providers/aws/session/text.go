package session

import (
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

var (
	// encodedMessage is the part of a denial that differs every time.
	encodedMessage = regexp.MustCompile(`\s*Encoded authorization failure message:\s*\S+`)
	requestID      = regexp.MustCompile(`(?i)[\s(,;]*\b(request|host) ?id:?\s*[A-Za-z0-9+/=-]+\)?`)
)

// Plain makes AWS's text stable, and one line.
func Plain(text string) string {
	text = requestID.ReplaceAllString(encodedMessage.ReplaceAllString(text, ""), "")
	return strings.Join(strings.Fields(text), " ")
}

// NonEmpty returns nil for an empty text, by which AWS says that there is none.
func NonEmpty(text *string) *string {
	if aws.ToString(text) == "" {
		return nil
	}
	return text
}
