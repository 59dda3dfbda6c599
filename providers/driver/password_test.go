package driver_test

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

func TestPasswordRule(t *testing.T) {
	rds := driver.PasswordRule{MinLength: 8, MaxLength: 41, ASCII: true, Excluded: `/"@ `}
	sql := driver.PasswordRule{MinLength: 1, MaxLength: 256}
	for _, tt := range []struct {
		name     string
		rule     driver.PasswordRule
		password string
		want     string // part of the answer; empty if the password is good
	}{
		{"no rule", driver.PasswordRule{}, strings.Repeat("x", 900_000) + "\n", ""},
		{"good", rds, "aA1-_'.!", ""},
		{"as Mooring makes them", rds, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[:26], ""},
		{"too short", rds, "seven77", "8 to 41 bytes"},
		{"longest", rds, strings.Repeat("x", 41), ""},
		{"too long", rds, strings.Repeat("x", 42), "8 to 41 bytes"},
		{"bytes count, not characters", sql, strings.Repeat("ü", 129), "1 to 256 bytes"},
		{"a line break at the end", rds, "password\n", "line breaks"},
		{"a line break, not ASCII only", sql, "password\n", "line breaks"},
		{"a zero byte", sql, "pass\x00word", "control characters"},
		{"a letter beyond ASCII", rds, "pässword", "printable ASCII"},
		{"a letter beyond ASCII, allowed", sql, "pässword", ""},
		{"a slash", rds, "with/slash", "must not contain"},
		{"a quote", rds, `with"quote`, "must not contain"},
		{"a space", rds, "with space", "must not contain"},
		{"a space, allowed", sql, "with space", ""},
		{"empty", sql, "", "1 to 256 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.rule.Check(tt.password)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if len(tt.password) > 0 && strings.Contains(got, tt.password) {
				t.Errorf("the password is shown: %q", got)
			}
		})
	}
}

// The rule is that of the spec's engine, or the one for all others.
func TestPasswordOfAnEngine(t *testing.T) {
	r := driver.Resource{Passwords: []driver.PasswordRule{{MaxLength: 128}, {Engines: []string{"mysql", "mariadb"}, MaxLength: 41}}}
	postgres, mysql := v1alpha1.EnginePostgres, v1alpha1.EngineMySQL
	for _, tt := range []struct {
		name string
		spec driver.Spec
		want int
	}{
		{"its own", driver.NewSpec(&databaseParameters{Engine: &mysql}), 41},
		{"another's", driver.NewSpec(&databaseParameters{Engine: &postgres}), 128},
		{"no engine", driver.NewSpec(&databaseParameters{}), 128},
		{"no spec", driver.Spec{}, 128},
	} {
		if got, err := r.Password(tt.spec); err != nil || got.MaxLength != tt.want {
			t.Errorf("%s: got %+v and error %v, want at most %d bytes", tt.name, got, err, tt.want)
		}
	}
	if got, err := (driver.Resource{}).Password(driver.NewSpec(&databaseParameters{Engine: &mysql})); err != nil || got.MaxLength != 0 {
		t.Errorf("a kind without a login: got %+v and error %v, want the zero rule", got, err)
	}
}
