package sql

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func TestVersionName(t *testing.T) {
	for _, tt := range []struct {
		engine  v1alpha1.Engine
		version string
		want    string
	}{
		{v1alpha1.EnginePostgres, "16", "POSTGRES_16"},
		{v1alpha1.EnginePostgres, "16.3", "POSTGRES_16"},
		{v1alpha1.EnginePostgres, "9.6.24", "POSTGRES_9_6"},
		{v1alpha1.EngineMySQL, "8.0", "MYSQL_8_0"},
		{v1alpha1.EngineMySQL, "8.0.36", "MYSQL_8_0_36"},
		{v1alpha1.EngineMySQL, "8.4", "MYSQL_8_4"},
		{v1alpha1.EngineMySQL, "8", ""},
		{v1alpha1.EnginePostgres, "", ""},
		{v1alpha1.EnginePostgres, "16.", ""},
		{v1alpha1.EnginePostgres, "sixteen", ""},
		{"oracle", "16", ""},
	} {
		if got, err := versionName(tt.engine, tt.version); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("versionName(%s, %q) = %q, %v; want %q", tt.engine, tt.version, got, err, tt.want)
		}
	}
}

func FuzzSplitVersion(f *testing.F) {
	for _, name := range []string{"POSTGRES_16", "POSTGRES_9_6", "MYSQL_8_0_36", "SQLSERVER_2022_WEB", "POSTGRES_", "MYSQL_8__0", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		engine, version := splitVersion(name)
		if (engine == "") != (version == "") {
			t.Errorf("%q: engine %q, version %q", name, engine, version)
		}
		if engine == v1alpha1.EngineMySQL && len(version) > 2 {
			if back, err := versionName(engine, version); err == nil && back != name {
				t.Errorf("%q became %q", name, back)
			}
		}
	})
}

// Only a newer major version is checked before an upgrade, and a read replica has the version of its primary.
func TestMajorWanted(t *testing.T) {
	for _, tt := range []struct{ has, primary, wants, want string }{
		{"POSTGRES_16", "", "17", "POSTGRES_17"},
		{"POSTGRES_16", "", "17.2", "POSTGRES_17"},
		{"POSTGRES_16", "", "16", ""},
		{"POSTGRES_16", "", "15", ""},
		{"POSTGRES_16", "", "", ""},
		{"POSTGRES_16", "acme:orders", "17", ""},
		{"MYSQL_8_0_36", "", "8.0.39", ""},
		{"MYSQL_8_0_36", "", "8.4", "MYSQL_8_4"},
		{"MYSQL_8_0", "", "9", ""}, // which is refused as such
		{"SQLSERVER_2022", "", "17", ""},
	} {
		spec := databaseParameters{}
		if tt.wants != "" {
			spec.Version = &tt.wants
		}
		have := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{DatabaseVersion: tt.has, MasterInstanceName: tt.primary}}
		if got := majorWanted(&spec, have); got != tt.want {
			t.Errorf("of %s, which follows %q, with %q wanted: %q, want %q", tt.has, tt.primary, tt.wants, got, tt.want)
		}
	}
}
