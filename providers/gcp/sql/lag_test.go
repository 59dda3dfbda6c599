package sql

import (
	"testing"
	"time"

	"google.golang.org/api/monitoring/v3"
)

func TestLagIn(t *testing.T) {
	point := func(at string, seconds float64) *monitoring.Point {
		return &monitoring.Point{Interval: &monitoring.TimeInterval{EndTime: at}, Value: &monitoring.TypedValue{DoubleValue: &seconds}}
	}
	const before, now = "2026-03-02T12:00:00Z", "2026-03-02T12:01:00.5Z"
	for name, tt := range map[string]struct {
		series [][]*monitoring.Point
		want   *time.Duration
	}{
		"no series":                {nil, nil},
		"no points":                {[][]*monitoring.Point{{}}, nil},
		"up to date":               {[][]*monitoring.Point{{point(now, 0)}}, new(time.Duration(0))},
		"fractions":                {[][]*monitoring.Point{{point(now, 7.5)}}, new(7500 * time.Millisecond)},
		"the newest":               {[][]*monitoring.Point{{point(now, 60), point(before, 3600)}}, new(time.Minute)},
		"the newest, in any order": {[][]*monitoring.Point{{point(before, 3600), point(now, 60)}}, new(time.Minute)},
		"the newest of two":        {[][]*monitoring.Point{{point(before, 3600)}, {point(now, 60)}}, new(time.Minute)},
		"it repeats nothing":       {[][]*monitoring.Point{{point(now, -1), point(before, 5)}}, nil},
		"it repeats again":         {[][]*monitoring.Point{{point(now, 5), point(before, -1)}}, new(5 * time.Second)},
		"no number":                {[][]*monitoring.Point{{{Interval: &monitoring.TimeInterval{EndTime: now}, Value: &monitoring.TypedValue{}}, {}}}, nil},
		"no time":                  {[][]*monitoring.Point{{point("now", 5)}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var all []*monitoring.TimeSeries
			for _, points := range tt.series {
				all = append(all, &monitoring.TimeSeries{Points: points})
			}
			if got := lagIn(all); (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
