package rds

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func TestLagIn(t *testing.T) {
	const unknown = -time.Second
	for name, tt := range map[string]struct {
		engine v1alpha1.Engine
		values []float64 // the newest first
		want   time.Duration
	}{
		"no values":                       {v1alpha1.EnginePostgres, nil, unknown},
		"up to date":                      {v1alpha1.EnginePostgres, []float64{0}, 0},
		"fractions":                       {v1alpha1.EnginePostgres, []float64{1.5}, 1500 * time.Millisecond},
		"MySQL: the newest":               {v1alpha1.EngineMySQL, []float64{90, 30, 0}, 90 * time.Second},
		"MariaDB: the newest":             {v1alpha1.EngineMariaDB, []float64{30, 90}, 30 * time.Second},
		"MySQL: it does not repeat":       {v1alpha1.EngineMySQL, []float64{-1, 30}, unknown},
		"MySQL: it repeats again":         {v1alpha1.EngineMySQL, []float64{600, -1}, 600 * time.Second},
		"PostgreSQL: an idle source":      {v1alpha1.EnginePostgres, []float64{240, 180, 120, 60, 2, 290, 230}, 2 * time.Second},
		"PostgreSQL: it lags":             {v1alpha1.EnginePostgres, []float64{900, 840, 780}, 780 * time.Second},
		"PostgreSQL: it does not repeat":  {v1alpha1.EnginePostgres, []float64{-1, 5}, unknown},
		"PostgreSQL: it did not at first": {v1alpha1.EnginePostgres, []float64{70, 60, -1}, 60 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			got := lagIn(tt.engine, tt.values)
			if tt.want == unknown && got != nil || tt.want != unknown && (got == nil || *got != tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
