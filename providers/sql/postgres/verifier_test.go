package postgres

import (
	"encoding/base64"
	"strings"
	"testing"
)

// The verifier of the example in RFC 7677, whose messages prove it: the server signs with ServerKey, and checks the
// client by StoredKey.
func TestVerifierOfRFC7677(t *testing.T) {
	t.Parallel()
	salt, err := base64.StdEncoding.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ==")
	if err != nil {
		t.Fatal(err)
	}
	got, err := verifier("pencil", salt, 4096)
	if want := "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// What clients prepare differently is refused, and what they leave alone is not.
func TestPasswordsThatClientsAgreeOn(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "it's \\ \"quoted\" $%", "Grüße", "日本語"} {
		if err := checkPassword(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "a\nb", "a\x00b", "ﬁ", "e\u0301", "a\u00a0b", "a\u00adb", "Ⅳ", "a\xff", "ｗｉｄｅ", "a\u200bb"} {
		err := checkPassword(bad)
		if err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
