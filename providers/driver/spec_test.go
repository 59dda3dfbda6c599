package driver_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

type databaseParameters = v1alpha1.DatabaseParameters

// In one process a spec is passed and not encoded: what arrives is what was sent.
func TestSpecIsThePointer(t *testing.T) {
	sent := &databaseParameters{Engine: new(v1alpha1.EngineMySQL)}
	got, err := driver.SpecOf[databaseParameters](driver.NewSpec(sent))
	if err != nil || got != sent {
		t.Errorf("got %p and error %v, want the pointer %p itself", got, err, sent)
	}
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := driver.SpecOf[databaseParameters](driver.NewSpec(sent)); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("a spec costs %g allocations on its way, want none", allocations)
	}
}

// What crossed a wire says the same, and is equal to what was sent.
func TestSpecSurvivesJSON(t *testing.T) {
	for name, want := range map[string]*databaseParameters{
		"full":  {Engine: new(v1alpha1.EngineMySQL), Version: new("8.0"), Tags: map[string]v1alpha1.TagValue{"team": "b"}},
		"empty": {},
	} {
		sent := driver.NewSpec(want)
		text, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		var arrived driver.Spec
		if err := json.Unmarshal(text, &arrived); err != nil {
			t.Fatal(err)
		}
		got, err := driver.SpecOf[databaseParameters](arrived)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-sent +arrived):\n%s", name, diff)
		}
		if !sent.Equal(arrived) || !arrived.Equal(sent) || sent.Equal(driver.NewSpec(&databaseParameters{Version: new("9")})) {
			t.Errorf("%s: it is not equal to what was sent, or to anything", name)
		}
	}
}

// Nothing declared is nothing, and what is no spec is Invalid.
func TestSpecOfNothing(t *testing.T) {
	got, err := driver.SpecOf[databaseParameters](driver.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&databaseParameters{}, got); diff != "" {
		t.Errorf("a spec of nothing (-want +got):\n%s", diff)
	}
	var broken driver.Spec
	if err := json.Unmarshal([]byte(`{"engine": 5}`), &broken); err != nil {
		t.Fatal(err)
	}
	if _, err := driver.SpecOf[databaseParameters](broken); err == nil || driver.CodeOf(err) != driver.Invalid {
		t.Errorf("got error %v, want code Invalid", err)
	}
}
