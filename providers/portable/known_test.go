package portable

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

func TestUnknownLocation(t *testing.T) {
	known := driver.Known{Locations: []string{"ap-south-1", "eu-west-1", "eu-west-2", "eu-west-3", "us-east-1"}}
	for location, want := range map[string]string{
		"eu-west-1": "", "EU-WEST-1": "",
		"eu-west-7":                   "is not a region of Amazon RDS that this release knows (nearest: eu-west-1, eu-west-2, eu-west-3); if it is a newer one, ignore this warning",
		"us-eest-1":                   "(nearest: us-east-1, eu-west-1",
		"somewhere-else-altogether-1": "knows; if it is a newer one",
	} {
		if got := UnknownLocation(known, location, "Amazon RDS"); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", location, got, want)
		}
	}
	if got := UnknownLocation(driver.Known{}, "eu-west-7", "AWS"); got != "" {
		t.Errorf("nobody knows any, and it says %q", got)
	}
}

func TestUnknownVersion(t *testing.T) {
	known := driver.Known{Versions: map[string][]string{"postgres": {"9.6", "10", "16", "17", "18"}, "mysql": {"8.0", "8.4"}}}
	for _, tt := range []struct {
		engine  v1alpha1.Engine
		version string
		want    string
	}{
		{v1alpha1.EnginePostgres, "16", ""},
		{v1alpha1.EnginePostgres, "16.3", ""},
		{v1alpha1.EnginePostgres, "99", "is not a major version of postgres in Amazon RDS that this release knows (nearest: 16, 17, 18); if it is a newer one, ignore this warning"},
		{v1alpha1.EnginePostgres, "9.5", "(nearest: 9.6, 10, 16)"},
		{v1alpha1.EnginePostgres, "12.4", "(nearest: 9.6, 10, 16)"},
		{v1alpha1.EngineMySQL, "8", ""},
		{v1alpha1.EngineMySQL, "8.0.46-rds.20260908", ""},
		{v1alpha1.EngineMySQL, "8.2", "(nearest: 8.0, 8.4)"},
		{v1alpha1.EngineMariaDB, "99.1", ""}, // of which nobody knows any
	} {
		if got := UnknownVersion(known, tt.engine, tt.version, "Amazon RDS"); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.engine, tt.version, got, tt.want)
		}
	}
}
