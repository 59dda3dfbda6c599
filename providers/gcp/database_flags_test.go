package gcp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func parameters(pairs ...string) map[string]v1alpha1.ParameterValue {
	out := map[string]v1alpha1.ParameterValue{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = v1alpha1.ParameterValue(pairs[i+1])
	}
	return out
}

// The list of flags costs a call when something differs, and then no other one: not for a second database of the version, nor while the
// difference waits for approval.
func TestListOfFlagsIsReadWhereSomethingDiffers(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("flags", v1alpha1.EnginePostgres)
	req.Spec.Parameters = parameters("work_mem", "4096", "max_connections", "100")
	x := c.made(t, &req)
	listed := func() int { return c.Ledger.Count(localcloud.Filter{Operation: "flags.list"}) }
	for _, test := range []struct {
		name       string
		parameters map[string]v1alpha1.ParameterValue
		effect     driver.Effect
		calls      int
	}{
		{"converged", parameters("work_mem", "4096", "max_connections", "100"), "", 0},
		{"one that applies at once", parameters("work_mem", "8192", "max_connections", "100"), driver.Online, 1},
		{"another look", parameters("work_mem", "8192", "max_connections", "100"), driver.Online, 1},
		{"one that restarts", parameters("work_mem", "4096", "max_connections", "200"), driver.Restarts, 1},
		{"one that restarts is taken away", parameters("work_mem", "4096"), driver.Restarts, 1},
		{"one that applies at once is taken away", parameters("max_connections", "100"), driver.Online, 1},
		{"one that the list lacks", parameters("work_mem", "4096", "max_connections", "100", "of_tomorrow", "1"), driver.Impossible, 1},
		{"another look at it", parameters("work_mem", "4096", "max_connections", "100", "of_tomorrow", "1"), driver.Impossible, 1},
	} {
		req.Spec.Parameters = test.parameters
		var effect driver.Effect
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			effect = changes[0].Effect
		}
		if effect != test.effect || listed() != test.calls {
			t.Errorf("%s: %q after %d lists of flags, want %q after %d", test.name, effect, listed(), test.effect, test.calls)
		}
	}
	other := newDatabase("others", v1alpha1.EnginePostgres)
	c.made(t, &other)
	other.Spec.Parameters = parameters("work_mem", "8192")
	if c.look(t, x, &other); listed() != 1 {
		t.Errorf("%d lists of flags for two databases of a version", listed())
	}
	c.settle(t)
	if c.look(t, x, &other); listed() != 1 {
		t.Errorf("%d lists of flags an hour later, for flags that the list has", listed())
	}
	for range 2 { // Cloud SQL may have the flag by then, and a list that lacks it serves for an hour again
		if c.look(t, x, &req); listed() != 2 {
			t.Errorf("%d lists of flags an hour later, for a flag that the list lacked", listed())
		}
	}
	req.AskedAt = c.clock.Now()
	if c.look(t, x, &req); listed() != 3 {
		t.Errorf("%d lists of flags once a person asks, for a flag that the list lacked", listed())
	}
}

