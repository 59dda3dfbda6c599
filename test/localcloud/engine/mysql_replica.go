package engine

import (
	"context"
	"crypto/rand"
	"hash/crc32"
	"net"
	"strconv"
	"sync"
)

// Replicas of MariaDB receive the binary log of their source, from where it was when the source's files were copied: the global transaction ids in a copy say where.
// https://mariadb.com/kb/en/gtid/
// https://mariadb.com/kb/en/setting-up-replication/

// mariaDBReplica is the user as whom a replica comes to its source. It is in the data of all sources and their copies.
const mariaDBReplica = "localcloudreplica"

var mariaDBReplicaPassword = sync.OnceValue(rand.Text)

// logging are the arguments about the binary log, which sources and replicas keep: the latter so that others can follow them.
func (mariaDB) logging(s *server) []string {
	if !s.leads && s.follows == nil {
		return []string{"--skip-log-bin", "--skip-slave-start"}
	}
	return []string{
		"--log-bin=binlog", "--binlog-format=ROW", "--log-slave-updates", "--relay-log=relay", "--skip-slave-start", "--slave-net-timeout=60",
		"--server-id=" + strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(s.id))|1), 10), "--read-only=" + onOff(s.follows != nil || s.readOnly),
	}
}

// lead makes the user for replicas. The log begins with the next start, which follows: a copy of the data ends the server.
func (m mariaDB) lead(ctx context.Context, s *server) error {
	user := quoteMariaDB(mariaDBReplica) + "@'%'"
	return m.exec(ctx, s, "SET sql_log_bin = OFF",
		"CREATE USER IF NOT EXISTS "+user+" IDENTIFIED BY "+quoteMariaDB(mariaDBReplicaPassword()),
		"GRANT REPLICATION SLAVE ON *.* TO "+user)
}

func (mariaDB) connection(s *server) string { return s.address.String() }

func (m mariaDB) follow(ctx context.Context, s *server) error {
	host, port, err := net.SplitHostPort(s.follows.at)
	if err != nil {
		return err
	}
	statements := []string{"STOP SLAVE"}
	if !s.follows.begun { // what the copy says of another source goes
		statements = append(statements, "RESET SLAVE ALL", "SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_binlog_pos")
	}
	err = m.exec(ctx, s, append(statements,
		"CHANGE MASTER TO MASTER_HOST = "+quoteMariaDB(host)+", MASTER_PORT = "+port+", MASTER_USER = "+quoteMariaDB(mariaDBReplica)+
			", MASTER_PASSWORD = "+quoteMariaDB(mariaDBReplicaPassword())+", MASTER_SSL = 1, MASTER_SSL_VERIFY_SERVER_CERT = 0, MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos",
		"START SLAVE")...)
	s.follows.begun = s.follows.begun || err == nil
	return err
}

func (m mariaDB) promote(ctx context.Context, s *server) error {
	return m.exec(ctx, s, "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = OFF")
}
