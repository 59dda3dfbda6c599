package postgres

// The queries of Read. Each sees only what concerns the roles of its first parameter, or is small on any server.

// queryServer is who we are, and where.
const queryServer = `SELECT current_setting('server_version_num')::int, current_user::text, pg_has_role(current_user, 'pg_signal_backend', 'USAGE'), pg_is_in_recovery()`

// queryRoles are all roles: memberships lead through others.
const queryRoles = `SELECT r.rolname::text, COALESCE(d.description, ''), r.rolsuper, r.rolcanlogin, r.rolinherit, r.rolcreatedb, r.rolcreaterole, r.rolreplication, r.rolbypassrls,
  r.rolvaliduntil IS NOT NULL AND r.rolvaliduntil <> 'infinity', r.rolconnlimit
FROM pg_roles r LEFT JOIN pg_shdescription d ON d.objoid = r.oid AND d.classoid = 'pg_authid'::regclass`

const queryMembers = `SELECT pg_get_userbyid(m.member)::text, pg_get_userbyid(m.roleid)::text, bool_or(m.admin_option), bool_or(r.rolinherit), true, '{}'::text[]
FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member GROUP BY 1, 2`

// queryMembersOptions is for servers from 16 on.
const queryMembersOptions = `SELECT pg_get_userbyid(m.member)::text, pg_get_userbyid(m.roleid)::text, bool_or(m.admin_option), bool_or(m.inherit_option), bool_or(m.set_option), array_agg(pg_get_userbyid(m.grantor)::text)
FROM pg_auth_members m GROUP BY 1, 2`

const queryDatabases = `SELECT d.datname::text, pg_get_userbyid(d.datdba)::text, pg_encoding_to_char(d.encoding)::text, d.datcollate::text, d.datallowconn,
  ARRAY(SELECT x.privilege_type FROM aclexplode(COALESCE(d.datacl, acldefault('d', d.datdba))) x WHERE x.grantee = 0)
FROM pg_database d WHERE NOT d.datistemplate`

const queryDatabaseGrants = `SELECT 'database', '', d.datname::text, '', pg_get_userbyid(d.datdba)::text, r.rolname::text, pg_get_userbyid(x.grantor)::text,
  array_agg(x.privilege_type), COALESCE(array_agg(x.privilege_type) FILTER (WHERE x.is_grantable), '{}')
FROM pg_database d, aclexplode(d.datacl) x JOIN pg_roles r ON r.oid = x.grantee
WHERE r.rolname = ANY($1) AND x.grantee <> d.datdba GROUP BY 3, 5, 6, 7`

const querySettings = `SELECT r.rolname::text, d.datname::text, substr(c, 6)
FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) c
WHERE r.rolname = ANY($1) AND c LIKE 'role=%'`

const queryDepends = `SELECT r.rolname::text, COALESCE(d.datname::text, ''), CASE s.classid WHEN 'pg_database'::regclass THEN COALESCE('database ' || o.datname, 'database') ELSE s.classid::regclass::text END, s.deptype = 'o', count(*)::int
FROM pg_shdepend s JOIN pg_roles r ON r.oid = s.refobjid AND s.refclassid = 'pg_authid'::regclass LEFT JOIN pg_database d ON d.oid = s.dbid
LEFT JOIN pg_database o ON s.classid = 'pg_database'::regclass AND o.oid = s.objid
WHERE r.rolname = ANY($1) GROUP BY 1, 2, 3, 4`

// theirs leaves out the schemas of the server itself. Temporary tables are gone with their session.
const theirs = `n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`

const querySchemas = `SELECT n.nspname::text, pg_get_userbyid(n.nspowner)::text,
  EXISTS (SELECT FROM aclexplode(COALESCE(n.nspacl, acldefault('n', n.nspowner))) x WHERE x.grantee = 0 AND x.privilege_type = 'CREATE')
FROM pg_namespace n WHERE ` + theirs + ` AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = 'pg_namespace'::regclass AND e.objid = n.oid AND e.deptype = 'e')`

const queryRelations = `SELECT n.nspname::text, c.relname::text, pg_get_userbyid(c.relowner)::text, c.relkind = 'S'
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND ` + theirs + `
  AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
ORDER BY 1, 2`

