package mysql

import (
	"encoding/hex"
	"testing"
)

// The example of an implementation that is not ours: mode 7401 of hashcat.
// https://hashcat.net/wiki/doku.php?id=example_hashes
func TestVerifierOfMySQL(t *testing.T) {
	salt, err := hex.DecodeString("F9CC98CE08892924F50A213B6BC571A2C11778C5")
	if err != nil {
		t.Fatal(err)
	}
	digest, err := hex.DecodeString("625479393559393965414D45316477456B484F41316E64484742577A2E3162785353526B7554584647562F")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sha2Verifier("hashcat", salt), "$A$005$"+string(salt)+string(digest); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVerifierOfMariaDB(t *testing.T) {
	got, err := NativeVerifier("password")
	if want := "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestPasswordsThatNoServerTakes(t *testing.T) {
	for _, password := range []string{"", "a\x00b"} {
		if _, err := Verifier(password); err == nil {
			t.Errorf("%q has a verifier", password)
		}
		if _, err := NativeVerifier(password); err == nil {
			t.Errorf("%q has a native verifier", password)
		}
	}
}
