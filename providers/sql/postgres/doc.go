// Package postgres manages roles, privileges and logical databases of PostgreSQL. See package sql for what it is part
// of.
//
// Each logical database has three group roles without login (see Groups). The owner role owns the database and what
// owners make in it. A user is a role that is a member of the group role of its level, and that logs in itself or by
// two logins that are its members. Access to chosen schemas is granted to the user's role directly.
//
// What belongs to a role only that role changes for sure, and an administrator of a cloud is no superuser: statements
// run as the owner of an object, or as the grantor of a privilege (see snapshot.as). The mark of what Mooring makes is
// the comment on the role.
//
// Files: catalog.go has the queries, read.go sends them, rights.go says what a level is, grant.go compares it with what
// a role has, and role.go, database.go, user.go and drop.go plan.
package postgres
