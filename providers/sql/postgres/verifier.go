package postgres

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mooring-dev/mooring/providers/sql"
)

// iterations is scram_iterations of a server as it comes.
const iterations = 4096

// Verifier returns a SCRAM-SHA-256 verifier of a password, as ALTER ROLE takes it in place of the password (RFC 5802,
// RFC 7677).
func Verifier(password string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	return verifier(password, salt, iterations)
}

func verifier(password string, salt []byte, iterations int) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	mac := func(text string) []byte {
		h := hmac.New(sha256.New, salted)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	stored := sha256.Sum256(mac("Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, encode(salt), encode(stored[:]), encode(mac("Server Key"))), nil
}

// checkPassword refuses a password that clients do not agree on. libpq prepares it by SASLprep (RFC 4013), others by
// PRECIS (RFC 8265), and some not at all. All leave printable ASCII alone, and what is normal in each form of Unicode;
// the rest is refused.
func checkPassword(password string) error {
	if password == "" {
		return sql.Invalid("the password is empty")
	}
	ambiguous := func(c rune) bool {
		return unicode.IsControl(c) || c == unicode.ReplacementChar || c > unicode.MaxASCII && !unicode.In(c, unicode.L, unicode.N, unicode.P, unicode.S)
	}
	if strings.ContainsFunc(password, ambiguous) || !norm.NFKC.IsNormalString(password) || !norm.NFC.IsNormalString(password) {
		return sql.Invalid("the password has control characters, or characters that clients of PostgreSQL encode differently: use printable ASCII characters")
	}
	return nil
}
