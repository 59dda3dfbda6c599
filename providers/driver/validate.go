package driver

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
)

// parametersOf returns the specs of the kinds that a cloud can have. The Go types of the API are called as the kinds are.
func parametersOf(api []v1alpha1.ResourceObject) map[string]reflect.Type {
	specs := map[string]reflect.Type{}
	for _, object := range api {
		specs[reflect.TypeOf(object).Elem().Name()] = reflect.TypeOf(object.GetParameters()).Elem()
	}
	return specs
}

// connecting returns the kinds whose specs ask for connection Secrets.
func connecting(api []v1alpha1.ResourceObject) map[string]bool {
	kinds := map[string]bool{}
	for _, object := range api {
		_, kinds[reflect.TypeOf(object).Elem().Name()] = reflect.TypeOf(object.GetSpec()).Elem().FieldByName("Connection")
	}
	return kinds
}

// shortestName is how long the names must be that a cloud takes: shorter ones have no room for what makes them unique.
const shortestName = 20

const (
	// longestAccount is how long the id of an account may be. No cloud has longer ones: a project's has 30 characters at most.
	longestAccount = 63
	// mostRepeats is the largest number of repeats that a regular expression takes.
	mostRepeats = 1000
)

// Check validates the descriptions of drivers. The keys of the map are the names under which the drivers are
// registered. api has one object of each kind in the API; without any, the objects of v1alpha1.ResourceObjects are
// used.
func Check(drivers map[string]Driver, api ...v1alpha1.ResourceObject) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(drivers)) {
		if drivers[name] == nil {
			errs = append(errs, fmt.Errorf("driver %q: there is none under this name; register one, or remove the name", name))
			continue
		}
		d := drivers[name].Describe()
		err := d.CheckContract()
		if err == nil {
			err = d.Validate(api...) // what a description of another version lacks says nothing
		}
		if err == nil && d.Name != name {
			err = fmt.Errorf("it is registered as %q and describes itself as %q; register it under its own name", name, d.Name)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("driver %q: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// Validate returns all that is wrong with a description, with corrections; nil if nothing is. api is as in Check.
func (d *Description) Validate(api ...v1alpha1.ResourceObject) error {
	if len(api) == 0 {
		api = v1alpha1.ResourceObjects()
	}
	v := &validation{parameters: parametersOf(api), connects: connecting(api)}
	v.identity(d)
	if len(d.Resources) == 0 {
		v.add("it has no resources; describe one at least")
	}
	kinds := map[string]bool{}
	for _, r := range d.Resources {
		if kinds[r.Kind] {
			v.add("it describes kind %q twice; remove one", r.Kind)
		}
		kinds[r.Kind] = true
		v.resource(d.Name, r)
	}
	v.parents(d)
	return errors.Join(v.errs...)
}

type validation struct {
	// parameters are the specs of the kinds that there can be.
	parameters map[string]reflect.Type
	// connects are the kinds whose specs ask for connection Secrets.
	connects map[string]bool
	errs     []error
}

func (v *validation) add(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

// identity checks all that is not about a resource.
func (v *validation) identity(d *Description) {
	if d.Name == "" {
		v.add("it has no name; set Name to the cloud's name in the API")
	} else if !slices.Contains(v1alpha1.Clouds(), d.Name) {
		v.add("the API has no cloud %q, only %s; add its block to v1alpha1.Account, or correct Name", d.Name, strings.Join(v1alpha1.Clouds(), ", "))
	}
	if d.Title == "" {
		v.add("it has no title; set Title to what people call the cloud")
	}
	fields := v1alpha1.AccountFields(d.Name)
	v.oneOf("Account.ID", d.Account.ID, fields, "spec."+d.Name+" of a provider config")
	v.oneOf("Account.Region", d.Account.Region, fields, "spec."+d.Name+" of a provider config")
	if d.Account.OwnRegions != "" {
		v.oneOf("Account.OwnRegions", d.Account.OwnRegions, fields, "spec."+d.Name+" of a provider config")
	}
	if len(d.Secret.Required) == 0 {
		v.add("a credentials Secret without any key would do; name the keys in Secret.Required")
	}
	v.unique("Secret", d.Secret.All())
	v.unique("Secret.Public", d.Secret.Public)
	switch a := d.Audience; {
	case (a.Fixed == "") == (a.Field == ""):
		v.add("set exactly one of Audience.Fixed and Audience.Field")
	case a.Field != "":
		v.oneOf("Audience.Field", a.Field, v1alpha1.WebIdentityFields(), "credentials.webIdentity")
	}
}

// oneOf checks that a description names a field that the API has.
func (v *validation) oneOf(what, name string, fields []string, of string) {
	if !slices.Contains(fields, name) {
		v.add("%s is %q, which is no field of %s; choose one of: %s", what, name, of, strings.Join(fields, ", "))
	}
}

// unique checks that names are given, and given once.
func (v *validation) unique(what string, names []string) {
	known := map[string]bool{}
	for _, name := range names {
		switch {
		case name == "":
			v.add("%s: a name is empty; set it", what)
		case known[name]:
			v.add("%s: %q is there twice; remove one", what, name)
		}
		known[name] = true
	}
}

func (v *validation) resource(cloud string, r Resource) {
	spec, known := v.parameters[r.Kind]
	if !known {
		v.add("the API has no kind %q, only %s; correct Kind", r.Kind, strings.Join(slices.Sorted(maps.Keys(v.parameters)), ", "))
		return
	}
	of := &validation{connects: v.connects}
	if r.Title == "" {
		of.add("it has no title; set Title to what people call the kind in this cloud")
	}
	of.ownership(r)
	of.name(r.Name)
	of.unique("Known.Locations", r.Known.Locations)
	of.scope(cloud, r.Name)
	of.fields(r, spec, cloud)
	of.capabilities(r)
	of.beside(r)
	of.passwords(r)
	of.consequences(r, fieldpath.Leaves(spec))
	for _, err := range of.errs {
		v.add("kind %s: %w", r.Kind, err)
	}
}

func (v *validation) name(rule NameRule) {
	if rule.MaxLength < shortestName {
		v.add("Name.MaxLength is %d; names need %d characters at least to be unique", rule.MaxLength, shortestName)
	}
	for i, p := range rule.Patterns {
		for _, expression := range []string{p.Match, p.Never} {
			if _, err := regexp.Compile(expression); err != nil {
				v.add("Name.Patterns[%d]: %w; correct it", i, err)
			}
		}
		if p.Match == "" && p.Never == "" || p.Rule == "" {
			v.add("Name.Patterns[%d] lacks an expression or its Rule; set both", i)
		}
	}
	if (rule.WithAccount != 0) != (rule.WithAccountRule != "") {
		v.add("set both of Name.WithAccount and Name.WithAccountRule, or none")
	}
	if least := longestAccount + 1 + shortestName; rule.WithAccount != 0 && (rule.WithAccount < least || rule.WithAccount > mostRepeats) {
		v.add("Name.WithAccount is %d; set it to a number from %d, so that a name beside the longest account has %d characters, to %d, or to 0",
			rule.WithAccount, least, shortestName, mostRepeats)
	}
}

// alternatives checks that what a row stands for is another row, and that values of the two can agree.
func (v *validation) alternatives(fields []Field, rows []string) {
	for _, row := range fields {
		other := row.StandsFor
		if other == nil {
			continue
		}
		if other.Field == row.Field || !slices.Contains(rows, other.Field) {
			v.add("the row for %q stands for %q, which has no row of its own; correct it", row.Field, other.Field)
		}
		if len(other.Agree) == 0 {
			v.add("the row for %q stands for %q, and no values of the two agree; list those that do", row.Field, other.Field)
		}
	}
}

// fields checks that each field of the spec has a row or an exemption, and each row a field and an effect.
func (v *validation) fields(r Resource, spec reflect.Type, cloud string) {
	leaves, rows := fieldpath.Leaves(spec), []string{}
	for _, row := range r.Fields {
		rows = append(rows, row.Field)
		if row.Field != "" && row.Field != FieldUsername && !slices.Contains(leaves, row.Field) {
			v.add("there is a row for %q, which is no field of the spec; correct it", row.Field)
		}
		v.effects(row)
		v.refers(row, spec)
	}
	v.unique("Fields", rows)
	v.alternatives(r.Fields, rows)
	lacks := v.lacks(r, leaves, rows)
	v.reserved(r.Reserved, leaves)
	v.paths(r)
	for _, leaf := range leaves {
		reason, exempt := r.Exempt[leaf]
		switch {
		case exempt && slices.Contains(rows, leaf):
			v.add("%q has a row and an exemption; remove one", leaf)
		case exempt && slices.Contains(lacks, leaf):
			v.add("%q has an exemption, and Lacks names it; remove one", leaf)
		case exempt && reason == "":
			v.add("the exemption of %q gives no reason; set it", leaf)
		case !exempt && !slices.Contains(rows, leaf) && !slices.Contains(lacks, leaf) && !ofAnother(cloud, leaf):
			v.add("there is no row for %q, so it would be accepted and never applied; add a row, an exemption with its reason, or an entry of Lacks", leaf)
		}
	}
	for _, leaf := range slices.Sorted(maps.Keys(r.Exempt)) {
		if !slices.Contains(leaves, leaf) {
			v.add("there is an exemption for %q, which is no field of the spec; remove it", leaf)
		}
	}
}

// lacks checks what a cloud says that it does not have, and returns the fields that need no row because of that.
func (v *validation) lacks(r Resource, leaves, rows []string) (named []string) {
	for _, l := range r.Lacks {
		named = append(named, l.Field)
		if !slices.Contains(leaves, l.Field) && !besideParameters(r, l.Field, leaves) {
			v.add("Lacks names %q, which is no field of the spec; correct it", l.Field)
			continue
		}
		if l.Match == "" && slices.Contains(rows, l.Field) {
			v.add("%q has a row, and Lacks says that the cloud does not have the field; remove one, or say in Match which values the cloud does not have", l.Field)
		}
		if (l.Match == "") != (l.Values == "") {
			v.add("Lacks says of %q that the values %q are %q; set both of Match and Values, or none", l.Field, l.Match, l.Values)
		}
		if l.Why == "" || l.Instead == "" {
			v.add("Lacks does not say of %q why, or what to do instead; set both of Why and Instead", l.Field)
		}
		if l.Each != "" && (l.Match == "" || !slices.Contains(EntryParts, l.Each)) {
			v.add("Lacks says of %q that Each is %q; set it to one of %v beside Match, or remove it", l.Field, l.Each, EntryParts)
		}
		if _, err := regexp.Compile(l.Match); err != nil {
			v.add("Lacks: the values of %q: %w; correct Match", l.Field, err)
		}
		v.otherFields(l.Field, "with", l.With, leaves)
		v.otherFields(l.Field, "unless", l.Unless, leaves)
	}
	return named
}

// otherFields checks the values of other fields on which it depends whether a cloud lacks a value.
func (v *validation) otherFields(field, how string, expressions map[string]string, leaves []string) {
	for _, other := range slices.Sorted(maps.Keys(expressions)) {
		if _, err := regexp.Compile(expressions[other]); err != nil || !slices.Contains(leaves, other) {
			v.add("Lacks says of %q %s %q is %q, which is no field of the spec or no regular expression; correct it", field, how, other, expressions[other])
		}
	}
}

// effects checks that a row says what changing its field does, and when it does that.
func (v *validation) effects(row Field) {
	if len(row.Effects) == 0 {
		v.add("the row for %q does not say what a change does; give it an effect", row.Field)
	}
	for i, e := range row.Effects {
		switch {
		case !slices.Contains(Effects, e.Effect):
			v.add("the row for %q lists %q, which is no effect; choose one of %v", row.Field, e.Effect, Effects)
		case (e.When == "") != (len(row.Effects) == 1):
			v.add("the row for %q lists %d effects, and says of %s that it happens when %q; give each of several a condition, and a single one none",
				row.Field, len(row.Effects), e.Effect, e.When)
		case e.Cost.Text == "" && (e.Effect == Interrupts || e.Effect == Restarts):
			v.add("the row for %q says of %s nothing about how long users do without the object; set Cost, with the cloud's page in Source", row.Field, e.Effect)
		case e.Cost != Cost{} && !e.Effect.Disruptive():
			v.add("the row for %q says of %s that it costs users something; only an effect that disturbs them has a Cost", row.Field, e.Effect)
		case (e.Instead != "") != (e.Effect == Impossible):
			v.add("the row for %q says of %s what to do instead: %q; Impossible needs that, and no other effect has it", row.Field, e.Effect, e.Instead)
		case i > 0 && row.Effects[i-1].Effect.Compare(e.Effect) >= 0:
			v.add("the row for %q lists %s after %s; list the harmless first, and each once", row.Field, e.Effect, row.Effects[i-1].Effect)
		}
	}
}

// capabilities checks that what a kind can do and what its connection Secret says fit together.
func (v *validation) capabilities(r Resource) {
	username := slices.ContainsFunc(r.Fields, func(row Field) bool { return row.Field == FieldUsername })
	if r.Capabilities.Login != username {
		v.add("Capabilities.Login is %t, and there is a row for %q: %t; have both or none", r.Capabilities.Login, FieldUsername, username)
	}
	lacks := slices.ContainsFunc(r.Lacks, func(l Lack) bool { return l.Field == fieldSource })
	if can := r.Capabilities; can.Login && can.ManagedPassword == lacks {
		v.add("Capabilities.ManagedPassword is %t, and Lacks names %q: %t; have one of them", can.ManagedPassword, fieldSource, lacks)
	}
	for _, action := range r.Capabilities.Actions {
		if !slices.Contains(Actions, action) {
			v.add("Capabilities.Actions names %q, which people can't ask for; name some of %q", action, Actions)
		}
	}
	if r.Capabilities.ManagedPassword && !r.Capabilities.Login {
		v.add("Capabilities.ManagedPassword needs Capabilities.Login; set both, or remove it")
	}
	switch c := r.Connection; {
	case (c.Type == "") != (c.Scheme == ""):
		v.add("set both of Connection.Type and Connection.Scheme, or none")
	case c.Type == "" && !r.Capabilities.Login && v.connects[r.Kind]:
		v.add("it has neither a login nor a Connection, so nothing says how to connect to it; set Connection")
	}
}

// passwords checks that there is one rule for the passwords of each engine.
func (v *validation) passwords(r Resource) {
	if r.Capabilities.Login != (len(r.Passwords) > 0) {
		v.add("Capabilities.Login is %t, and there are %d rules in Passwords; have both or none", r.Capabilities.Login, len(r.Passwords))
		return
	}
	var engines []string
	others := 0
	for _, p := range r.Passwords {
		engines = append(engines, p.Engines...)
		if len(p.Engines) == 0 {
			others++
		}
		if p.MaxLength > 0 && p.MaxLength < p.MinLength {
			v.add("Passwords: no password has %d to %d bytes; correct MinLength or MaxLength", p.MinLength, p.MaxLength)
		}
	}
	v.unique("Passwords.Engines", engines)
	if r.Capabilities.Login && others != 1 {
		v.add("Passwords has %d rules without engines; have exactly one, for all engines that no other rule names", others)
	}
}

// consequences checks that what people are told before a creation or a deletion is there where it applies, and names fields of the spec.
func (v *validation) consequences(r Resource, leaves []string) {
	c, can := r.Consequences, r.Capabilities
	if c.Noun == "" {
		v.add("Consequences.Noun is empty; set it to what the cloud calls an object")
	}
	if (c.SnapshotKept != "") != can.Snapshots {
		v.add("Consequences.SnapshotKept is %q, and Capabilities.Snapshots is %t; have both or none", c.SnapshotKept, can.Snapshots)
	}
	if !can.Snapshots && c.WithSnapshot != "" {
		v.add("Consequences.WithSnapshot is %q, and Capabilities.Snapshots is false; have both or none", c.WithSnapshot)
	}
	if (c.Contents != "") != can.Contents {
		v.add("Consequences.Contents is %q, and Capabilities.Contents is %t; have both or none", c.Contents, can.Contents)
	}
	texts, unset := []string{c.Noun, c.SnapshotKept, c.WithSnapshot, c.WithoutSnapshot, c.Contents}, []string{}
	for _, u := range c.Unset {
		unset, texts = append(unset, u.Field), append(texts, u.Means)
		if !slices.Contains(leaves, u.Field) {
			v.add("Consequences.Unset names %q, which is no field of the spec; correct it", u.Field)
		}
		if !strings.Contains(u.Means, "set spec.") {
			v.add("Consequences.Unset says of %q %q, and not what to set; name the field: set spec.%s", u.Field, u.Means, u.Field)
		}
	}
	v.unique("Consequences.Unset", unset)
	if strings.HasSuffix(r.Restore, ".") {
		v.add("Restore %q ends with a full stop; remove it", r.Restore)
	}
	for _, text := range texts {
		if strings.HasSuffix(text, ".") {
			v.add("Consequences: %q ends with a full stop; remove it", text)
		}
	}
}

// ofAnother reports whether a field is in the block of another cloud.
func ofAnother(cloud, leaf string) bool {
	block, _, nested := strings.Cut(leaf, ".")
	return nested && block != cloud && slices.Contains(v1alpha1.Clouds(), block)
}
