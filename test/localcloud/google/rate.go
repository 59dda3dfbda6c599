package google

import (
	"net/http"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// gcpRates enforces the request rates that Google Cloud publishes, by token buckets on the cloud's clock.
type gcpRates struct {
	buckets map[string]*tokenBucket
}

// A tokenBucket gets a token each interval, up to a burst.
type tokenBucket struct {
	tokens float64
	filled time.Time
}

func (t *tokenBucket) take(now time.Time, interval time.Duration, burst float64) bool {
	if elapsed := now.Sub(t.filled); elapsed > 0 {
		t.tokens = min(burst, t.tokens+elapsed.Seconds()/interval.Seconds())
		t.filled = now
	}
	if t.tokens < 1 {
		return false
	}
	t.tokens--
	return true
}

// admit refuses a call that comes too soon after others.
func (g *Endpoint) admit(r *Request, call *traffic.Call) error {
	switch {
	case call.Service == "sqladmin":
		if !g.rates.take(r, "sql "+r.Caller.ID, time.Minute/180, 180) {
			return g.failing(traffic.Fault{Kind: traffic.Throttled}, *call)
		}
	case call.Operation == "buckets.insert" || call.Operation == "buckets.delete":
		if !g.rates.take(r, "project "+r.Caller.ID, 2*time.Second, 1) {
			return Err(http.StatusTooManyRequests, "rateLimitExceeded", "The project exceeded the rate limit for creating and deleting buckets.")
		}
	case call.Write && call.Service == "storage" && call.Operation[:len("buckets.")] == "buckets.":
		if !g.rates.take(r, "bucket "+call.Resource, time.Second, 1) {
			return Err(http.StatusTooManyRequests, "rateLimitExceeded", "The bucket "+call.Resource+" exceeded the rate limit for bucket metadata update operations.")
		}
	}
	return nil
}

func (g *gcpRates) take(r *Request, key string, interval time.Duration, burst float64) bool {
	if g.buckets == nil {
		g.buckets = map[string]*tokenBucket{}
	}
	t := g.buckets[key]
	if t == nil {
		t = &tokenBucket{tokens: burst, filled: r.Now}
		g.buckets[key] = t
	}
	return t.take(r.Now, interval, burst)
}
