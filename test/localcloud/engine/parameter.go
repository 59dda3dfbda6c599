package engine

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// engineBounds are the most of a parameter that a server here takes: it reserves memory for that many, and dozens of servers share one machine.
var engineBounds = map[string]int64{
	"max_connections": 500, "shared_buffers": 2048, // of 8 KiB
	"max_worker_processes": 64, "max_wal_senders": 64, "max_replication_slots": 64, "max_prepared_transactions": 500, "max_locks_per_transaction": 256,
	"max_wal_size": 256, "wal_buffers": 512,
}

// engineKept are the parameters that a server here has as it is: it would not be reached, be small or be copied otherwise.
var engineKept = map[string][]string{
	"postgres": {
		"archive_command", "archive_mode", "client_connection_check_interval", "cluster_name", "dynamic_shared_memory_type", "fsync", "full_page_writes", "hot_standby",
		"huge_pages", "listen_addresses", "log_min_error_statement", "password_encryption", "port", "primary_conninfo", "restore_command", "shared_preload_libraries", "ssl",
		"ssl_cert_file", "ssl_key_file", "unix_socket_directories", "wal_init_zero", "wal_level", "wal_recycle",
	},
	"mysql": {
		"aria_pagecache_buffer_size", "bind_address", "binlog_format", "datadir", "innodb_buffer_pool_size", "innodb_doublewrite", "innodb_flush_log_at_trx_commit",
		"innodb_log_file_size", "key_buffer_size", "log_bin", "performance_schema", "port", "read_only", "server_id", "skip_name_resolve", "socket", "sql_log_bin", "tmpdir",
	},
}

// managedParameter reports whether a name is the cloud's own, or that of an extension: the engine has none of them.
func managedParameter(name string) bool {
	return strings.Contains(name, ".") || strings.HasPrefix(name, "rds_") || strings.HasPrefix(name, "cloudsql_")
}

// SetParameters has a server do as parameters say, and as it does by itself where they say nothing: at once where its engine can, when it starts where it cannot.
func (e *Engines) SetParameters(id string, values map[string]string) error {
	return e.with(id, "set parameters", func(ctx context.Context, in *instance) error {
		return in.backing.setParameters(ctx, func(map[string]string) map[string]string { return values })
	})
}

// ChangeParameters sets some of a server's parameters, and those with nil back.
func (e *Engines) ChangeParameters(id string, changes map[string]*string) error {
	return e.with(id, "change parameters", func(ctx context.Context, in *instance) error {
		return in.backing.setParameters(ctx, func(values map[string]string) map[string]string {
			values = maps.Clone(values)
			for name, value := range changes {
				if value == nil {
					delete(values, name)
					continue
				}
				values[name] = *value
			}
			return values
		})
	})
}

func (s *server) setParameters(ctx context.Context, next func(map[string]string) map[string]string) error {
	if s.asks == nil {
		s.asks = map[string]string{}
	}
	before, asked := s.parameters, s.asks
	s.asks = next(s.asks)
	s.parameters = s.taken(ctx, s.asks)
	if err := ctx.Err(); err != nil {
		s.parameters, s.asks = before, asked
		return context.Cause(ctx)
	}
	if s.process == nil || maps.Equal(before, s.parameters) {
		return nil
	}
	err := s.system.adopt(ctx, s, before)
	if err != nil { // it is tried again with the next change
		s.parameters, s.asks = before, asked
	}
	return err
}

// taken returns what of the parameters the server takes, and says in its log what it does not.
func (s *server) taken(ctx context.Context, asks map[string]string) map[string]string {
	kept := engineKept[s.engine]
	if s.engine == "mariadb" {
		kept = engineKept["mysql"]
	}
	taken := map[string]string{}
	for name, value := range asks {
		number, err := strconv.ParseInt(value, 10, 64)
		most, bounded := engineBounds[name]
		switch {
		case managedParameter(name):
			continue
		case slices.Contains(kept, name):
			s.note("%s stays as it is, and is not set to %q", name, value)
			continue
		case strings.ContainsFunc(value, unicode.IsControl):
			s.note("%s is not set: its value has control characters", name)
			continue
		case bounded && err == nil && number > most:
			s.note("%s is set to %d, and not to %s: servers here are small", name, most, value)
			value = strconv.FormatInt(most, 10)
		}
		taken[name] = value
	}
	if len(taken) == 0 || s.system.check(ctx, s, taken) == nil {
		return taken
	}
	for _, name := range slices.Sorted(maps.Keys(taken)) {
		if err := s.system.check(ctx, s, map[string]string{name: taken[name]}); err != nil {
			s.note("%s is not set to %q: %v", name, taken[name], err)
			delete(taken, name)
		}
	}
	return taken
}

// note writes a line into the server's log.
func (s *server) note(format string, args ...any) {
	log, err := os.OpenFile(s.log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return // the server says so when it starts
	}
	defer func() { _ = log.Close() }()
	_, _ = fmt.Fprintf(log, "local cloud: "+format+"\n", args...)
}
