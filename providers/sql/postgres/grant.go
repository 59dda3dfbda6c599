package postgres

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

// atOnce is how many objects one statement names at most.
const atOnce = 100

// databaseOwner is the role that stands for the owner of the database that a session is in.
const databaseOwner = "pg_database_owner"

// A work is the plan of one role in one logical database.
type work struct {
	shot     *snapshot
	plan     *sql.Plan
	database string
	in       *inside
}

// owner returns who acts for an owner.
func (w work) owner(name string) string {
	if name == databaseOwner {
		return w.shot.databases[w.database].owner
	}
	return name
}

// A batch is a change of privileges that one statement makes on many objects.
type batch struct {
	actor, kind, privileges string
	grantable               bool
}

// converge plans that a role has exactly these rights in the database.
func (w work) converge(grantee string, want rights, owner string) {
	w.grant(grantee, want)
	w.revoke(grantee, want)
	w.alterDefaults(grantee, want, owner)
}

// has returns what a role has, by object.
func (w work) has(grantee string) map[object][]string {
	has := map[object][]string{}
	for _, g := range w.grantsOf(grantee) {
		has[g.object] = append(has[g.object], g.privileges...)
	}
	return has
}

func (w work) grantsOf(grantee string) (all []grant) {
	of := func(g grant) bool { return g.grantee == grantee }
	for _, g := range slices.Concat(w.shot.databases[w.database].grants, w.in.grants) {
		if of(g) {
			all = append(all, g)
		}
	}
	return all
}

// grant plans the privileges that are missing.
func (w work) grant(grantee string, want rights) {
	has, batches := w.has(grantee), map[batch][]string{}
	add := func(o object, owner string, privileges []string) {
		if owner == grantee || owner == databaseOwner && w.owner(owner) == grantee {
			return // it has all privileges, and may not even have been granted them
		}
		if missing := without(privileges, has[o]); len(missing) > 0 {
			b := batch{actor: w.owner(owner), kind: o.kind, privileges: strings.Join(missing, ", ")}
			batches[b] = append(batches[b], target(o))
		}
	}
	add(object{kind: "database", name: w.database}, w.shot.databases[w.database].owner, want.database())
	for _, s := range w.in.schemas {
		add(object{kind: "schema", name: s.name}, s.owner, want.schema(s.name))
	}
	for _, r := range w.in.relations {
		o := object{kind: "table", schema: r.schema, name: r.name}
		if r.sequence {
			o.kind = "sequence"
		}
		add(o, r.owner, want.relation(r.schema, r.sequence))
	}
	for _, b := range sorted(batches) {
		w.send(b, batches[b], alteration{
			name: fmt.Sprintf("privileges of %q in %q", grantee, w.database), from: "without " + b.privileges, to: "with " + b.privileges,
			verb: "GRANT " + b.privileges, end: "TO " + quote(grantee),
		})
	}
}

// revoke plans the end of the privileges that are not declared, whoever granted them. Only whoever granted a privilege
// can revoke it.
func (w work) revoke(grantee string, want rights) {
	batches := map[batch][]string{}
	for _, g := range w.grantsOf(grantee) {
		extra := without(g.privileges, want.on(g.object))
		if len(extra) > 0 {
			b := batch{actor: w.owner(g.grantor), kind: g.kind, privileges: strings.Join(extra, ", ")}
			if column := " (" + quote(g.column) + ")"; g.kind == "column" {
				b.privileges = strings.Join(extra, column+", ") + column
			}
			batches[b] = append(batches[b], target(g.object))
		}
		if further := without(g.grantable, extra); len(further) > 0 && g.kind != "column" {
			b := batch{actor: w.owner(g.grantor), kind: g.kind, privileges: strings.Join(further, ", "), grantable: true}
			batches[b] = append(batches[b], target(g.object))
		}
	}
	for _, b := range sorted(batches) {
		verb, to := "REVOKE "+b.privileges, "none"
		if b.grantable {
			verb, to = "REVOKE GRANT OPTION FOR "+b.privileges, "without GRANT OPTION"
		}
		w.send(b, batches[b], alteration{
			name: fmt.Sprintf("privileges of %q in %q", grantee, w.database), from: b.privileges, to: to,
			verb: verb, end: "FROM " + quote(grantee) + " CASCADE",
		})
	}
}

// An alteration is what a batch does, in words and as the two ends of a statement.
type alteration struct{ name, from, to, verb, end string }

// send plans the statements of a batch.
func (w work) send(b batch, targets []string, a alteration) {
	slices.Sort(targets)
	targets = slices.Compact(targets)
	from := a.from + " on " + summary(b.kind, targets)
	statements := []sql.Statement{}
	for chunk := range slices.Chunk(targets, atOnce) {
		text := a.verb + " ON " + keywords[b.kind] + " " + strings.Join(chunk, ", ") + " " + a.end
		texts, can := w.shot.as(b.actor, text)
		if !can {
			w.plan.Note("%s: %s stays as it is, because it belongs to role %q, which the administrator %q can't become",
				a.name, from, b.actor, w.shot.admin)
			return
		}
		statements = append(statements, sql.Statement{Name: "change " + a.name, Database: w.database, Texts: texts})
	}
	w.plan.Mend(a.name, from, a.to, statements...)
}