const queryTables = `SELECT count(*)::int FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'm', 'f') AND ` + theirs + `
  AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')`

// queryGrants are all privileges of our roles in a database, of whatever kind the object is.
const queryGrants = `WITH acls AS (
  SELECT CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END AS kind, n.nspname::text AS schema, c.relname::text AS name, ''::text AS attribute, c.relowner AS owner, c.relacl AS acl
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relacl IS NOT NULL AND c.relpersistence <> 't'
  UNION ALL SELECT 'column', n.nspname, c.relname, a.attname, c.relowner, a.attacl
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attacl IS NOT NULL AND NOT a.attisdropped AND c.relpersistence <> 't'
  UNION ALL SELECT 'schema', '', nspname, '', nspowner, nspacl FROM pg_namespace WHERE nspacl IS NOT NULL
  UNION ALL SELECT 'routine', n.nspname, '', '', p.proowner, p.proacl FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.proacl IS NOT NULL
  UNION ALL SELECT 'type', n.nspname, t.typname, '', t.typowner, t.typacl FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typacl IS NOT NULL
  UNION ALL SELECT 'language', '', lanname, '', lanowner, lanacl FROM pg_language WHERE lanacl IS NOT NULL
  UNION ALL SELECT 'wrapper', '', fdwname, '', fdwowner, fdwacl FROM pg_foreign_data_wrapper WHERE fdwacl IS NOT NULL
  UNION ALL SELECT 'server', '', srvname, '', srvowner, srvacl FROM pg_foreign_server WHERE srvacl IS NOT NULL
  UNION ALL SELECT 'large object', '', oid::text, '', lomowner, lomacl FROM pg_largeobject_metadata WHERE lomacl IS NOT NULL)
SELECT kind, schema, name, attribute, pg_get_userbyid(owner)::text, r.rolname::text, pg_get_userbyid(x.grantor)::text,
  array_agg(DISTINCT x.privilege_type), COALESCE(array_agg(DISTINCT x.privilege_type) FILTER (WHERE x.is_grantable), '{}')
FROM acls, aclexplode(acls.acl) x JOIN pg_roles r ON r.oid = x.grantee
WHERE r.rolname = ANY($1) AND x.grantee <> owner GROUP BY 1, 2, 3, 4, 5, 6, 7`

const queryDefaults = `SELECT pg_get_userbyid(d.defaclrole)::text, COALESCE(n.nspname::text, ''), d.defaclobjtype::text, r.rolname::text, array_agg(DISTINCT x.privilege_type)
FROM pg_default_acl d LEFT JOIN pg_namespace n ON n.oid = d.defaclnamespace, aclexplode(d.defaclacl) x JOIN pg_roles r ON r.oid = x.grantee
WHERE r.rolname = ANY($1) AND x.grantee <> d.defaclrole GROUP BY 1, 2, 3, 4`

const queryOwned = `SELECT r.rolname::text, s.classid::regclass::text, count(*)::int
FROM pg_shdepend s JOIN pg_roles r ON r.oid = s.refobjid JOIN pg_database d ON d.oid = s.dbid AND d.datname = current_database()
WHERE s.refclassid = 'pg_authid'::regclass AND s.deptype = 'o' AND r.rolname = ANY($1)
  AND NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE s.classid = 'pg_class'::regclass AND c.oid = s.objid AND n.nspname ~ '^pg_temp_')
  AND NOT EXISTS (SELECT FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE s.classid = 'pg_type'::regclass AND t.oid = s.objid AND n.nspname ~ '^pg_temp_')
GROUP BY 1, 2`

// queryExtensions reads files of the server: it is sent only where extensions are declared.
const queryExtensions = `WITH v AS MATERIALIZED (SELECT name, array_agg(version ORDER BY version) AS versions FROM pg_available_extension_versions GROUP BY name)
SELECT a.name::text, COALESCE(a.installed_version, ''), COALESCE(a.default_version, ''), COALESCE(v.versions, '{}')
FROM pg_available_extensions a LEFT JOIN v USING (name)`
