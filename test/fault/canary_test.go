package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// verifyHidden checks that no secret of any life so far shows in a log at the most verbose level, an event, a
// metric, or an object that is still there. Statuses of objects that are gone were checked phase by phase.
func (w *world) verifyHidden(t *testing.T) {
	t.Helper()
	hidden := sieveOf(w.everyLife()...)
	check := func(what string, text []byte) {
		for _, secret := range hidden.shownIn(text) {
			t.Errorf("%s shows a secret that begins with %q: %.500s", what, secret[:6], text)
		}
	}
	// A check of nothing would pass: there must be logs of failed turns, and events.
	failed, events := 0, &eventsv1.EventList{}
	for line := range logs.lines(t) {
		check("a log", line)
		if bytes.Contains(line, []byte("turn failed")) {
			failed++
		}
	}
	check("a metric", metricsText(t))
	lists := []client.ObjectList{events, &v1alpha1.BucketList{}, &v1alpha1.DatabaseList{}, &v1alpha1.ProviderConfigList{}}
	for _, list := range lists {
		if err := w.Client.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("%T", list), text)
	}
	if failed == 0 || len(events.Items) == 0 {
		t.Errorf("%d lines about turns that failed and %d events: too little to look through", failed, len(events.Items))
	}
}

// A sieve finds which of many secrets a text shows, in one pass. The key is how a secret begins.
type sieve map[[8]byte][]string

func sieveOf(lives ...*life) sieve {
	s := sieve{}
	for _, l := range lives {
		for _, secret := range l.secrets {
			if secret == "" { // a password that nobody was given
				continue
			}
			start := [8]byte([]byte(secret)) // shorter ones would be found by chance
			s[start] = append(s[start], secret)
		}
	}
	return s
}

func (s sieve) shownIn(text []byte) (shown []string) {
	for ; len(text) >= 8; text = text[1:] {
		for _, secret := range s[[8]byte(text)] {
			if bytes.HasPrefix(text, []byte(secret)) {
				shown = append(shown, secret)
			}
		}
	}
	return shown
}

func TestSieve(t *testing.T) {
	t.Parallel()
	s := sieveOf(&life{secrets: []string{"Canary-one", "Canary-two", ""}}, &life{secrets: []string{"wJalrXUtnFEMI"}})
	for text, want := range map[string][]string{
		"": nil, "Canary-": nil, "Canary-onf, Canary-tw": nil,
		"Canary-one": {"Canary-one"},
		`{"password":"wJalrXUtnFEMI","next":"Canary-two"}`: {"wJalrXUtnFEMI", "Canary-two"},
	} {
		if got := s.shownIn([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
}

// everyLife returns the lives that were led, each once.
func (w *world) everyLife() (all []*life) {
	w.wire.mu.Lock()
	defer w.wire.mu.Unlock()
	for id, l := range w.wire.lives {
		if id == l.name {
			all = append(all, l)
		}
	}
	return all
}

func metricsText(t *testing.T) []byte {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Append(nil, families)
}
