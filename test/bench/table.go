package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"
)

// measured is what was measured of one group.
type measured struct {
	toReady                []time.Duration // sorted
	applyCPU               float64         // milliseconds an object
	applyWrites            float64
	mostWrites             int // by any one object
	applyReads, applyCalls float64
	checkReads, checkCalls float64
	kubernetesReads        float64
	firstReads             float64 // when an object is looked at for the first time after a restart
	kubernetesWrites       float64
	checks, driftWrites    int
	one                    bool // one database was measured
	oneWrites, oneCalls    int
}

// results are all measurements.
type results struct {
	options
	groups          []*group
	byGroup         map[*group]*measured
	bucketsAlone    time.Duration // what the writes of all buckets take alone
	databasesAlone  time.Duration
	bucketsReady    time.Duration
	databasesReady  time.Duration
	restart         time.Duration
	checkCPU        time.Duration
	convergedWrites int
	edits           []time.Duration // sorted
	idle, busy      memory
	answers         int // of the webhook, while objects were created
}

func (r *results) of(g *group) *measured {
	if r.byGroup == nil {
		r.byGroup = map[*group]*measured{}
	}
	if r.byGroup[g] == nil {
		r.byGroup[g] = &measured{}
	}
	return r.byGroup[g]
}

func (r *results) allReady(groups []*group, took time.Duration) {
	if groups[0].isBucket() {
		r.bucketsReady = took
	} else {
		r.databasesReady = took
	}
}

func perObject(d time.Duration, n int) float64 {
	return float64(d) / float64(time.Millisecond) / float64(n)
}

// percentile returns the value below which that share of the sorted times lies.
func percentile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// The targets, on 2 cores.
const (
	mostBucketWrites = 3
	bucketsReadyIn   = 15 * time.Second // for 1,000, where their writes alone take 5 s
	bucketsReadyAs   = 3.0              // times what their writes alone take
	editReachesIn    = time.Second
	mostResident     = 250 << 20 // with 10,000 buckets
	mostIdle         = 80 << 20  // without objects; 60 until the clouds' SDKs grew, whose file takes 50 of it
	mostOwn          = 20 << 20  // of that, without the pages of the program's file
)

// memory is the resident memory of a process in bytes: now, at its highest, and how much of it now is pages of the program's file. The
// kernel drops those when it needs the memory, and reads
// them again. So what a limit has to hold, and what a leak would raise, is the rest.
type memory struct{ now, highest, file int64 }

// mostReads is what a re-check may read: the object, and of a bucket in S3 one declared aspect, its versioning.
var mostReads = map[string]float64{"s3": 2, "storage": 1, "rds": 1, "sqladmin": 1}

// A table is printed with one column a group, one for all, and one for the target.
type table struct {
	w      io.Writer
	groups []*group
	missed bool // a target that holds on any machine
}

func (t *table) line(label string, cells ...string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s", label)
	for i := range len(t.groups) + 1 {
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		fmt.Fprintf(&b, "%14s", cell)
	}
	if len(cells) > len(t.groups)+1 {
		b.WriteString("   " + cells[len(t.groups)+1])
	}
	_, _ = fmt.Fprintln(t.w, strings.TrimRight(b.String(), " "))
}

// row prints a line with a cell for each group that has objects.
func (t *table) row(r *results, label string, cell func(*group, *measured) string, all, target string) {
	var cells []string
	for _, g := range t.groups {
		if g.count == 0 {
			cells = append(cells, "–")
			continue
		}
		cells = append(cells, cell(g, r.of(g)))
	}
	t.line(label, append(cells, all, target)...)
}

// hold judges a target that depends on no machine; try one that does.
func (t *table) hold(ok bool, target string) string {
	if !ok {
		t.missed = true
		return target + ": MISSED"
	}
	return target + ": met"
}

func try(ok bool, target string) string {
	if !ok {
		return target + ": missed on this machine"
	}
	return target + ": met"
}

// print writes the table, and reports whether all targets were met that any machine must meet.
func (r *results) print(w io.Writer) bool {
	t := &table{w: w, groups: r.groups}
	total := r.buckets + r.databases
	var titles, rule []string
	for _, g := range r.groups {
		titles, rule = append(titles, g.title), append(rule, "-----")
	}
	t.line(fmt.Sprintf("%d processors, %s", runtime.NumCPU(), runtime.Version()), append(titles, "all", "target")...)
	t.line("", append(rule, "---", "------")...)
	t.row(r, "objects", func(g *group, _ *measured) string { return fmt.Sprint(g.count) }, fmt.Sprint(total), "")
	r.printOne(t)
	r.printApply(t)
	r.printChecks(t)
	r.printMemory(t, total)
	return !t.missed
}