// A flag that Cloud SQL does not have is refused before any call, by its name, with the one that was meant, and with what is wrong with those beside it.
func TestMisspeltFlags(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("misspelt", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	req.Spec.Parameters = parameters("work_memory", "4096", "zzzzzzzz", "1", "log_connections", "true", "max_connections", "5")
	const want = "max_connections has to be from 14 to 262142, and is 5; work_memory is no flag of POSTGRES_17, and work_mem is one; zzzzzzzz is no flag of POSTGRES_17: correct the name"
	changes := c.look(t, x, &req).Changes
	if len(changes) != 1 || changes[0].Effect != driver.Impossible || !strings.Contains(changes[0].Why, want) {
		t.Fatalf("got  %+v\nwant %s", changes, want)
	}
	writes := len(c.writes("sqladmin"))
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "parameters" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid || len(c.writes("sqladmin")) != writes {
		t.Errorf("%v, Failed %v, %d writes", err, result.Failed, len(c.writes("sqladmin"))-writes)
	}
	req.Spec.Parameters = parameters("work_mem", "4096", "log_connections", "true")
	if changes := c.look(t, x, &req).Changes; len(changes) != 1 || changes[0].Effect != driver.Online {
		t.Errorf("corrected: %+v", changes)
	}
}

// Who can't read the list is told what may happen, and is observed all the same.
func TestFlagsWithoutTheirList(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("blind", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "flags.list"}, Kind: localcloud.Denied})
	req.Spec.Parameters = parameters("work_mem", "8192")
	changes := c.look(t, x, &req).Changes
	if len(changes) != 1 || changes[0].Effect != driver.Restarts || !strings.Contains(changes[0].Why, "others apply at once") {
		t.Fatalf("got %+v, want one change that may restart", changes)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil || len(result.Failed) > 0 {
		t.Errorf("%v, Failed %v", err, result.Failed)
	}
}

// Cloud SQL replaces the list of flags: what others set has to be sent with every change of ours, and with no other change.
func TestFlagsOfOthersAreSentAlong(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("along", v1alpha1.EnginePostgres)
	req.Spec.Parameters = parameters("work_mem", "4096")
	x := c.made(t, &req)
	c.setFlags(t, req.Name, map[string]string{"work_mem": "4096", "log_connections": "on"})
	update := func(change func()) map[string]string {
		t.Helper()
		change()
		obs := c.look(t, x, &req)
		if result, err := x.Update(t.Context(), req, driver.Edit{Changes: obs.Changes}); err != nil || len(result.Failed) > 0 {
			t.Fatalf("%v, Failed %v", err, result.Failed)
		}
		c.settle(t)
		req.Applied = c.look(t, x, &req).Applied
		return flagsOf(c.instance(t, req.Name))
	}
	for _, test := range []struct {
		name   string
		change func()
		want   map[string]string
	}{
		{"another field", func() { req.Spec.Tags = map[string]v1alpha1.TagValue{"team": "pay"} }, map[string]string{"work_mem": "4096", "log_connections": "on"}},
		{"one of ours changes", func() { req.Spec.Parameters = parameters("work_mem", "8192") }, map[string]string{"work_mem": "8192", "log_connections": "on"}},
		{"one of ours goes", func() { req.Spec.Parameters = parameters("temp_file_limit", "2000000") }, map[string]string{"temp_file_limit": "2000000", "log_connections": "on"}},
		{"all of ours go", func() { req.Spec.Parameters = parameters() }, map[string]string{"log_connections": "on"}},
		{"all go", func() { req.Spec.ParametersMode = new(v1alpha1.ParametersExact) }, map[string]string{}},
	} {
		if diff := cmp.Diff(test.want, update(test.change)); diff != "" {
			t.Errorf("%s: flags (-want +got):\n%s", test.name, diff)
		}
	}
}

