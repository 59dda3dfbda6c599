package preview

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

// A subject is one kind in one cloud.
type subject struct {
	cloud string
	kind  *kind.Kind
	drv   driver.Driver
	// full are parameters that declare every field, with those in which one that excludes others has a value, safe the values that fields return to, and steps edits of each field.
	full  class.Tree
	with  func(field string) any
	safe  map[string]string
	steps []fieldedit.Step
	// listed are the fields that are lists of entries of which others may own some.
	listed map[string]*drivertest.Listed
	// member tells the objects of a list apart, by the field.
	member map[string]func(object map[string]any) string
}

// closed is a driver of which nobody may open a session: previews call no cloud.
type closed struct{ driver.Driver }

func (closed) Open(context.Context, driver.Opening) (driver.Session, error) {
	panic("a preview opens a session")
}

func subjectOf(t *testing.T, k *kind.Kind, drv driver.Driver, from fieldedit.Subject) subject {
	t.Helper()
	full, err := class.TreeOf(from.Full())
	if err != nil {
		t.Fatal(err)
	}
	s := subject{cloud: from.Cloud, kind: k, drv: closed{drv}, full: full, with: from.With, safe: map[string]string{}, listed: map[string]*drivertest.Listed{},
		member: map[string]func(map[string]any) string{}}
	for _, f := range from.Fields {
		s.member[f.Name] = f.Member
		effect := f.Effect
		if effect == "" {
			effect = driver.Online
		}
		if f.Listed != nil {
			s.listed[f.Name] = f.Listed
		}
		if f.Safe != nil {
			s.safe[f.Name] = plan.OrNone(drivertest.Text(f.Safe))
		}
		given := map[string]any{} // a trial is the edit of one field: what has to change along with it has changed already
		maps.Copy(given, f.Given)
		maps.Copy(given, f.Along)
		s.steps = append(s.steps, fieldedit.Step{Field: f.Name, To: f.To, Effect: effect, Given: given})
	}
	s.steps = append(s.steps, from.More...)
	for i, step := range s.steps {
		if slices.ContainsFunc(from.Fields, func(f drivertest.Field) bool { return f.Name == step.Field && f.Worst }) {
			s.steps[i].Effect = s.foretold(t, step)
		}
	}
	s.steps = slices.DeleteFunc(s.steps, func(step fieldedit.Step) bool {
		return len(driver.Lacking(s.resource().Lacks, with(s.given(step), step.Field, step.To))) > 0 // it is refused before
	})
	return s
}

// foretold returns the effect of a step of which only the cloud knows what it does: one that is as bad at least.
func (s subject) foretold(t *testing.T, step fieldedit.Step) driver.Effect {
	t.Helper()
	before := s.given(step)
	if step.From != nil {
		before = with(before, step.Field, step.From)
	}
	changes, err := s.drv.Preview(s.kind.Name, raw(t, before), raw(t, with(before, step.Field, step.To)), nil)
	if err != nil || len(changes) != 1 || changes[0].Effect.Compare(step.Effect) < 0 {
		t.Fatalf("%s %s becomes %v: foretold %v, %v", s.cloud, step.Field, step.To, changes, err)
	}
	return changes[0].Effect
}

// subjects are all kinds that the clouds describe.
func subjects(t *testing.T) (all []subject) {
	t.Helper()
	for _, drv := range []driver.Driver{aws.New(aws.Options{}), gcp.New(gcp.Options{})} {
		d := drv.Describe()
		for _, k := range kind.All() {
			if r, has := d.Resource(k.Name); !has || len(r.Fields) == 0 {
				continue // it has nothing to edit
			}
			at := slices.IndexFunc(fieldedit.All(), func(s fieldedit.Subject) bool { return s.Kind == k.Name && s.Cloud == d.Name })
			if at < 0 {
				t.Fatalf("there are no edits of a %s in %s: add a first and another value of each field in test/fieldedit, in a file of the kind", k.Name, d.Name)
			}
			all = append(all, subjectOf(t, k, drv, fieldedit.All()[at]))
		}
	}
	return all
}

func (s subject) preview() *Preview {
	return &Preview{
		Kind: s.kind, Drivers: map[string]driver.Driver{s.cloud: s.drv},
		Observed: func(client.ObjectKey) (time.Time, bool) { return previewTime, true }, Now: func() time.Time { return previewTime },
	}
}

func (s subject) resource() driver.Resource { return s.preview().described(s.cloud) }

