package rds

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// parametersRow has the parameters of the engine. A DB parameter group of the instance's own holds them.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.html
var parametersRow = table.Entries("parameters", portable.WantedParameters,
	func(i *instance) map[string]string { return i.settings.values() },
	func(p *instanceParams, d table.Delta) { p.Parameters = d }).
	Exact(portable.ExactParameters).
	Equal(portable.SameParameter, portable.SameParameterDoc).
	Waits(waitsForRestart).
	EffectOf(parametersEffect,
		driver.PossibleEffect{Effect: driver.Online, When: "all that change are dynamic, as RDS's list of parameters says; or the server gets a DB parameter group of its own for them, " +
			"and the restart that brings that into force is the next change"},
		driver.PossibleEffect{Effect: driver.Restarts, When: "one of them is static or the list can't be read, or parameters that are set wait for a restart", Cost: restartCost},
		driver.PossibleEffect{Effect: driver.Impossible, When: "RDS's list does not have one of them", Instead: misspelt})

// settings are what the DB parameter group of an instance sets.
type settings struct {
	set  map[string]string // what somebody set, without the entry of tls if that is declared
	tls  *tlsSetting       // nil if tls is not declared
	err  error             // why they could not be read
	list parameterList     // RDS's list of parameters; nil if it was not read
	// upgrades: the instance is to have another major version, whose list is another one.
	upgrades bool
	waits    string // what parameters wait for, as groupWaits says it
	inForce  bool   // only those that somebody set since the server took the group can wait
}

func (s *settings) values() map[string]string {
	if s == nil {
		return nil
	}
	return s.set
}

// lacks reports whether the group does not set all that it is to set.
func (s *settings) lacks(d table.Delta) bool {
	for name, value := range d.Set {
		if now, sets := s.set[name]; !sets || !portable.SameParameter(value, now) {
			return true
		}
	}
	return slices.ContainsFunc(d.Remove, func(name string) bool { _, sets := s.set[name]; return sets })
}

// waitsForRestart says what the parameters of an instance wait for.
func waitsForRestart(i *instance) table.Waiting {
	s := i.settings
	if s == nil || s.waits == "" {
		return table.Waiting{}
	}
	w := table.Waiting{For: s.waits}
	if s.inForce {
		w.Part = func(name string) bool { return len(s.list.static([]string{name})) > 0 }
	}
	return w
}

const misspelt = "correct the name, or remove it from spec.parameters"

// unknown returns the parameters to set that RDS's list does not have, as one that is misspelt.
func (s *settings) unknown(d table.Delta) []string {
	if s.list == nil || s.upgrades {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(d.Set)), func(name string) bool { _, has := s.list[name]; return has })
}

const whyUnknown = "some parameters restart the server and others apply at once; Mooring reads RDS's list of parameters before it makes the change"

func parametersEffect(d table.Delta, have *instance) (driver.Effect, string) {
	s := have.settings
	switch {
	case s == nil:
		return driver.Restarts, whyUnknown
	case !have.inOwnGroup() && s.lacks(d):
		return driver.Online, restartFollows
	}
	if unknown := s.unknown(d); len(unknown) > 0 {
		return driver.Impossible, strings.Join(unknown, ", ") + ": no parameter of " + have.family() + " in RDS; " + misspelt
	}
	switch {
	case d.Waits:
		return driver.Restarts, "the server takes parameters that are set when it restarts"
	case s.list == nil:
		return driver.Restarts, whyUnknown
	}
	if static := s.list.static(d.Names()); len(static) > 0 {
		return driver.Restarts, "the server takes " + strings.Join(static, ", ") + " when it restarts"
	}
	return driver.Online, ""
}

// hasParameters reports whether a spec says anything of the parameters of the engine.
func hasParameters(s *databaseSpec) bool { return s.Parameters != nil || s.TLS != nil }

// isExact reports whether entries of others go. A mode without parameters, as of a class, takes nothing away.
func isExact(s *databaseSpec) bool { return s.Parameters != nil && portable.ExactParameters(s) }

// observe returns an instance with what of it is declared.
func (d *instances) observe(ctx context.Context, req *request, o *driver.Observation) (*instance, error) {
	have, err := d.describe(ctx, req.Name)
	switch {
	case err != nil:
	case have == nil || req.Deletion != nil:
		d.takenRoles.forget(req.ID)
	default:
		have.rolesAgain = d.takenRoles.again(ctx, req, have)
	}
	if name := awsOf(&req.Spec).DBParameterGroupName; have != nil && name != nil {
		have.named = isAttached(have, *name)
	}
	if err == nil && have != nil && hasParameters(&req.Spec) && req.Deletion == nil {
		d.groups.read(ctx, req, have, o)
	}
	return have, err
}