// Each flag that is refused is named, with what it takes, and with the field; a change beside it is made.
func TestRefusedFlags(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	bad := parameters("max_connections", "5", "work_memory", "1", "log_statement", "everything", "log_connections", "maybe", "deadlock_timeout", "long", "work_mem", "4096")
	want := `correct spec.parameters: deadlock_timeout has to be a whole number, and is "long"; log_connections has to be on or off, and is "maybe"; ` +
		`log_statement has to be one of none, ddl, mod, all, and is "everything"; max_connections has to be from 14 to 262142, and is 5; ` +
		`work_memory is no flag of POSTGRES_17, and work_mem is one. Cloud SQL says: `
	says := func(err error) {
		t.Helper()
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	req := newDatabase("refused", v1alpha1.EnginePostgres)
	req.Spec.Parameters = bad
	_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
	says(err)

	req.Spec.Parameters = nil
	x := c.made(t, &req)
	delete(bad, "work_memory") // of a server that exists it is Impossible
	want = strings.Replace(want, "; work_memory is no flag of POSTGRES_17, and work_mem is one", "", 1)
	req.Spec.Parameters, req.Spec.Tags = bad, map[string]v1alpha1.TagValue{"team": "pay"}
	result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "parameters" {
		t.Fatalf("%v, Failed %v, want parameters alone", err, result.Failed)
	}
	says(result.Failed[0].Err)
	c.settle(t)
	if c.instance(t, req.Name).Settings.UserLabels["team"] != "pay" {
		t.Error("the tags were not changed")
	}
	req.Spec.Parameters = nil
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("going back leaves %v", changes)
	}

	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "flags.list"}, Kind: localcloud.Denied})
	req.Spec.Parameters = parameters("work_mem", "1")
	result, err = drivertest.Databases(c.open(t)).Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
	if err != nil || len(result.Failed) != 1 || !strings.Contains(result.Failed[0].Err.Error(), "spec.parameters") {
		t.Errorf("without the list: %v, Failed %v, want the field's name", err, result.Failed)
	}
}

// An edit of one flag is no consent to put back another one, and none to a flag that changes while an update is on its way.
func TestFlagsThatOthersChangedBesideAnEdit(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("mixed", v1alpha1.EnginePostgres)
	req.Spec.Parameters = parameters("work_mem", "4096", "max_connections", "100")
	x := c.made(t, &req)
	if diff := cmp.Diff([]string{"max_connections=100", "work_mem=4096"}, req.Applied["parameters"]); diff != "" {
		t.Fatalf("applied (-want +got):\n%s", diff)
	}
	req.Spec.Parameters = parameters("work_mem", "8192", "max_connections", "100", "temp_file_limit", "2000000")
	planned := c.look(t, x, &req).Changes
	c.setFlags(t, req.Name, map[string]string{"work_mem": "4096", "max_connections": "50"})
	seen := c.look(t, x, &req)
	if diff := cmp.Diff([]string{"max_connections=100", "temp_file_limit?", "work_mem=4096"}, seen.Applied["parameters"]); diff != "" {
		t.Errorf("applied (-want +got):\n%s", diff)
	}
	seen = c.look(t, x, &req) // as the object has it stored by now
	if ch := seen.Changes; len(ch) != 1 || !cmp.Equal(ch[0].Drifted, []string{"max_connections"}) || !cmp.Equal(ch[0].Edited, []string{"temp_file_limit", "work_mem"}) {
		t.Errorf("got %+v, want drift of max_connections and edits of the others", ch)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: planned}); err != nil || len(result.Failed) > 0 {
		t.Fatalf("%v, Failed %v", err, result.Failed)
	}
	c.settle(t)
	if diff := cmp.Diff(map[string]string{"work_mem": "8192", "max_connections": "50", "temp_file_limit": "2000000"}, flagsOf(c.instance(t, req.Name))); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}

	req.Applied = driver.Applied{"parameters": {"max_connections", "work_mem"}} // as builds stored it that knew no values
	if ch := c.look(t, x, &req).Changes; len(ch) != 1 || len(ch[0].Drifted)+len(ch[0].Edited) > 0 {
		t.Errorf("got %+v, want nothing known of the entry", ch)
	}
}

// Cloud SQL takes on and off for switches, and a spec may say true or 1.
func TestSwitchesAreSpelledAsCloudSQLTakesThem(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("switches", v1alpha1.EnginePostgres)
	req.Spec.Parameters = parameters("log_connections", "true", "max_connections", "100")
	x := c.made(t, &req)
	req.Spec.Parameters = parameters("log_connections", "0", "max_connections", "100", "work_mem", "4096")
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
		t.Fatalf("%v, Failed %v", err, result.Failed)
	}
	c.settle(t)
	if diff := cmp.Diff(map[string]string{"log_connections": "off", "max_connections": "100", "work_mem": "4096"}, flagsOf(c.instance(t, req.Name))); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("differs still: %+v", changes)
	}
}