// object returns an object whose spec was applied in full, and whose cloud object is as mirror says.
func (s subject) object(t *testing.T, spec, mirror class.Tree) v1alpha1.ResourceObject {
	t.Helper()
	o := s.kind.New()
	full := with(spec, "providerConfigRef.name", "team")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(class.Tree{"spec": full, "status": class.Tree{"observed": mirror}}, o); err != nil {
		t.Fatal(err)
	}
	o.SetNamespace("shop")
	o.SetName("orders")
	o.SetUID("uid-1")
	o.SetGeneration(1)
	o.SetFinalizers([]string{v1alpha1.FinalizerResource})
	status := o.GetResourceStatus()
	status.Provider, status.ExternalName, status.AppliedGeneration = s.cloud, "shop-orders-1", 1
	status.FirstReadyTime, status.Applied = &metav1.Time{Time: previewTime}, map[string][]string{}
	for _, d := range s.resource().Fields {
		switch value := at(spec, d.Field).(type) {
		case nil:
		case class.Tree:
			status.Applied[d.Field] = slices.Sorted(maps.Keys(value))
			if slices.ContainsFunc(d.Effects, func(e driver.PossibleEffect) bool { return e.Effect.Disruptive() }) {
				for i, name := range status.Applied[d.Field] {
					status.Applied[d.Field][i] = fmt.Sprintf("%s=%v", name, value[name])
				}
			}
		default:
			status.Applied[d.Field] = s.applied(d.Field, value)
			if s.listed[d.Field] != nil {
				status.Applied[d.Field] = s.namesOf(t, d.Field, spec)
			}
		}
	}
	return o
}

