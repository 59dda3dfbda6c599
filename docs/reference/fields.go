package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

func fieldsPage() ([]byte, error) {
	var kinds []string
	descriptions := []driver.Description{aws.New(aws.Options{}).Describe(), gcp.New(gcp.Options{}).Describe()}
	for _, d := range descriptions {
		for _, r := range d.Resources {
			if !slices.Contains(kinds, r.Kind) {
				kinds = append(kinds, r.Kind)
			}
		}
	}
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString(fieldsIntroduction)
	for _, kind := range kinds {
		for _, d := range descriptions {
			if r, has := d.Resource(kind); has {
				writeFields(&b, r)
			}
		}
	}
	return b.Bytes(), nil
}

func writeFields(b *bytes.Buffer, r driver.Resource) {
	fmt.Fprintf(b, "\n## %s in %s\n\n| field | a change is | no difference is | taken out of the spec |\n|---|---|---|---|\n", r.Kind, r.Title)
	for _, d := range r.Fields {
		out := "left as it is"
		if d.Safe != "" {
			out = "returns to " + d.Safe
		}
		name := "`" + d.Field + "`"
		if d.Refers != "" {
			name += "<br>names another cloud object: " + string(d.Refers)
			if d.ReferredIn != "" {
				name += " (`" + d.ReferredIn + "` of each)"
			}
			name += further(d)
		}
		if d.StandsFor != nil {
			name += alternative(d.StandsFor)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, effects(d.Effects)+lacks(r.Lacks, d.Field), cell(d.Equal), cell(out))
	}
	for _, reserved := range r.Reserved {
		most := ""
		if reserved.Most != "" {
			most = fmt.Sprintf("; with it, an object has at most the `%s` of the class", reserved.Most)
		}
		fmt.Fprintf(b, "| `%s` | through a ClusterProviderConfig, only the class sets `%s`, because %s%s | | |\n", reserved.Field, reserved.Value, cell(reserved.Does), most)
	}
	for _, l := range r.Lacks {
		if !slices.ContainsFunc(r.Fields, func(d driver.Field) bool { return d.Field == l.Field }) {
			fmt.Fprintf(b, "| `%s` | %s | | |\n", l.Field, lack(l))
		}
	}
}

// further says in a cell what else each entry of a field names, and by which path a class allows it.
func further(d driver.Field) string {
	texts := make([]string, 0, len(d.Further))
	for _, by := range d.Further {
		texts = append(texts, fmt.Sprintf(", and %s (`%s` of each, allowed as `%[3]s.%[2]s`)", by.Sort, by.In, d.Field))
	}
	return strings.Join(texts, "")
}

// alternative says in a cell which other field says the same, and which values agree.
func alternative(other *driver.Alternative) string {
	lines := []string{"", "stands for `" + other.Field + "`: set one of the two"}
	for _, value := range slices.Sorted(maps.Keys(other.Agree)) {
		lines = append(lines, value+" agrees with "+strings.Join(other.Agree[value], " and "))
	}
	return strings.Join(lines, "<br>")
}

// lacks says in a cell which values of a field the cloud does not have.
func lacks(all []driver.Lack, field string) (text string) {
	for _, l := range all {
		if l.Field == field {
			text += "<br>" + lack(l)
		}
	}
	return text
}

func lack(l driver.Lack) string {
	reason := "`NotSupported` "
	if l.Invalid {
		reason = "`Invalid` "
	}
	return reason + cell(strings.TrimSpace(when(l.Values)+" because "+l.Why+"; instead, "+l.Instead))
}

// when says of which values something is so; nothing for all.
func when(values string) string {
	if values == "" {
		return ""
	}
	return "when it is " + values + ","
}

// effects says in a cell what a change does, and when.
func effects(possible []driver.PossibleEffect) string {
	var lines []string
	for _, e := range possible {
		line := "`" + string(e.Effect) + "`"
		if e.When != "" {
			line += " when " + e.When
		}
		if e.Instead != "" {
			line += "; instead, " + e.Instead
		}
		lines = append(lines, cell(line)+cost(e.Cost))
	}
	return strings.Join(lines, "<br>")
}

// cost says in a cell what a change costs users, and where the cloud says so.
func cost(c driver.Cost) string {
	if c.Text == "" {
		return ""
	}
	text := "; " + cell(c.Text)
	if c.MultiZone != "" {
		text += "; with `availability: MultiZone`, " + cell(c.MultiZone)
	}
	return text + " ([source](" + c.Source + "))"
}

const fieldsIntroduction = `# What happens when I change this

A field that the spec does not set is neither compared nor changed. A change that is not ` + "`Online` obeys `spec.updates.disruptive`" + `.
What a change costs the users of a server is in previews and messages too. Where the cloud gives no time, the text says so.

| a change is | what that does |
|---|---|
| ` + "`Online`" + ` | nobody notices |
| ` + "`Interrupts`" + ` | connections break for a moment |
| ` + "`Restarts`" + ` | the server is away while it restarts |
| ` + "`LosesBackups`" + ` | restore points are deleted, and nobody can bring them back |
| ` + "`Irreversible`" + ` | it can never be taken back |
| ` + "`Impossible`" + ` | the cloud can't; the object says ` + "`Immutable`" + ` |

` + "`NotSupported`" + ` stands beside values and fields that the cloud does not have. Who asks for one is refused. An object that is in the cloud
already stays there as it is until its spec no longer asks for it.

` + "`status.pendingChanges`" + ` says for each difference which of these it is. What there is besides, such as what becomes of a
bucket at its deletion, is in [the API](api.md).

A field that names another cloud object can be set in three ways: by the class, within what [the class allows](../guides/platform.md#keys-networks-and-roles), or
through a ProviderConfig of the namespace's own.
`
