package driver

import (
	"testing"
)

func TestRetentionEffect(t *testing.T) {
	for _, tt := range []struct {
		name   string
		from   *int32
		to     int32
		effect Effect
		why    string
	}{
		{"longer", new(int32(7)), 14, Online, ""},
		{"the same", new(int32(7)), 7, Online, ""},
		{"switched on", new(int32(0)), 7, Online, ""},
		{"from what is not known", nil, 0, Online, ""},
		{"shorter", new(int32(7)), 3, LosesBackups, "restore points older than 3 days are deleted"},
		{"a single day", new(int32(7)), 1, LosesBackups, "restore points older than 1 day are deleted"},
		{"switched off", new(int32(7)), 0, LosesBackups, "automatic backups end, and with them the restore to a point in time"},
	} {
		if effect, why := RetentionEffect(tt.from, tt.to); effect != tt.effect || why != tt.why {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, effect, why, tt.effect, tt.why)
		}
	}
}
