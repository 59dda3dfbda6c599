package portable

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

func TestRetentionEffect(t *testing.T) {
	for _, tt := range []struct {
		name   string
		from   *int32
		to     int32
		effect driver.Effect
		why    string
	}{
		{"longer", new(int32(7)), 14, driver.Online, ""},
		{"the same", new(int32(7)), 7, driver.Online, ""},
		{"switched on", new(int32(0)), 7, driver.Online, ""},
		{"from what is not known", nil, 0, driver.Online, ""},
		{"shorter", new(int32(7)), 3, driver.LosesBackups, "restore points older than 3 days are deleted"},
		{"a single day", new(int32(7)), 1, driver.LosesBackups, "restore points older than 1 day are deleted"},
		{"switched off", new(int32(7)), 0, driver.LosesBackups, "automatic backups end, and with them the restore to a point in time"},
	} {
		if effect, why := BackupRetentionEffect(tt.from, tt.to); effect != tt.effect || why != tt.why {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, effect, why, tt.effect, tt.why)
		}
	}
}