// applied is what is remembered of a field that is no map.
func (s subject) applied(field string, value any) []string {
	tells := s.member[field]
	if tells == nil {
		return []string{drivertest.Text(value)}
	}
	keys, disturbs := []string{}, slices.ContainsFunc(s.resource().Fields, func(d driver.Field) bool {
		return d.Field == field && slices.ContainsFunc(d.Effects, func(e driver.PossibleEffect) bool { return e.Effect.Disruptive() })
	})
	for _, object := range value.([]any) {
		key := tells(object.(class.Tree))
		if disturbs {
			key += "=" + drivertest.Text([]any{object})
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// at returns the value of a field, nil if there is none.
func at(tree class.Tree, field string) (value any) {
	value = tree
	for step := range strings.SplitSeq(field, ".") {
		inner, ok := value.(class.Tree)
		if !ok {
			return nil
		}
		value = inner[step]
	}
	return value
}

// given returns parameters that declare every field, as a step needs them.
func (s subject) given(step fieldedit.Step) class.Tree {
	tree := s.full
	for field, value := range step.Given {
		tree = with(tree, field, value)
	}
	return tree
}

// with returns a tree in which a field has a value. It has none if that is nil, nor have the objects around it that are empty then.
func with(tree class.Tree, field string, value any) class.Tree {
	out := runtime.DeepCopyJSON(tree)
	inner := out
	steps := strings.Split(field, ".")
	for value == nil && len(steps) > 1 { // what holds nothing else goes with it
		around, _ := at(tree, strings.Join(steps[:len(steps)-1], ".")).(class.Tree)
		if len(around) != 1 {
			break
		}
		steps = steps[:len(steps)-1]
	}
	for _, step := range steps[:len(steps)-1] {
		next, ok := inner[step].(class.Tree)
		if !ok {
			next = class.Tree{}
			inner[step] = next
		}
		inner = next
	}
	switch v := value.(type) {
	case nil:
		delete(inner, steps[len(steps)-1])
	case int:
		inner[steps[len(steps)-1]] = int64(v)
	case []string:
		list := make([]any, len(v))
		for i, name := range v {
			list[i] = name
		}
		inner[steps[len(steps)-1]] = list
	case map[string]string:
		entries := class.Tree{}
		for k, v := range v {
			entries[k] = v
		}
		inner[steps[len(steps)-1]] = entries
	default:
		inner[steps[len(steps)-1]] = plain(v)
	}
	return out
}

// plain returns a list of rules as JSON has it, and any other value as it is.
func plain(value any) any {
	if reflect.TypeOf(value).Kind() != reflect.Slice {
		return value
	}
	raw, err := json.Marshal(value)
	var list []any
	if err == nil {
		err = utiljson.Unmarshal(raw, &list)
	}
	if err != nil {
		panic(err)
	}
	return list
}

// A trial is an edit of one field of an object, and the one change that it brings about.
type trial struct {
	name string
	// old and edited are what the spec says before and after, mirror what was last observed.
	old, edited, mirror class.Tree
	field, from, to     string
	effect              driver.Effect
	// set: nobody has set the field before. Its effect is the driver's word, so it shows no effect that a table lists.
	set bool
	// noLongerManaged: the cloud keeps what it has.
	noLongerManaged bool
}

// trials returns the edits of all fields.
func (s subject) trials(t *testing.T) (all []trial) {
	for _, step := range s.steps {
		before := s.given(step)
		if step.From != nil {
			before = with(before, step.Field, step.From)
		}
		if entries, ok := step.To.(map[string]string); ok {
			all = append(all, s.entryTrials(step, before, entries)...)
			continue
		}
		if s.listed[step.Field] != nil {
			all = append(all, s.listTrial(t, fmt.Sprintf("%s is changed", step.Field), step.Field, before, with(before, step.Field, step.To)))
			continue
		}
		from := plan.OrNone(drivertest.Text(at(before, step.Field))) // an empty list is none
		all = append(all, trial{
			name: fmt.Sprintf("%s is changed to %v", step.Field, step.To), old: before, edited: with(before, step.Field, step.To), mirror: before,
			field: step.Field, from: from, to: plan.OrNone(drivertest.Text(step.To)), effect: step.Effect,
		})
	}
	for _, d := range s.resource().Fields {
		if d.Field == driver.FieldUsername {
			continue // it is no parameter: TestPreview
		}
		full, err := class.TreeOf(s.with(d.Field))
		if err != nil || at(full, d.Field) == nil {
			t.Fatalf("%s %s: no parameters declare %s", s.cloud, s.kind.Name, d.Field)
		}
		if other := map[string]string{"tls": "gcp.sslMode", "gcp.sslMode": "tls"}[d.Field]; other != "" { // they say the same, and no spec has both
			full = with(full, other, nil)
		}
		if s.listed[d.Field] != nil {
			set := s.listTrial(t, d.Field+" is set", d.Field, with(full, d.Field, nil), full)
			set.set = true
			all = append(all, set, s.listTrial(t, d.Field+" is taken out of the spec", d.Field, full, with(full, d.Field, nil)))
			continue
		}
		if _, isMap := at(full, d.Field).(class.Tree); !isMap { // of a map, entryTrials has that
			all = append(all, s.set(t, d, full))
		}
		out := trial{name: d.Field + " is taken out of the spec", old: full, edited: with(full, d.Field, nil), mirror: full, field: d.Field, noLongerManaged: true}
		if safe, returns := s.safe[d.Field]; returns {
			step := s.steps[slices.IndexFunc(s.steps, func(step fieldedit.Step) bool { return step.Field == d.Field })]
			out.effect = driver.Online
			if drivertest.Text(step.To) == safe { // to take it out is the edit
				step.To, out.effect = at(s.full, d.Field), step.Effect
			}
			out.old = with(s.given(step), d.Field, step.To)
			out.edited, out.mirror, out.noLongerManaged = with(out.old, d.Field, nil), out.old, false
			out.from, out.to = drivertest.Text(step.To), safe
		}
		all = append(all, out)
	}
	if s.kind.Name == "Bucket" { // an empty object means that there is to be no key
		all = append(all, trial{
			name: "encryption is emptied", old: s.full, edited: with(s.full, "encryption", class.Tree{}), mirror: s.full,
			field: "encryption.key", from: fmt.Sprint(at(s.full, "encryption.key")), to: "(none)", effect: driver.Online,
		})
	}
	return all
}

// namesOf returns the names of the entries of a list in a spec.
func (s subject) namesOf(t *testing.T, field string, spec class.Tree) []string {
	t.Helper()
	if at(spec, field) == nil {
		return nil
	}
	list, err := json.Marshal(at(spec, field))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(s.listed[field].Map(t, list)))
}

// listTrial returns an edit of a list of which others may own entries. The entries that differ are shown as the driver's table has them.
func (s subject) listTrial(t *testing.T, name, field string, old, edited class.Tree) trial {
	t.Helper()
	changes, err := s.drv.Preview(s.kind.Name, raw(t, old), raw(t, edited), driver.Applied{field: s.namesOf(t, field, old)})
	if err != nil || len(changes) != 1 || changes[0].Field != field {
		t.Fatalf("%s %s: changes %v, %v", s.cloud, name, changes, err)
	}
	return trial{name: name, old: old, edited: edited, mirror: old, field: field, from: plan.OrNone(changes[0].From), to: plan.OrNone(changes[0].To), effect: driver.Online}
}

// set returns the trial in which a field is set that nobody has set before. Its effect is the one that the driver's table gives it.
func (s subject) set(t *testing.T, d driver.Field, full class.Tree) trial {
	t.Helper()
	without := with(full, d.Field, nil)
	changes, err := s.drv.Preview(s.kind.Name, raw(t, without), raw(t, full), nil)
	if err != nil || len(changes) != 1 {
		t.Fatalf("%s %s is set: changes %v, %v", s.cloud, d.Field, changes, err)
	}
	return trial{
		name: d.Field + " is set", set: true, old: without, edited: full, mirror: without,
		field: d.Field, from: "(none)", to: drivertest.Text(at(full, d.Field)), effect: changes[0].Effect,
	}
}

// entryTrials returns the edits of the entries of the map of a step. other has other values than the full parameters.
func (s subject) entryTrials(step fieldedit.Step, full class.Tree, other map[string]string) []trial {
	field := step.Field
	one := func(name string, old, edited, mirror map[string]string, from, to string) trial {
		return trial{
			name: field + ": " + name, old: with(full, field, old), edited: with(full, field, edited), mirror: with(full, field, mirror),
			field: field, from: from, to: to, effect: step.Effect,
		}
	}
	const key = "team"
	value := "y"
	if _, isSet := other[key]; isSet {
		value = other[key]
	}
	two, none := map[string]string{"a": "1", key: "x"}, map[string]string{}
	return []trial{
		one("set", nil, map[string]string{key: value}, map[string]string{"theirs": "x"}, "(none)", key+"="+value),
		one("an entry is added", map[string]string{"a": "1"}, two, map[string]string{"a": "1", "theirs": "x"}, "(none)", key+"=x"),
		one("an entry is changed", two, map[string]string{"a": "1", key: value}, two, key+"=x", key+"="+value),
		one("an entry is removed", two, map[string]string{"a": "1"}, two, key+"=x", "(none)"),
		one("all are removed", two, none, map[string]string{"a": "1", key: "x", "theirs": "x"}, "a=1, "+key+"=x", "(none)"),
	}
}

func raw(t *testing.T, tree class.Tree) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Every edit of every field in every cloud is previewed in one line: its field, from, to, effect and when it is made, as the driver's table
// says it. No field is silent, and every effect that a table lists has an edit that shows it.
func TestEveryFieldAndEdit(t *testing.T) {
	unseen := map[string]string{
		"aws version Online": "the mirror shows the version that runs, and not one that waits", "aws aws.instanceClass Online": "likewise", "aws aws.dedicatedLogVolume Online": "likewise",
		"aws parameters Impossible": "the cloud says so, and a preview does not ask it",
		"aws parameters Online":     "the cloud says so, and a preview does not ask it",
		"gcp gcp.tier LosesBackups": "of a server of Enterprise Plus: see the driver's own test of it", "gcp gcp.edition LosesBackups": "likewise",
		"aws powerState Impossible": "of a server with read replicas, which the mirror does not show",
		"aws tls Online":            "the cloud says so, and a preview does not ask it", "aws tls Interrupts": "likewise",
		"aws aws.networkType Restarts": "of a server in two zones", "aws aws.port Online": "the mirror shows the port, and not one that waits",
		"gcp gcp.dataDiskType Impossible":  "it is refused before: the tier decides about it",
		"gcp gcp.uniformAccess Impossible": "the mirror does not show since when it is on: see the examples of effects of the driver",
		"gcp parameters Online":            "the cloud says so, and a preview does not ask it", "gcp parameters Impossible": "likewise",
		"gcp iamAuthentication Online": "the cloud says so, and a preview does not ask it", "gcp iamAuthentication Interrupts": "likewise",
		"gcp version Restarts": "of MySQL", "gcp gcp.sslMode Restarts": "of MySQL", "gcp tls Restarts": "of MySQL", "gcp databaseName Online": "it is set, and was not before", "aws aws.performanceInsights.key Online": "likewise",
		"gcp gcp.allocatedIPRange Restarts":   "with gcp.privateNetwork: see the examples of effects of the driver",
		"gcp network.publicAccess Impossible": "it is refused before", "gcp network.publicAccess Restarts": "of a server whose certificates come from a CA pool",
		"aws aws.caCertificateIdentifier Online": "likewise", "aws aws.dbSubnetGroupName Online": "likewise",
		"aws aws.dbParameterGroupName Online":  "the restart that follows is announced with it",
		"aws website.indexDocument Interrupts": "with `website: {}`, by which both documents go: see the examples of effects of the driver", "aws website.errorDocument Interrupts": "likewise",
		"gcp website.indexDocument Interrupts": "likewise", "gcp website.errorDocument Interrupts": "likewise",
		"aws aws.associatedRoles Online": "of a feature without a role: see the driver's own test of its effects",
		"aws aws.iops Interrupts":        "it changes with aws.storageType: see the examples of effects of the driver", "aws aws.throughputMiBps Interrupts": "likewise",
	}
	for _, s := range subjects(t) {
		reached := map[string]bool{}
		for _, tt := range s.trials(t) {
			reached[tt.field+" "+string(tt.effect)] = reached[tt.field+" "+string(tt.effect)] || !tt.set
			for _, disruptive := range []v1alpha1.DisruptivePolicy{"", v1alpha1.DisruptiveOnApproval} {
				t.Run(fmt.Sprintf("%s/%s/%s/%s", s.cloud, s.kind.Name, tt.name, disruptive), func(t *testing.T) {
					s.try(t, tt, disruptive)
				})
			}
		}
		for _, d := range s.resource().Fields {
			for _, e := range d.Effects {
				if d.Field != driver.FieldUsername && !reached[d.Field+" "+string(e.Effect)] && unseen[s.cloud+" "+d.Field+" "+string(e.Effect)] == "" {
					t.Errorf("%s %s: no edit shows %s when it is %s", s.cloud, s.kind.Name, d.Field, e.Effect)
				}
			}
		}
	}
}

// try makes an edit, and checks the lines about it.
func (s subject) try(t *testing.T, tt trial, disruptive v1alpha1.DisruptivePolicy) {
	t.Helper()
	const policy = "updates.disruptive"
	old, edited := s.object(t, with(tt.old, policy, string(disruptive)), tt.mirror), s.object(t, with(tt.edited, policy, string(disruptive)), tt.mirror)
	edited.SetGeneration(2)
	edited.GetResourceStatus().Applied = old.GetResourceStatus().Applied
	got, err := linesOf(s.preview().Edit(t.Context(), old, edited))
	if err != nil {
		t.Fatal(err)
	}
	if tt.noLongerManaged {
		if want := []string{"No longer managed, and kept in the cloud as it is: " + tt.field}; !slices.Equal(got, want) {
			t.Errorf("lines %q, want %q", got, want)
		}
		for _, o := range []v1alpha1.ResourceObject{old, edited} { // as while it is created: what is applied is what is to be set
			if err := o.SetObserved(json.RawMessage("null")); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := linesOf(s.preview().Edit(t.Context(), old, edited)); err != nil || strings.Contains(strings.Join(got, " "), "kept in the cloud") {
			t.Errorf("of an object of which nothing was observed: %q, %v", got, err)
		}
		return
	}
	if s.kind.ExposureWarnings != nil { // TestEditThatOpensAServer
		exposed := s.kind.ExposureWarnings(edited)
		got = slices.DeleteFunc(got, func(line string) bool { return slices.Contains(exposed, line) })
	}
	if len(got) != 2 || got[1] != "Compared with what Mooring last observed, less than a minute ago" {
		t.Fatalf("lines %q, want one about the change, and how old the observation is", got)
	}
	from, to := clipPair(tt.from, tt.to)
	when := "at once"
	switch {
	case tt.effect == driver.Impossible:
		when = "not done"
	case tt.effect.Disruptive() && disruptive == v1alpha1.DisruptiveOnApproval:
		when = "after approval"
	}
	want := fmt.Sprintf("%s: %s %s -> %s, %s: ", tt.effect, tt.field, from, to, when)
	said := strings.HasPrefix(got[0], want) || inParts(got[0], tt.field, tt.effect, when)
	harmless := tt.effect == driver.Online && (got[0] == fmt.Sprintf("Online, %s: %s %s -> %s", when, tt.field, from, to) || inParts(got[0], tt.field, "Online, "+driver.Effect(when), "")) // it brings nothing about
	if !harmless && (!said || strings.HasSuffix(got[0], ": ")) {
		t.Errorf("line %q, want %q", got[0], want)
	}
	for _, d := range s.resource().Fields {
		for _, e := range d.Effects {
			if d.Field == tt.field && e.Effect == tt.effect && !strings.Contains(got[0], clip(e.Instead, 80)[:max(0, min(80, len(e.Instead))-3)]) {
				t.Errorf("line %q does not say what to do instead: %q", got[0], e.Instead)
			}
		}
	}
}

// inParts reports whether a line is about parts of a field, as plan.DifferencesOf takes it apart.
func inParts(line, field string, effect driver.Effect, when string) bool {
	begins := fmt.Sprintf("%s: %s", effect, field)
	return (strings.HasPrefix(line, begins+".") || strings.HasPrefix(line, begins+"[")) && strings.Contains(line, " -> ") && (when == "" || strings.Contains(line, ", "+when+": "))
}

// Whatever is edited in whatever cloud, the plan then makes, asks and refuses what the preview said: each step is taken under each policy in each
// state. Of two and three steps there are as many as the square and the cube of the number of fields: of each a thousand is taken, at even
// distances, each under one policy in one state in turn.
func TestPlanDoesWhatThePreviewSaidInEveryCloud(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.cloud+"/"+s.kind.Name, func(t *testing.T) {
			n, all := 0, s.situations()
			for _, first := range s.steps {
				for _, in := range all {
					n += s.keepsItsWord(t, in, first)
				}
			}
			pairs, triples := s.combinations()
			for i, steps := range slices.Concat(evenly(pairs, 1000), evenly(triples, 1000)) {
				n += s.keepsItsWord(t, all[i%len(all)], steps...)
			}
			if n == 0 {
				t.Error("nothing ever changed")
			}
		})
	}
}

// evenly returns at most so many of all, at even distances.
func evenly[T any](all []T, most int) (some []T) {
	for i := range min(most, len(all)) {
		some = append(some, all[i*len(all)/min(most, len(all))])
	}
	return some
}

// combinations returns all pairs and triples of steps.
func (s subject) combinations() (pairs, triples [][]fieldedit.Step) {
	for i, first := range s.steps {
		for j, second := range s.steps[:i] {
			pairs = append(pairs, []fieldedit.Step{first, second})
			for _, third := range s.steps[:j] {
				triples = append(triples, []fieldedit.Step{first, second, third})
			}
		}
	}
	return pairs, triples
}

// A situation is the policy and the state of an object that is edited.
type situation struct {
	name       string
	disruptive v1alpha1.DisruptivePolicy
	mirror     class.Tree
	change     func(*v1alpha1.ResourceStatus)
}

// situations returns each state under each policy.
func (s subject) situations() (all []situation) {
	drifted := s.full
	for _, step := range s.steps {
		if step.Effect != driver.Impossible {
			drifted = with(s.full, step.Field, step.To)
			break
		}
	}
	for _, disruptive := range []v1alpha1.DisruptivePolicy{"", v1alpha1.DisruptiveOnApproval, v1alpha1.DisruptiveAlways} {
		all = append(all,
			situation{"as declared", disruptive, s.full, func(*v1alpha1.ResourceStatus) {}},
			situation{"drifted", disruptive, drifted, func(*v1alpha1.ResourceStatus) {}},
			situation{"adopted", disruptive, drifted, func(status *v1alpha1.ResourceStatus) { status.Applied = nil }},
			situation{"never Ready", disruptive, drifted, func(status *v1alpha1.ResourceStatus) { status.FirstReadyTime = nil }},
		)
	}
	return all
}

// keepsItsWord compares the preview of an edit, which takes the steps, with the plan, and returns how many changes there were.
func (s subject) keepsItsWord(t *testing.T, in situation, steps ...fieldedit.Step) int {
	t.Helper()
	spec := s.full
	for _, step := range steps {
		spec = with(spec, step.Field, step.To)
	}
	if len(driver.Lacking(s.resource().Lacks, spec)) > 0 {
		return 0 // it is refused before
	}
	const policy = "updates.disruptive"
	disruptive := string(in.disruptive)
	old, edited := s.object(t, with(s.full, policy, disruptive), in.mirror), s.object(t, with(spec, policy, disruptive), in.mirror)
	edited.SetGeneration(2)
	edited.GetResourceStatus().Applied = old.GetResourceStatus().Applied
	in.change(old.GetResourceStatus())
	in.change(edited.GetResourceStatus())
	said, err := s.preview().outlookOf(t.Context(), old, edited)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(promised(said), done(t, s.drv, s.kind, edited)); diff != "" {
		t.Fatalf("%s, %q, %v (-previewed +planned):\n%s", in.name, disruptive, spec, diff)
	}
	return len(said.Changes)
}
