package mysql

import (
	"bytes"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

// NativeVerifier returns what MariaDB checks a password by: mysql_native_password. The password is random where Mooring
// makes it, so that the weakness of the hash does not matter.
func NativeVerifier(password string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	return "*" + strings.ToUpper(hex.EncodeToString(twice[:])), nil
}

// saltLength is that of caching_sha2_password.
const saltLength = 20

// Verifier returns what MySQL 8 checks a password by: caching_sha2_password.
func Verifier(password string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	salt := make([]byte, saltLength)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	for i := range salt { // the server's own are so: printable bytes, and no separator
		salt[i] = 'A' + salt[i]%26
	}
	return sha2Verifier(password, salt), nil
}

// sha2Verifier returns the text that mysql.user has: $A$, the number of thousands of rounds, $, the salt and the
// digest.
func sha2Verifier(password string, salt []byte) string {
	return "$A$005$" + string(salt) + crypt(password, salt, 5000)
}

func checkPassword(password string) error {
	if password == "" || strings.ContainsRune(password, 0) {
		return sql.Invalid("the password is empty, or has a zero byte")
	}
	return nil
}

// crypt is the digest of SHA-crypt with SHA-256, with a salt of any length.
// https://www.akkadia.org/drepper/SHA-crypt.txt
func crypt(password string, salt []byte, rounds int) string {
	key := []byte(password)
	digest := func(parts ...[]byte) []byte {
		sum := sha256.Sum256(bytes.Join(parts, nil))
		return sum[:]
	}
	stretch := func(block []byte, length int) []byte {
		return bytes.Repeat(block, length/len(block)+1)[:length]
	}
	second := digest(key, salt, key)
	first := [][]byte{key, salt, stretch(second, len(key))}
	for n := len(key); n > 0; n >>= 1 {
		if n&1 != 0 {
			first = append(first, second)
		} else {
			first = append(first, key)
		}
	}
	current := digest(first...)
	p := stretch(digest(bytes.Repeat(key, len(key))), len(key))
	s := stretch(digest(bytes.Repeat(salt, 16+int(current[0]))), len(salt))
	for i := range rounds {
		var parts [][]byte
		add := func(is bool, yes, no []byte) {
			if is {
				parts = append(parts, yes)
			} else {
				parts = append(parts, no)
			}
		}
		add(i&1 != 0, p, current)
		add(i%3 != 0, s, nil)
		add(i%7 != 0, p, nil)
		add(i&1 != 0, current, p)
		current = digest(parts...)
	}
	return encode(current)
}

// encode is the order and the alphabet of SHA-crypt.
func encode(sum []byte) string {
	const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var text strings.Builder
	put := func(a, b, c byte, n int) {
		for w := uint(a)<<16 | uint(b)<<8 | uint(c); n > 0; n-- {
			text.WriteByte(alphabet[w&63])
			w >>= 6
		}
	}
	for _, at := range [][3]int{{0, 10, 20}, {21, 1, 11}, {12, 22, 2}, {3, 13, 23}, {24, 4, 14}, {15, 25, 5}, {6, 16, 26}, {27, 7, 17}, {18, 28, 8}, {9, 19, 29}} {
		put(sum[at[0]], sum[at[1]], sum[at[2]], 4)
	}
	put(0, sum[31], sum[30], 3)
	return text.String()
}
