package fault

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// led are the lifecycles of all environments, those for whose sake there is nothing but a secret included.
var led struct {
	mu    sync.Mutex
	lives []*lifecycle
	// events counts the Events that were looked through.
	events int
}

func remember(l *lifecycle) {
	led.mu.Lock()
	defer led.mu.Unlock()
	led.lives = append(led.lives, l)
}

// shown says which secrets of all lifecycles show in a log at the most verbose level or in a metric, and if all tests ran, whether
// there was enough to look through. It is asked once, when the tests have ended, since the log is long.
func shown(all bool) (leaks []string) {
	led.mu.Lock()
	defer led.mu.Unlock()
	hidden := scannerOf(led.lives...)
	failed, mentioned := 0, 0
	for line := range logs.lines(func(err error) { leaks = append(leaks, fmt.Sprintf("read the log: %v", err)) }) {
		leaks = append(leaks, hidden.leaks("a log", line)...)
		if bytes.Contains(line, []byte("reconciliation failed")) {
			failed++
		}
		if bytes.Contains(line, []byte("case-")) {
			mentioned++
		}
	}
	series := exposed.text()
	leaks = append(leaks, hidden.leaks("a metric", series)...)
	if !all || len(led.lives) == 0 { // without a control plane all tests are skipped
		return leaks
	}
	// A look at nothing would find nothing: managers show metrics and log about lifecycles, some reconciliations fail, and there are Events.
	if !bytes.Contains(series, []byte("mooring_resources")) {
		leaks = append(leaks, "no metrics of managers: too little to look through")
	}
	if mentioned == 0 || failed == 0 || led.events == 0 {
		leaks = append(leaks, fmt.Sprintf("%d lifecycles, %d lines about them, %d about reconciliations that failed, and %d Events: too little to look through", len(led.lives), mentioned, failed, led.events))
	}
	return leaks
}

// verifyHidden checks that no secret of the environment's lifecycles shows in an event or an object that is still there. Statuses
// of objects that are gone were checked phase by phase.
func (w *environment) verifyHidden(t *testing.T) {
	t.Helper()
	lives := w.everyLifecycle()
	hidden := scannerOf(lives...)
	events := &eventsv1.EventList{}
	lists := []client.ObjectList{events, &v1alpha1.BucketList{}, &v1alpha1.DatabaseList{}, &v1alpha1.ProviderConfigList{}, &v1alpha1.ClusterProviderConfigList{}}
	for _, list := range lists {
		err := w.Client.List(context.WithoutCancel(t.Context()), list)
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) { // the definition was deleted
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, leak := range hidden.leaks(fmt.Sprintf("%T", list), text) {
			t.Error(leak)
		}
	}
	led.mu.Lock()
	defer led.mu.Unlock()
	led.events += len(events.Items)
}

// A scanner finds which of many secrets a text shows, in one pass: as they are, or in base64 as Secrets have them. The
// key is how a secret begins.
type scanner map[[8]byte][]string

func scannerOf(lives ...*lifecycle) scanner {
	s := scanner{}
	for _, l := range lives {
		for _, secret := range l.secrets {
			if secret == "" { // a password that nobody was given
				continue
			}
			s.add(secret)
			for before := range 3 {
				s.add(inBase64(secret, before))
			}
		}
	}
	return s
}

func (s scanner) add(form string) {
	start := [8]byte([]byte(form)) // shorter ones would be found by chance
	if !slices.Contains(s[start], form) {
		s[start] = append(s[start], form)
	}
}

// inBase64 is what is certain of the base64 form of a text that has a secret in it, with so many bytes before.
func inBase64(secret string, before int) string {
	before %= 3
	whole := (before + len(secret)) / 3 * 3
	text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", before) + secret)[:whole])
	return text[[]int{0, 2, 3}[before]:]
}

func (s scanner) shownIn(text []byte) (shown []string) {
	for ; len(text) >= 8; text = text[1:] {
		for _, secret := range s[[8]byte(text)] {
			if bytes.HasPrefix(text, []byte(secret)) {
				shown = append(shown, secret)
			}
		}
	}
	return shown
}

// leaks says what a text shows.
func (s scanner) leaks(what string, text []byte) (all []string) {
	for _, secret := range s.shownIn(text) {
		all = append(all, fmt.Sprintf("%s shows a secret that begins with %q: %.500s", what, secret[:6], text))
	}
	return all
}

func TestSieve(t *testing.T) {
	t.Parallel()
	s := scannerOf(&lifecycle{secrets: []string{"Secret-one", "Secret-two", ""}}, &lifecycle{secrets: []string{"wJalrXUtnFEMI"}})
	for text, want := range map[string][]string{
		"": nil, "Secret-": nil, "Secret-onf, Secret-tw": nil,
		"Secret-one":           {"Secret-one"},
		base64Of("Secret-one"): {inBase64("Secret-one", 0)}, base64Of("a: Secret-one\n"): {inBase64("Secret-one", 0)},
		base64Of("{Secret-one}"): {inBase64("Secret-one", 1)}, base64Of("{\"Secret-one"): {inBase64("Secret-one", 2)},
		base64Of("Secret-0ne"): nil, base64Of("Secret-"): nil,
		`{"password":"wJalrXUtnFEMI","next":"Secret-two"}`: {"wJalrXUtnFEMI", "Secret-two"},
	} {
		if got := s.shownIn([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
}

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// everyLifecycle returns the lifecycles that were led, each once.
func (w *environment) everyLifecycle() (all []*lifecycle) {
	w.interceptor.mu.Lock()
	defer w.interceptor.mu.Unlock()
	for id, l := range w.interceptor.lifecycles {
		if id == l.name {
			all = append(all, l)
		}
	}
	return all
}

// exposed is what the managers of the package show as metrics.
var exposed exposure

// An exposure is the managers that run, and the series that those showed which ended: a manager is large.
type exposure struct {
	mu      sync.Mutex
	running []*system.Manager
	shown   map[string]bool
}

// follow adds a manager that has started.
func (e *exposure) follow(m *system.Manager) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = slices.DeleteFunc(append(e.running, m), func(m *system.Manager) bool {
		if m.Ended() {
			e.note(m.Metrics)
		}
		return m.Ended()
	})
}

func (e *exposure) note(from prometheus.Gatherer) {
	if e.shown == nil {
		e.shown = map[string]bool{}
	}
	families, err := from.Gather()
	if err != nil {
		e.shown[err.Error()] = true
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			e.shown[fmt.Sprint(f.GetName(), m.GetLabel())] = true
		}
	}
}

func (e *exposure) text() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.running {
		e.note(m.Metrics)
	}
	e.note(metrics.Registry)
	return fmt.Append(nil, slices.Sorted(maps.Keys(e.shown)))
}