func (r *results) printApply(t *table) {
	everyone := r.all(func(m *measured) []time.Duration { return m.toReady })
	t.line("from apply to Ready")
	t.row(r, "  half of them within", func(_ *group, m *measured) string { return seconds(percentile(m.toReady, 0.5)) },
		seconds(percentile(everyone, 0.5)), "")
	t.row(r, "  99 of 100 within", func(_ *group, m *measured) string { return seconds(percentile(m.toReady, 0.99)) },
		seconds(percentile(everyone, 0.99)), "")
	t.line("  the writes of all buckets alone", "", "", "", "", seconds(r.bucketsAlone))
	limit := bucketsReadyIn * time.Duration(max(1000, r.buckets)) / 1000
	t.line("  all buckets, from the first apply", "", "", "", "", seconds(r.bucketsReady),
		try(r.bucketsReady <= limit, "at most "+seconds(limit)))
	as := float64(r.bucketsReady) / float64(max(1, r.bucketsAlone))
	t.line("  as a multiple of their writes alone", "", "", "", "", fmt.Sprintf("%.1f", as), try(as <= bucketsReadyAs, fmt.Sprintf("at most %g", bucketsReadyAs)))
	t.line("  the writes of all databases alone", "", "", "", "", seconds(r.databasesAlone))
	t.line("  all databases, from the first apply", "", "", "", "", seconds(r.databasesReady))
	t.line("  as a multiple of their writes alone", "", "", "", "", fmt.Sprintf("%.1f", float64(r.databasesReady)/float64(max(1, r.databasesAlone))))
	t.row(r, "  Kubernetes writes an object", func(_ *group, m *measured) string { return number(m.applyWrites) }, "", "")
	highest := 0
	for _, g := range r.groups[:2] {
		highest = max(highest, r.of(g).mostWrites)
	}
	t.row(r, "  the most that one object had", func(_ *group, m *measured) string { return fmt.Sprint(m.mostWrites) }, "",
		t.hold(highest <= mostBucketWrites, fmt.Sprintf("buckets at most %d", mostBucketWrites)))
	t.row(r, "  cloud reads / writes an object", func(_ *group, m *measured) string {
		return number(m.applyReads) + " / " + number(m.applyCalls)
	}, "", "")
	total := r.buckets + r.databases
	t.line("  answers of the webhook an object", "", "", "", "", number(float64(r.answers)/float64(max(1, total))), t.hold(r.answers >= total, "at least 1"))
	t.row(r, "  processor time an object", func(_ *group, m *measured) string { return millis(m.applyCPU) }, "", "")
}

func (r *results) printChecks(t *table) {
	t.line("one re-check")
	reads, writes, kubernetes := true, r.convergedWrites == 0, true
	checks := 0
	for _, g := range r.groups {
		m := r.of(g)
		checks += m.checks
		reads = reads && m.checkReads <= mostReads[g.service]
		writes = writes && m.checkCalls == 0 && m.driftWrites == 0
		kubernetes = kubernetes && m.kubernetesWrites == 0
	}
	t.row(r, "  cloud reads", func(_ *group, m *measured) string { return number(m.checkReads) }, "", t.hold(reads, "at most 2, 1, 1, 1"))
	t.row(r, "  cloud writes", func(_ *group, m *measured) string { return number(m.checkCalls) }, "", t.hold(writes, "none"))
	t.row(r, "  Kubernetes reads", func(_ *group, m *measured) string { return number(m.kubernetesReads) }, "", "")
	t.row(r, "  Kubernetes reads, the first one after a restart", func(_ *group, m *measured) string { return number(m.firstReads) }, "", "")
	t.row(r, "  Kubernetes writes", func(_ *group, m *measured) string { return number(m.kubernetesWrites) }, "", t.hold(kubernetes, "none"))
	t.line("  processor time", "", "", "", "", millis(perObject(r.checkCPU, max(1, checks))))
	t.line("restart, until each was looked at", "", "", "", "", seconds(r.restart))
	t.line(fmt.Sprintf("re-checks a second, every %s asked for", r.syncPeriod), "", "", "", "",
		number(float64(checks)/window.Seconds()))
	t.line("  an edit reaches the cloud, median", "", "", "", "", seconds(percentile(r.edits, 0.5)))
	worst := percentile(r.edits, 1)
	t.line(fmt.Sprintf("  the worst of %d edits", len(r.edits)), "", "", "", "", seconds(worst), try(worst <= editReachesIn, "at most "+seconds(editReachesIn)))
}

func (r *results) printMemory(t *table, total int) {
	t.line("resident memory of the controller")
	own := r.idle.now - r.idle.file
	t.line("  without objects", "", "", "", "", mebibytes(r.idle.now), t.hold(r.idle.now <= mostIdle, "at most "+mebibytes(mostIdle)))
	t.line("  without the program's file", "", "", "", "", mebibytes(own), t.hold(own <= mostOwn, "at most "+mebibytes(mostOwn)))
	each := float64(r.busy.now-r.idle.now) / float64(max(1, total))
	target := ""
	if r.buckets >= 10000 {
		target = t.hold(r.busy.now <= mostResident, "at most "+mebibytes(mostResident))
	}
	t.line("  while all are re-checked", "", "", "", "", mebibytes(r.busy.now), target)
	t.line("  at its highest", "", "", "", "", mebibytes(r.busy.highest))
	t.line("  an object", "", "", "", "", fmt.Sprintf("%.1f KiB", each/1024))
}

// all returns the times of all groups, sorted.
func (r *results) all(of func(*measured) []time.Duration) []time.Duration {
	var times []time.Duration
	for _, g := range r.groups {
		times = append(times, of(r.of(g))...)
	}
	slices.Sort(times)
	return times
}

func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func millis(ms float64) string { return fmt.Sprintf("%.1f ms", ms) }

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// number leaves the decimals out where there are none.
func number(n float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), ".")
}
