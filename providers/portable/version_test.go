package portable_test

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/portable"
)

func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		want, have string
		serves     bool
	}{
		{"16", "16", true},
		{"16", "16.4", true},
		{"16.3", "16.3", true},
		{"16.3", "16.4", true},
		{"16.3", "16.10", true},
		{"16.4", "16.3", false},
		{"16.10", "16.9", false},
		{"16", "17.1", false},
		{"17", "16.9", false},
		{"1", "16", false},
		{"16.1", "16.10", true}, // newer, not a prefix
		{"8.0", "8.0.36", true},
		{"8.0.35", "8.0.36", true},
		{"8.0.36", "8.0.35", false},
		{"8.0", "8.4.3", false},
		{"8.4", "8.0.36", false},
		{"8", "8.4.3", true},
		{"5.7", "5.7.44", true},
		// Releases of Extended Support.
		{"8.0", "8.0.46-rds.20260908", true},
		{"8.0.46", "8.0.46-rds.20260908", true},
		{"8.0.40", "8.0.46-rds.20260908", true},
		{"8.0.47", "8.0.46-rds.20260908", false},
		{"8.0.46-rds.20260908", "8.0.46-rds.20260908", true},
		{"8.0.46-rds.20260908", "8.0.46-rds.20270108", true},
		{"8.0.46-rds.20260908", "8.0.46", false},
		{"8.0.46-rds.20260908", "8.4.6", false},
		{"13", "13.23-rds.20260224", true},
		{"13.20", "13.23-rds.20260224", true},
		{"13.23", "13.23-rds.20260224", true},
		{"5.7.44", "5.7.44-rds.20260902", true},
		{"13.4", "13.4-R1", true},
	} {
		if got := portable.VersionServes("", tt.want, tt.have); got != tt.serves {
			t.Errorf("VersionServes(%q, %q) = %t", tt.want, tt.have, got)
		}
	}
	for version, major := range map[string]string{"16": "16", "16.3": "16", "10.1": "10", "8.0": "8.0", "8.0.36": "8.0", "5.7.44": "5.7", "8": "8", "": "", "13.23-rds.20260224": "13", "8.0.46-rds.20260908": "8.0"} {
		if got := portable.MajorVersion("", version); got != major {
			t.Errorf("MajorVersion(%q) = %q, want %q", version, got, major)
		}
	}
}

// The major versions of MariaDB have two numbers, also from 10 on.
func TestVersionsOfMariaDB(t *testing.T) {
	for _, tt := range []struct {
		want, have string
		serves     bool
	}{
		{"10.11", "10.11.8", true},
		{"10.11.6", "10.11.8", true},
		{"10.11.8", "10.11.8.R2.20240701", true},
		{"10.11.8", "10.11.6", false},
		{"10.6", "10.11.8", false},
		{"11.4", "11.8.3", false},
		{"11.8", "11.4.5", false},
	} {
		if got := portable.VersionServes(v1alpha1.EngineMariaDB, tt.want, tt.have); got != tt.serves {
			t.Errorf("VersionServes(mariadb, %q, %q) = %t", tt.want, tt.have, got)
		}
	}
	for version, major := range map[string]string{"10.11": "10.11", "10.11.8": "10.11", "11.4.5": "11.4", "10.11.5.R2.20231201": "10.11", "10": "10"} {
		if got := portable.MajorVersion(v1alpha1.EngineMariaDB, version); got != major {
			t.Errorf("MajorVersion(mariadb, %q) = %q, want %q", version, got, major)
		}
	}
}

func FuzzVersions(f *testing.F) {
	f.Add("16", "16.3", "17")
	f.Add("8.0", "8.0.36", "8.4")
	f.Add("", ".", "..1")
	f.Add("8.0.46", "8.0.46-rds.20260908", "8.0.46-rds")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if !portable.VersionServes("", a, a) || !portable.VersionServes(v1alpha1.EngineMariaDB, a, a) {
			t.Errorf("%q does not serve itself", a)
		}
		if portable.CompareVersions(a, b) != -portable.CompareVersions(b, a) {
			t.Errorf("comparing %q and %q depends on the order", a, b)
		}
		if portable.CompareVersions(a, b) <= 0 && portable.CompareVersions(b, c) <= 0 && portable.CompareVersions(a, c) > 0 {
			t.Errorf("%q, %q, %q have no order", a, b, c)
		}
	})
}