// read adds the parameters of an instance. They take a call of their own, unless it is in a default group, which sets none.
func (g *groups) read(ctx context.Context, req *request, have *instance, o *driver.Observation) {
	set, err := map[string]string{}, error(nil)
	if name := groupName(have); name != "" && !isDefaultGroup(name) {
		set, err = g.calls.settingsIn(ctx, name)
	}
	if err == nil && have.inOwnGroup() {
		g.addGiven(ctx, have.family(), portable.WantedParameters(&req.Spec), set)
	}
	if err == nil {
		have.settings = settingsOf(&req.Spec, have, set)
		return
	}
	have.settings = &settings{err: err}
	for _, name := range rows.Declared(&req.Spec) {
		if ofGroup(name) {
			o.Unreadable = append(o.Unreadable, driver.FieldError{Field: name, Err: driver.ErrorOf(err)})
		}
	}
}

// settingsOf sorts what somebody set in the group of an instance into the fields of a spec.
func settingsOf(spec *databaseSpec, have *instance, set map[string]string) *settings {
	s := &settings{set: set, waits: have.groupWaits()}
	if spec.TLS != nil {
		s.tls = have.tlsBy(set)
		s.tls.waits = s.waits
		delete(set, tlsParameter(aws.ToString(have.Engine)))
	}
	return s
}

// learn reads RDS's list of parameters where some differ, or wait, that are in a group of the instance's own.
func (g *groups) learn(ctx context.Context, req *request, have *instance) {
	s := have.settings
	if s == nil || s.err != nil || !have.inOwnGroup() {
		return
	}
	names, ofTLS := parametersRow.Delta(&req.Spec, have, req.Applied).Names(), tlsParameter(aws.ToString(have.Engine))
	if s.tls != nil && (s.waits != "" || s.tls.value != *req.Spec.TLS) {
		names = append(names, ofTLS)
	}
	if s.waits != "" || len(names) > 0 {
		s.list = g.calls.list(ctx, have.family(), names)
	}
	s.upgrades = req.Spec.Version != nil && have.isMajor(*req.Spec.Version)
	s.inForce = slices.Contains(req.Applied[groupInForce], groupName(have))
	if s.tls != nil && s.inForce && len(s.list.static([]string{ofTLS})) == 0 {
		s.tls.waits = "" // it applied at once: what waits is another parameter
	}
}

// familyOf returns the family of the parameter groups that a version takes, for example postgres16, mysql8.4 or mariadb10.11.
func familyOf(engine, version string) string {
	return engine + portable.MajorVersion(v1alpha1.Engine(engine), version)
}

func (i *instance) family() string {
	return familyOf(aws.ToString(i.Engine), aws.ToString(i.EngineVersion))
}

// checkParameters refuses fields that contradict each other, as where a class sets one of them: the API has refused them in a spec.
func checkParameters(spec *databaseSpec) error {
	if awsOf(spec).DBParameterGroupName != nil && spec.Parameters != nil {
		return table.Fields{"parameters", "aws.dbParameterGroupName"}.Refuse("spec.parameters and spec.aws.dbParameterGroupName exclude each other, because the group sets the parameters: remove one of them from the spec or the class")
	}
	if twice := tlsTwice(spec); twice != "" {
		return table.Fields{"tls", "parameters"}.Refuse("%s", twice)
	}
	return nil
}

// explain names all parameters that RDS refuses, before its own words: these name one at most.
func (g *parameterGroups) explain(ctx context.Context, err error, family string, asked map[string]string) error {
	if driver.CodeOf(err) != driver.Invalid || len(asked) == 0 {
		return err
	}
	var problems []string
	list := g.list(ctx, family, slices.Sorted(maps.Keys(asked)))
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		if list == nil {
			break
		}
		if problem := list.problem(name, family, asked[name]); problem != "" {
			problems = append(problems, name+" "+problem)
		}
	}
	explained := *driver.ErrorOf(err)
	explained.Message = "correct spec.parameters: " + cmp.Or(prose.Join(problems), "one of "+strings.Join(slices.Sorted(maps.Keys(asked)), ", ")+" has a value that RDS does not take") +
		". RDS says: " + explained.Message
	return &explained
}
