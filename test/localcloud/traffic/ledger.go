package traffic

import (
	"sync"
	"time"
)

// A Call is one request that reached the local cloud, as the ledger keeps it.
type Call struct {
	Time      time.Time     `json:"time"`
	Took      time.Duration `json:"took"`
	Service   string        `json:"service"`            // s3, rds, sts, secretsmanager, cloudwatch, storage, sqladmin, monitoring, token, iamcredentials
	Operation string        `json:"operation"`          // the cloud's own name: CreateBucket, DescribeDBInstances, buckets.patch
	Account   string        `json:"account,omitempty"`  // AWS account id or Google project
	Resource  string        `json:"resource,omitempty"` // bucket or instance name
	Caller    string        `json:"caller,omitempty"`   // AWS: the ARN of who signed the call; Google Cloud: the email or principal
	Key       string        `json:"key,omitempty"`      // the id of the user's or service account's key that the caller's identity began with; empty if it began with a token of an issuer
	Region    string        `json:"region,omitempty"`   // AWS: the region that the signature is for
	Write     bool          `json:"write"`
	Status    int           `json:"status"`          // HTTP status; 0 when the caller got no response
	Code      string        `json:"code,omitempty"`  // the cloud's error code
	Fault     FaultKind     `json:"fault,omitempty"` // the fault that was injected, if any
	Committed bool          `json:"committed"`       // the service acted on it, whatever the caller saw
	// Disrupts is what the call does at once to those who use a server, in a word: restart, stop, failover or the parameter that takes it down; empty if nothing. What
	// waits for a maintenance window of the cloud is none.
	Disrupts string `json:"disrupts,omitempty"`
	// RequestID is what the answer named the request; empty if it did not, or when the caller got none.
	RequestID string `json:"requestID,omitempty"`
	// Tags are those of the session that the caller has in AWS.
	Tags map[string]string `json:"tags,omitempty"`
}

// Side says which calls a Filter selects.
type Side int

// The values of Side.
const (
	Any Side = iota
	Reads
	Writes
)

// A Filter selects calls; a zero field selects all.
type Filter struct {
	Service   string
	Operation string
	Account   string
	Resource  string
	Write     Side
}

func (f Filter) matches(c *Call) bool {
	return (f.Service == "" || f.Service == c.Service) &&
		(f.Operation == "" || f.Operation == c.Operation) &&
		(f.Account == "" || f.Account == c.Account) &&
		(f.Resource == "" || f.Resource == c.Resource) &&
		(f.Write == Any || (f.Write == Writes) == c.Write)
}

// A Ledger keeps every call in the order of completion. It is safe for concurrent use.
type Ledger struct {
	mu    sync.Mutex
	calls []*Call
	// byAccount, byResource and byOperation are the calls of each: tests ask often, and about one of hundreds.
	byAccount, byResource map[string][]*Call
	byOperation           map[operationOn][]*Call
	// sums are how many calls there are of each service and side, which tests count before and after each step.
	sums map[sum]int
}

// An operationOn is an operation on a resource.
type operationOn struct{ operation, resource string }

// A sum counts the calls of a service that write, or those that read.
type sum struct {
	service string
	write   bool
}

// Calls returns a copy of the calls that f selects.
func (l *Ledger) Calls(f Filter) []Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Call
	for _, c := range l.among(f) {
		if f.matches(c) {
			out = append(out, *c)
		}
	}
	return out
}

// Disruptions returns what each call that the cloud acted on did at once to those who use a server, in their order.
func (l *Ledger) Disruptions() (all []string) {
	for _, c := range l.Calls(Filter{Write: Writes}) {
		if c.Committed && c.Disrupts != "" {
			all = append(all, c.Operation+" ("+c.Disrupts+")")
		}
	}
	return all
}

// Count returns how many calls f selects.
func (l *Ledger) Count(f Filter) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f == (Filter{Service: f.Service, Write: f.Write}) {
		for of, calls := range l.sums {
			if f.matches(&Call{Service: of.service, Write: of.write}) {
				n += calls
			}
		}
		return n
	}
	for _, c := range l.among(f) {
		if f.matches(c) {
			n++
		}
	}
	return n
}

// among returns the calls among which those are that f selects. It is called with mu held.
func (l *Ledger) among(f Filter) []*Call {
	switch {
	case f.Resource != "" && f.Operation != "":
		return l.byOperation[operationOn{f.Operation, f.Resource}]
	case f.Resource != "":
		return l.byResource[f.Resource]
	case f.Account != "":
		return l.byAccount[f.Account]
	default:
		return l.calls
	}
}

// Reset forgets all calls.
func (l *Ledger) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls, l.byAccount, l.byResource, l.byOperation, l.sums = nil, nil, nil, nil, nil
}

// Record adds a call.
func (l *Ledger) Record(c Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.byAccount, l.byResource = map[string][]*Call{}, map[string][]*Call{}
		l.byOperation, l.sums = map[operationOn][]*Call{}, map[sum]int{}
	}
	l.calls = append(l.calls, &c)
	l.sums[sum{c.Service, c.Write}]++
	l.byAccount[c.Account] = append(l.byAccount[c.Account], &c)
	l.byResource[c.Resource] = append(l.byResource[c.Resource], &c)
	of := operationOn{c.Operation, c.Resource}
	l.byOperation[of] = append(l.byOperation[of], &c)
}
