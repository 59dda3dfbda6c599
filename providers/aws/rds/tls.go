package rds

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// The parameters by which engines refuse whoever comes without TLS.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/PostgreSQL.Concepts.General.SSL.Requiring.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/mysql-ssl-connections.require-ssl.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/mariadb-ssl-connections.require-ssl.html
const (
	tlsOfPostgres = "rds.force_ssl"
	tlsOfMySQL    = "require_secure_transport"
)

func tlsParameter(engine string) string {
	if engine == string(v1alpha1.EnginePostgres) {
		return tlsOfPostgres
	}
	return tlsOfMySQL
}

// A tlsSetting is whether a server refuses whoever comes without TLS, and what that waits for, as groupWaits says it.
type tlsSetting struct {
	value v1alpha1.TLS
	waits string
}

// String is how a change shows it.
func (s tlsSetting) String() string {
	return withWait(string(s.value), s.waits)
}

// MarshalJSON is how the mirror shows it: as the spec would.
func (s tlsSetting) MarshalJSON() ([]byte, error) { return json.Marshal(s.value) }

// tlsRow is an entry of the DB parameter group.
var tlsRow = table.Field("tls",
	func(s *databaseSpec) *tlsSetting {
		if s.TLS == nil {
			return nil
		}
		return &tlsSetting{value: *s.TLS}
	},
	func(i *instance) *tlsSetting {
		if i.settings == nil {
			return nil
		}
		return i.settings.tls
	},
	func(p *instanceParams, v tlsSetting) { p.TLS = &v.value },
).EffectOf(tlsEffect,
	driver.PossibleEffect{Effect: driver.Online, When: "it becomes Optional; or the server gets a DB parameter group of its own for it, and the restart that brings that into force " +
		"is the next change"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes Required: clients without TLS are refused at their next connection", Cost: tlsCost},
	driver.PossibleEffect{Effect: driver.Restarts, When: "RDS's list of parameters says that it is static or can't be read, or it is set and waits for a restart", Cost: restartCost})

const (
	whyRefused = "clients without TLS are refused at their next connection"
	whyTLS     = "the server restarts for it where RDS attaches a DB parameter group for it, or takes the parameter at a restart only; elsewhere it applies at once"
)

func tlsEffect(from *tlsSetting, to tlsSetting, have *instance) (driver.Effect, string) {
	s, refuses := have.settings, to.value == v1alpha1.TLSRequired
	switch {
	case from != nil && from.waits != "" && from.value == to.value:
		return driver.Restarts, "the server takes it when it restarts"
	case s != nil && !have.inOwnGroup():
		return driver.Online, restartFollows
	case (s == nil || s.list == nil) && refuses:
		return driver.Restarts, whyRefused + "; " + whyTLS
	case s == nil || s.list == nil:
		return driver.Restarts, whyTLS
	}
	name := tlsParameter(aws.ToString(have.Engine))
	switch static := len(s.list.static([]string{name})) > 0; {
	case static:
		return driver.Restarts, "the server takes " + name + " when it restarts"
	case refuses:
		return driver.Interrupts, whyRefused
	}
	return driver.Online, ""
}

// tlsFrom are the versions of each engine from which a server refuses clients without TLS unless somebody says otherwise.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/PostgreSQL.Concepts.General.SSL.Requiring.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/mysql-ssl-connections.require-ssl.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/mariadb-ssl-connections.require-ssl.html
var tlsFrom = map[string]string{
	string(v1alpha1.EnginePostgres): "15", string(v1alpha1.EngineMySQL): "9.7", string(v1alpha1.EngineMariaDB): "11.8",
}

// tlsBy returns what an instance does by what somebody set in its group, and else by its version.
func (i *instance) tlsBy(set map[string]string) *tlsSetting {
	engine := aws.ToString(i.Engine)
	from, requires := tlsFrom[engine]
	required := requires && portable.CompareVersions(aws.ToString(i.EngineVersion), from) >= 0
	if value, says := set[tlsParameter(engine)]; says {
		required, _ = portable.Switch(value)
	}
	s := &tlsSetting{value: v1alpha1.TLSOptional}
	if required {
		s.value = v1alpha1.TLSRequired
	}
	return s
}

// keepTLS adds the entry of tls to what is asked of the group that an upgrade attaches, where the new version by itself does otherwise than the spec
// and the server. Without it, clients without TLS would be refused from the upgrade until the server restarted for a group of its own.
func keepTLS(spec *databaseSpec, have *instance, params *instanceParams, asked *table.Delta) error {
	if spec.TLS == nil || awsOf(spec).DBParameterGroupName != nil || have.settings == nil {
		return nil
	}
	if have.settings.err != nil {
		return have.settings.err
	}
	after := &instance{DBInstance: types.DBInstance{Engine: have.Engine, EngineVersion: params.EngineVersion}}
	if have.settings.tls.value == *spec.TLS && after.tlsBy(nil).value != *spec.TLS {
		asked.Set[tlsParameter(aws.ToString(have.Engine))] = tlsValue(*spec.TLS)
	}
	return nil
}

// tlsValue is the value of the parameter.
func tlsValue(v v1alpha1.TLS) string {
	if v == v1alpha1.TLSRequired {
		return "1"
	}
	return "0"
}

// tlsTwice says that a spec has both tls and the parameter that is the same, as where a class sets one of them; nothing if it does not. Neither of the two
// wins: either may be what the class enforces.
func tlsTwice(spec *databaseSpec) string {
	for _, name := range []string{tlsOfPostgres, tlsOfMySQL} {
		if _, sets := spec.Parameters[name]; sets && spec.TLS != nil {
			return fmt.Sprintf("spec.tls and parameter %s of spec.parameters say the same: remove one of them from the spec or the class", name)
		}
	}
	return ""
}

// setsTwice reports whether a change would set what tlsTwice refuses. The restart that an attached group waits for sets nothing.
func setsTwice(c driver.Change) bool {
	return c.Field == "parameters" || c.Field == "tls" && !isRestart(c)
}

// fixedTwice makes the changes of a spec that says twice what tls is Impossible: the two would take turns.
func fixedTwice(spec *databaseSpec, changes []driver.Change) []driver.Change {
	twice := tlsTwice(spec)
	if twice == "" {
		return changes
	}
	changes = slices.Clone(changes)
	for i, c := range changes {
		if setsTwice(c) {
			changes[i].Effect, changes[i].Why = driver.Impossible, twice
		}
	}
	return changes
}

// fixedByGroup makes a change of tls Impossible where a group that the spec names says otherwise: the group is not Mooring's to change. Beside
// parameters, as where a class names the group, no group is attached either: it would take away the parameters that the server has.
func fixedByGroup(spec *databaseSpec, have *instance, changes []driver.Change) []driver.Change {
	group := awsOf(spec).DBParameterGroupName
	if group == nil {
		return changes
	}
	changes = append([]driver.Change{}, changes...)
	for i, c := range changes {
		switch {
		case c.Field == "parameters", c.Field == parameterGroup && spec.Parameters != nil:
			changes[i].Effect, changes[i].Why = driver.Impossible, "remove spec.parameters or spec.aws.dbParameterGroupName from the spec or the class: the group sets the parameters"
		case c.Field == "tls" && spec.TLS != nil && !isRestart(c):
			changes[i].Effect, changes[i].Why = driver.Impossible, fmt.Sprintf("set %s to %s in DB parameter group %s, or remove spec.tls",
				tlsParameter(aws.ToString(have.Engine)), tlsValue(*spec.TLS), *group)
		}
	}
	return changes
}

// fixedInPreview is what fixedTwice and fixedByGroup say of an edit, as far as it is known before: what another group sets is not.
func fixedInPreview(to *databaseSpec, have *instance, changes []driver.Change) []driver.Change {
	changes = fixedTwice(to, changes)
	if to.Parameters == nil && slices.Contains(driver.Names(changes), parameterGroup) {
		return changes
	}
	return fixedByGroup(to, have, changes)
}
