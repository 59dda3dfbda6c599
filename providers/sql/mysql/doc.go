// Package mysql manages accounts, privileges and databases of MySQL and MariaDB. See package sql for what it is part
// of.
//
// A user is an account `name'@'%`, or two that alternate. A level is a set of privileges on `database`.*, granted to
// each account directly: these servers have no owners of tables, so that nothing has to be handed on. What makes an
// account Mooring's is a row of the table `mooring`.`marks`: MariaDB has no comments on accounts. The row is written
// before the account, so that a crash between the two leaves nothing unknown.
//
// Privileges are read from information_schema, and never from the text of SHOW GRANTS. The session pins sql_mode and
// the character set, since both decide what a quote is.
//
// The statements for MySQL have been tested as texts only: the tests run on a real MariaDB.
package mysql
