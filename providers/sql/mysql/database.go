package mysql

import (
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

// record is the statement that writes a mark. It comes before what it is about: a crash between the two is no reason to
// take the object for another's.
func (s *snapshot) record(key markKey, mark string) sql.Statement {
	texts := []string{}
	if !s.registry {
		texts = append(texts, "CREATE DATABASE IF NOT EXISTS "+quote(registry)+" CHARACTER SET utf8mb4",
			"CREATE TABLE IF NOT EXISTS "+quote(registry)+".marks (kind VARCHAR(16) NOT NULL, name VARCHAR(128) COLLATE utf8mb4_bin NOT NULL, mark VARCHAR(1024) NOT NULL, PRIMARY KEY (kind, name)) CHARACTER SET utf8mb4")
	}
	texts = append(texts, "REPLACE INTO "+quote(registry)+".marks (kind, name, mark) VALUES ("+literal(key.kind)+", "+literal(key.name)+", "+literal(mark)+")")
	return sql.Statement{Name: "mark " + key.kind + " " + key.name, Texts: texts}
}

// forget is the statement that removes a mark.
func (s *snapshot) forget(key markKey) []sql.Statement {
	if _, is := s.marks[key]; !is {
		return nil
	}
	return []sql.Statement{{
		Name:  "remove the mark of " + key.kind + " " + key.name,
		Texts: []string{"DELETE FROM " + quote(registry) + ".marks WHERE kind = " + literal(key.kind) + " AND name = " + literal(key.name)},
	}}
}

// Database implements sql.Snapshot.
func (s *snapshot) Database(want sql.Database) (sql.Plan, error) {
	if err := checkDatabase(want); err != nil {
		return sql.Plan{}, err
	}
	key := markKey{kindDatabase, want.Name}
	has := s.database(want.Name)
	p := sql.Plan{Found: has != nil, Mark: s.marks[key]}
	switch {
	case has == nil && !want.Made:
		return p, sql.Missing("there is no logical database %q on the server", want.Name)
	case has != nil && want.Made && p.Mark != want.Mark && !want.Adopt:
		return p, sql.Taken("logical database", want.Name)
	}
	if want.Made && p.Mark != want.Mark {
		p.Mend("mark of logical database "+want.Name, "none or another", "this object", s.record(key, want.Mark))
	}
	if has == nil {
		text := "CREATE DATABASE IF NOT EXISTS " + quote(want.Name)
		if want.Charset != "" {
			text += " CHARACTER SET " + literal(want.Charset)
		}
		if want.Collation != "" {
			text += " COLLATE " + literal(want.Collation)
		}
		p.Mend("logical database "+want.Name, "missing", "made",
			sql.Statement{Name: "make logical database " + want.Name, Texts: []string{text}})
		return p, nil
	}
	if want.Charset != "" && !strings.EqualFold(want.Charset, has.charset) {
		p.Note("logical database %q has charset %s: Mooring does not change it to %s, since tables keep theirs",
			want.Name, has.charset, want.Charset)
	}
	if want.Collation != "" && !strings.EqualFold(want.Collation, has.collation) {
		p.Note("logical database %q has collation %s: Mooring does not change it to %s, since tables keep theirs",
			want.Name, has.collation, want.Collation)
	}
	return p, nil
}

// DropDatabase implements sql.Snapshot.
func (s *snapshot) DropDatabase(want sql.Database, force bool) (sql.Plan, error) {
	key := markKey{kindDatabase, want.Name}
	has := s.database(want.Name)
	p := sql.Plan{Found: has != nil, Mark: s.marks[key]}
	switch {
	case !want.Made:
		p.Note("logical database %q was not made for this object, and stays", want.Name)
		return p, nil
	case p.Mark != want.Mark && !want.Adopt:
		p.Note("logical database %q was not made for this object, and stays", want.Name)
		return p, nil
	case has != nil && has.tables > 0 && !force:
		return p, sql.NotEmpty(want.Name)
	case has != nil:
		p.Mend("logical database "+want.Name, "on the server", "dropped",
			sql.Statement{
				Name:  "drop logical database " + want.Name,
				Texts: []string{"DROP DATABASE IF EXISTS " + quote(want.Name)},
			})
	}
	p.Statements = append(p.Statements, s.forget(key)...)
	return p, nil
}
