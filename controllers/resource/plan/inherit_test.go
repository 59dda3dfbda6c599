package plan

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A namespace of the same name is another one: what its predecessor made is for the platform to hand over. A mark that does not say which namespace it was is the
// object's own only where something else than names says so.
func TestEarlierNamespaces(t *testing.T) {
	const now, before = "ns-now", "ns-before"
	was := func(change func(*driver.Mark)) driver.Mark {
		return marked(func(m *driver.Mark) {
			m.UID, m.NamespaceUID = "uid-before", before
			change(m)
		})
	}
	earlier, left := was(func(*driver.Mark) {}), was(func(m *driver.Mark) { m.Released = true })
	unknown, unknownLeft := was(func(m *driver.Mark) { m.NamespaceUID = "" }), was(func(m *driver.Mark) { m.NamespaceUID, m.Released = "", true })
	same, sameLeft := was(func(m *driver.Mark) { m.NamespaceUID = now }), was(func(m *driver.Mark) { m.NamespaceUID, m.Released = now, true })
	other := was(func(m *driver.Mark) { m.Name, m.Released = "others", true })
	own := marked(func(m *driver.Mark) { m.NamespaceUID = "" })
	ifExists := func(s *fixture) { s.Policy.Adoption = v1alpha1.AdoptionIfExists }
	recovers := func(s *fixture) { s.Recovers = true }
	account := func(s *fixture) { s.OwnAccount = true }
	consent := func(s *fixture) { s.AdoptFrom = s.Mark.Namespace + "/" + s.Mark.Name }
	consentToOther := func(s *fixture) { s.AdoptFrom = s.Mark.Namespace + "/others" }
	final := func(s *fixture) { s.FinalMarks = true }
	known := func(s *fixture) { s.ID = s.Seen.ID }
	worked := func(s *fixture) {
		s.Bound, s.WasReady, s.FromBackup, s.ID, s.Origin = true, true, true, s.Seen.ID, v1alpha1.OriginCreated
	}
	unknownOther := was(func(m *driver.Mark) { m.Name, m.NamespaceUID, m.Released = "others", "", true })
	bound := func(s *fixture) { s.Bound, s.Origin, s.HasFinalizer = true, v1alpha1.OriginAdopted, false }
	seenOnly := func(s *fixture) { s.ID, s.HasFinalizer, s.Shown = s.Seen.ID, false, true }
	made := func(s *fixture) { s.Bound, s.Accepted, s.Origin, s.ID = true, true, v1alpha1.OriginCreated, s.Seen.ID }
	for name, tt := range map[string]struct {
		mark driver.Mark
		is   []func(*fixture)
		verb Verb
		says string
	}{
		"made before":                              {mark: earlier, verb: Stall, says: "an earlier namespace"},
		"made before, taken over by name":          {mark: earlier, is: []func(*fixture){ifExists}, verb: Stall, says: "an earlier namespace"},
		"left before, taken over by name":          {mark: left, is: []func(*fixture){ifExists}, verb: Stall, says: "an earlier namespace"},
		"left before by an object of another name": {mark: other, is: []func(*fixture){ifExists}, verb: Stall, says: "belongs to another object"},
		"of a namespace that nobody knows":         {mark: unknown, verb: Stall, says: "an earlier namespace"},
		"left by a namespace that nobody knows":    {mark: unknownLeft, is: []func(*fixture){ifExists}, verb: Stall, says: "an earlier namespace"},

		"made in this namespace":                   {mark: same, verb: Adopt},
		"left in this namespace":                   {mark: sameLeft, is: []func(*fixture){ifExists}, verb: Adopt},
		"with the platform's consent":              {mark: earlier, is: []func(*fixture){consent}, verb: Adopt},
		"left, with the platform's consent":        {mark: left, is: []func(*fixture){ifExists, consent}, verb: Adopt},
		"of nobody knows, with consent":            {mark: unknown, is: []func(*fixture){consent}, verb: Adopt},
		"left by another, with consent":            {mark: other, is: []func(*fixture){ifExists, consentToOther}, verb: Adopt},
		"with consent to another":                  {mark: earlier, is: []func(*fixture){consentToOther}, verb: Stall, says: "an earlier namespace"},
		"while the namespace recovers":             {mark: earlier, is: []func(*fixture){recovers}, verb: Adopt},
		"of nobody knows, while it recovers":       {mark: unknown, is: []func(*fixture){recovers}, verb: Adopt},
		"left, while the namespace recovers":       {mark: left, is: []func(*fixture){recovers}, verb: Stall, says: "was released"},
		"with a final mark, while it recovers":     {mark: left, is: []func(*fixture){recovers, final}, verb: Adopt},
		"the same of this very namespace":          {mark: sameLeft, is: []func(*fixture){recovers, final}, verb: Stall, says: "was released"},
		"of nobody knows, and bound by Mooring":    {mark: unknownLeft, is: []func(*fixture){ifExists, bound}, verb: Adopt},
		"of another, and bound by Mooring":         {mark: unknownOther, is: []func(*fixture){ifExists, bound}, verb: Adopt},
		"of an earlier one, and bound by Mooring":  {mark: left, is: []func(*fixture){ifExists, bound}, verb: Stall, says: "an earlier namespace"},
		"taken over with consent, and not marked":  {mark: earlier, is: []func(*fixture){made, consent}, verb: Adopt},
		"of an earlier one, and only seen":         {mark: earlier, is: []func(*fixture){seenOnly}, verb: Stall, says: "an earlier namespace"},
		"made here, and taken by another one":      {mark: earlier, is: []func(*fixture){made}, verb: Stall, says: "a second installation"},
		"with a final mark":                        {mark: sameLeft, is: []func(*fixture){final}, verb: Stall, says: "was released"},
		"in the namespace's own account":           {mark: earlier, is: []func(*fixture){account}, verb: Adopt},
		"of nobody knows, and its own by its uid":  {mark: own, is: []func(*fixture){known}, verb: Converge},
		"known by the status, which was restored":  {mark: earlier, is: []func(*fixture){worked}, verb: Adopt},
		"of nobody knows, and known by the status": {mark: unknown, is: []func(*fixture){worked}, verb: Adopt},
	} {
		t.Run(name, func(t *testing.T) {
			s := settled()
			exists(tt.mark)(&s)
			s.Mark.NamespaceUID = now
			for _, is := range tt.is {
				is(&s)
			}
			if name == "of nobody knows, and its own by its uid" {
				s.Bound, s.WasReady, s.WasApplied, s.Edited, s.Origin = true, true, true, false, v1alpha1.OriginCreated
				s.Seen.Mark.NamespaceUID = now // as gathering completes it
			}
			a := s.plan()
			if a.Verb != tt.verb || !strings.Contains(a.Message, tt.says) {
				t.Errorf("plan is %s: %s", a.Verb, a.Message)
			}
			if a.Reason == v1alpha1.ReasonNotOwned && strings.Contains(a.Message, "uid ") || strings.Contains(a.Message, "others") {
				t.Errorf("a tenant is told of the other namespace: %s", a.Message)
			}
			if tt.says == "an earlier namespace" && !strings.Contains(a.Detail, v1alpha1.AnnotationAdoptFrom+"=") {
				t.Errorf("the platform team is not told how to consent: %q", a.Detail)
			}
		})
	}
}

