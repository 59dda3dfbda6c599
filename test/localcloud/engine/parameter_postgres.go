package engine

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// postgresSmall makes a server small, where no parameter says otherwise.
var postgresSmall = map[string]string{
	"max_wal_senders": "20", // pg_basebackup takes two, a replica one
	"min_wal_size":    "2MB", "max_wal_size": "64MB", "shared_buffers": "8MB", "max_connections": "20", "autovacuum": "off",
	"max_logical_replication_workers": "0", "max_parallel_workers": "0", "jit": "off",
}

// check has the server's program read the parameters beside those of the data, and end.
func (p postgres) check(ctx context.Context, s *server, values map[string]string) error {
	args := []string{"-D", s.data(), "-C", "cluster_name"}
	for name, value := range values {
		args = append(args, "-c", name+"="+value)
	}
	return s.nursery.run(ctx, s.home.command(s.folder, syscall.SIGKILL, filepath.Join(p.bin, "postgres"), args...))
}

// adopt has the server read its files again: it takes what needs no restart.
func (p postgres) adopt(ctx context.Context, s *server, _ map[string]string) error {
	return s.reconfigure(ctx)
}

// parameterLines are the parameters of a server as lines of its configuration.
func (p postgres) parameterLines(s *server) (string, error) {
	values := maps.Clone(postgresSmall)
	maps.Copy(values, s.parameters)
	if s.follows != nil {
		least, err := p.controls(s)
		if err != nil {
			return "", err
		}
		for name, value := range least {
			if has, err := strconv.ParseInt(values[name], 10, 64); values[name] == "" || err == nil && has < value {
				values[name] = strconv.FormatInt(value, 10)
			}
		}
	}
	var lines strings.Builder
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `''`)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&lines, "%s = '%s'\n", name, quoted.Replace(values[name]))
	}
	return lines.String(), nil
}

// postgresControls are the parameters of which a standby must not have less than its source, by their names in the source's control file.
// https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-ADMIN
var postgresControls = map[string]string{
	"max_connections setting": "max_connections", "max_worker_processes setting": "max_worker_processes", "max_wal_senders setting": "max_wal_senders",
	"max_prepared_xacts setting": "max_prepared_transactions", "max_locks_per_xact setting": "max_locks_per_transaction",
}

// controls returns what a standby's source has, as far as the standby knows.
func (p postgres) controls(s *server) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), workTimeout)
	defer cancel()
	said, err := s.nursery.output(ctx, s.home.command(s.folder, syscall.SIGKILL, filepath.Join(p.bin, "pg_controldata"), "-D", s.data()))
	if err != nil {
		return nil, fmt.Errorf("pg_controldata: %w", err)
	}
	values := map[string]int64{}
	for line := range strings.Lines(said) {
		name, value, _ := strings.Cut(line, ":")
		if known := postgresControls[name]; known != "" {
			if values[known], err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil {
				return nil, fmt.Errorf("pg_controldata: %w", err)
			}
		}
	}
	return values, nil
}