// summary says which objects.
func summary(kind string, targets []string) string {
	if len(targets) == 1 {
		return kind + " " + targets[0]
	}
	return fmt.Sprintf("%d objects of kind %s, %s among them", len(targets), kind, targets[0])
}

// keywords are how GRANT calls kinds of objects.
var keywords = map[string]string{
	"database": "DATABASE", "schema": "SCHEMA", "table": "TABLE", "column": "TABLE", "sequence": "SEQUENCE", "routine": "ALL ROUTINES IN SCHEMA", "type": "TYPE",
	"language": "LANGUAGE", "wrapper": "FOREIGN DATA WRAPPER", "server": "FOREIGN SERVER", "large object": "LARGE OBJECT",
}

var digits = regexp.MustCompile(`^[0-9]+$`)

// target returns how a statement names an object. Routines are not named: their signatures are text of the server.
func target(o object) string {
	switch {
	case o.kind == "routine":
		return quote(o.schema)
	case o.kind == "large object" && digits.MatchString(o.name):
		return o.name
	case o.schema != "":
		return quote(o.schema) + "." + quote(o.name)
	}
	return quote(o.name)
}

// privilege is what names of privileges look like: they come from the server, and go into a statement.
var privilege = regexp.MustCompile(`^[A-Z][A-Z ]*$`)

// without returns what is in all and not in others, in order.
func without(all, others []string) (left []string) {
	for _, p := range all {
		if p == "TEMP" {
			p = "TEMPORARY"
		}
		if !slices.Contains(others, p) && !slices.Contains(left, p) && privilege.MatchString(p) {
			left = append(left, p)
		}
	}
	slices.Sort(left)
	return left
}

// sorted returns batches in an order that does not change: databases and schemas come before what is in them.
func sorted(batches map[batch][]string) []batch {
	return slices.SortedFunc(maps.Keys(batches), func(a, b batch) int {
		return cmp.Or(cmp.Compare(order(a.kind), order(b.kind)), cmp.Compare(a.actor, b.actor), cmp.Compare(a.privileges, b.privileges))
	})
}

func order(kind string) int {
	return slices.Index([]string{"column", "large object", "server", "wrapper", "language", "type", "routine", "database", "schema", "table", "sequence"}, kind)
}

// kindsOfDefaults are the keywords of default privileges.
var kindsOfDefaults = map[string]string{"r": "TABLES", "S": "SEQUENCES", "f": "ROUTINES", "T": "TYPES", "n": "SCHEMAS", "L": "LARGE OBJECTS"}

// alterDefaults plans the default privileges of objects that are made later.
func (w work) alterDefaults(grantee string, want rights, owner string) {
	wanted := want.defaults(owner, grantee)
	same := func(a, b defaultGrant) bool { return a.role == b.role && a.schema == b.schema && a.kind == b.kind }
	find := func(all []defaultGrant, d defaultGrant) (privileges []string) {
		for _, other := range all {
			if other.grantee == grantee && same(other, d) {
				privileges = append(privileges, other.privileges...)
			}
		}
		return privileges
	}
	for _, d := range wanted {
		if missing := without(d.privileges, find(w.in.defaults, d)); len(missing) > 0 {
			w.alterDefault(d, grantee, "GRANT "+strings.Join(missing, ", "), "TO", "none", strings.Join(missing, ", "))
		}
	}
	for _, d := range w.in.defaults {
		if d.grantee != grantee {
			continue
		}
		if extra := without(d.privileges, find(wanted, d)); len(extra) > 0 {
			w.alterDefault(d, grantee, "REVOKE "+strings.Join(extra, ", "), "FROM", strings.Join(extra, ", "), "none")
		}
	}
}

func (w work) alterDefault(d defaultGrant, grantee, change, preposition, from, to string) {
	name := fmt.Sprintf("default privileges of %q in %q on %s of %q", grantee, w.database, strings.ToLower(kindsOfDefaults[d.kind]), d.role)
	where := ""
	if d.schema != "" {
		if !slices.ContainsFunc(w.in.schemas, func(s schema) bool { return s.name == d.schema }) {
			w.plan.Note("%s: schema %q is not there", name, d.schema)
			return
		}
		where = " IN SCHEMA " + quote(d.schema)
	}
	texts, can := w.shot.as(d.role, "ALTER DEFAULT PRIVILEGES FOR ROLE "+quote(d.role)+where+" "+change+" ON "+kindsOfDefaults[d.kind]+" "+preposition+" "+quote(grantee))
	if !can {
		w.plan.Note("%s stay as they are, because the administrator %q can't become that role", name, w.shot.admin)
		return
	}
	w.plan.Mend(name, from, to, sql.Statement{Name: "change " + name, Database: w.database, Texts: texts})
}