// Nor may it be looked at.
func TestObservationsOfEarlierNamespaces(t *testing.T) {
	mine := driver.Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "uid-now", NamespaceUID: "ns-now"}
	of := func(namespaceUID string) driver.Mark {
		m := mine
		m.UID, m.NamespaceUID, m.Released = "uid-before", namespaceUID, true
		return m
	}
	for name, tt := range map[string]struct {
		mark    driver.Mark
		view    View
		allowed bool
	}{
		"earlier":                     {mark: of("ns-before")},
		"of nobody knows which":       {mark: of("")},
		"of this namespace":           {mark: of("ns-now"), allowed: true},
		"while it recovers":           {mark: of("ns-before"), view: View{Recovers: true}, allowed: true},
		"in its own account":          {mark: of("ns-before"), view: View{OwnAccount: true}, allowed: true},
		"with the platform's consent": {mark: of("ns-before"), view: View{AdoptFrom: "shop/orders"}, allowed: true},
		"with consent to another one": {mark: of("ns-before"), view: View{AdoptFrom: "shop/others"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := tt.view
			v.Mark = mine
			seen := driver.Observation{State: driver.Ready, Available: true, Mark: tt.mark}
			if got := MayObserve(v, seen, Policy{}); got != tt.allowed {
				t.Errorf("it may be observed: %t", got)
			}
			if tt.mark.NamespaceUID == "" { // what was seen before the upgrade is seen after it
				v.Shown = true
				if a := Plan(v, seen, Policy{Management: v1alpha1.ManagementObserve}); a.Verb != Converge {
					t.Errorf("what was observed is %s: %s", a.Verb, a.Message)
				}
				v.Shown = false
			}
		})
	}
}
