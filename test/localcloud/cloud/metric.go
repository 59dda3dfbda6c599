package cloud

import "time"

// MetricDelay is how long a service takes to show a value of a metric, which usually takes it so long.
func (c *Shared) MetricDelay(usual time.Duration) time.Duration {
	if c.Options.MetricDelay != 0 {
		return max(0, c.Options.MetricDelay)
	}
	return usual
}

// A ReplicaLag is how far a replica lags behind, in seconds: the newest value first, over and over. That of a replica for which nobody set any is 0.
type ReplicaLag []float64

// At returns the lag a number of minutes before the newest value.
func (l ReplicaLag) At(minute int) float64 {
	if len(l) == 0 {
		return 0
	}
	return l[minute%len(l)]
}
