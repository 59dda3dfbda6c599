package engine

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// mariaDBStandard are the values of parameters that nobody set, where the engine's own are not small enough.
var mariaDBStandard = map[string]string{"max_connections": "20"}

// arguments are the parameters of a server. MariaDB ignores those that only MySQL has.
func (m mariaDB) arguments(values map[string]string) (args []string) {
	all := maps.Clone(mariaDBStandard)
	maps.Copy(all, values)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "--loose-"+name+"="+all[name])
	}
	return args
}

// check has the server's program read the parameters, and end.
func (m mariaDB) check(ctx context.Context, s *server, values map[string]string) error {
	args := append([]string{"--no-defaults", "--verbose", "--help"}, m.arguments(values)...)
	return s.nursery.run(ctx, s.home.command(s.folder, syscall.SIGKILL, m.server, args...))
}

// adopt sets what needs no restart.
func (m mariaDB) adopt(ctx context.Context, s *server, before map[string]string) error {
	names := maps.Clone(s.parameters)
	maps.Copy(names, before)
	maps.DeleteFunc(names, func(name, _ string) bool {
		was, had := before[name]
		is, has := s.parameters[name]
		return had == has && was == is
	})
	var quoted []string
	for name := range names {
		quoted = append(quoted, quoteMariaDB(name))
	}
	said, err := m.ask(ctx, s, "SELECT LOWER(variable_name) FROM information_schema.system_variables"+
		" WHERE read_only = 'NO' AND variable_scope <> 'SESSION ONLY' AND variable_name IN ("+strings.Join(quoted, ", ")+")")
	if err != nil {
		return err
	}
	var statements []string
	for name := range strings.FieldsSeq(said) {
		value, has := s.parameters[name]
		if !has {
			value, has = mariaDBStandard[name]
		}
		statements = append(statements, "SET GLOBAL "+name+" = "+mariaDBLiteral(value, has))
	}
	if statements == nil {
		return nil
	}
	return m.exec(ctx, s, statements...)
}

func mariaDBLiteral(value string, set bool) string {
	if !set {
		return "DEFAULT"
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return value
	}
	return quoteMariaDB(value)
}
