package localcloud

import "time"

// metricDelay is how long a service takes to show a value of a metric, which usually takes it so long.
func (c *Shared) metricDelay(usual time.Duration) time.Duration {
	if c.opts.MetricDelay != 0 {
		return max(0, c.opts.MetricDelay)
	}
	return usual
}

// A replicaLag is how far a replica lags behind, in seconds: the newest value first, over and over. That of a replica for which nobody set any is 0.
type replicaLag []float64

func (l replicaLag) at(minute int) float64 {
	if len(l) == 0 {
		return 0
	}
	return l[minute%len(l)]
}
