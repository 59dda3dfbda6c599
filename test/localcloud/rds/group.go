package rds

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// rdsGroupQuota is how many DB parameter groups an account may have in a region.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Limits.html
const rdsGroupQuota = 50

// An rdsSetting is a parameter of an engine.
type rdsSetting struct {
	engine, name, kind string // kind is the data type
	allowed            string // as RDS writes it: 0,1 or 1-600 or a,b,c; empty for any
	static             bool
	fixed              bool   // nobody can change it
	given              string // the value that every group has by itself; empty if the engine decides
}

// rdsSettings are some of the parameters: most are of the recordings, whose words they have, and some are what people set.
// No recording shows those of MariaDB.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Appendix.PostgreSQL.CommonDBATasks.Parameters.html
var rdsSettings = []rdsSetting{
	{engine: "mariadb", name: "character_set_server", kind: "string", allowed: "latin1,utf8mb3,utf8mb4"},
	{engine: "mariadb", name: "long_query_time", kind: "float"},
	{engine: "mariadb", name: "max_connections", kind: "integer", allowed: "10-100000"},
	{engine: "mariadb", name: "performance_schema", kind: "boolean", allowed: "0,1", static: true},
	{engine: "mariadb", name: "require_secure_transport", kind: "boolean", allowed: "0,1"},
	{engine: "mariadb", name: "slow_query_log", kind: "boolean", allowed: "0,1"},
	{engine: "mariadb", name: "tls_version", kind: "list", allowed: "TLSv1.2,TLSv1.3", static: true},
	{engine: "mysql", name: "character_set_server", kind: "string", allowed: "latin1,utf8,utf8mb4"},
	{engine: "mysql", name: "long_query_time", kind: "float"},
	{engine: "mysql", name: "max_connections", kind: "integer", allowed: "1-100000"},
	{engine: "mysql", name: "performance_schema", kind: "boolean", allowed: "0,1", static: true},
	{engine: "mysql", name: "require_secure_transport", kind: "boolean", allowed: "0,1"},
	{engine: "mysql", name: "slow_query_log", kind: "boolean", allowed: "0,1"},
	{engine: "mysql", name: "tls_version", kind: "list", allowed: "TLSv1,TLSv1.1,TLSv1.2,TLSv1.3", static: true},
	{engine: "postgres", name: "application_name", kind: "string"},
	{engine: "postgres", name: "archive_timeout", kind: "integer", allowed: "0-2147483647", fixed: true},
	{engine: "postgres", name: "array_nulls", kind: "boolean", allowed: "0,1"},
	{engine: "postgres", name: "authentication_timeout", kind: "integer", allowed: "1-600"},
	{engine: "postgres", name: "autovacuum", kind: "boolean", allowed: "0,1"},
	{engine: "postgres", name: "deadlock_timeout", kind: "integer", allowed: "1-2147483647"},
	{engine: "postgres", name: "effective_cache_size", kind: "integer", allowed: "1-2147483647"},
	{engine: "postgres", name: "gin_pending_list_limit", kind: "integer", allowed: "64-2147483647"},
	{engine: "postgres", name: "idle_in_transaction_session_timeout", kind: "integer", allowed: "0-2147483647"},
	{engine: "postgres", name: "lock_timeout", kind: "integer", allowed: "0-2147483647"},
	{engine: "postgres", name: "log_autovacuum_min_duration", kind: "integer", allowed: "-1-2147483647"},
	{engine: "postgres", name: "log_connections", kind: "boolean", allowed: "0,1"},
	{engine: "postgres", name: "log_disconnections", kind: "boolean", allowed: "0,1"},
	{engine: "postgres", name: "log_error_verbosity", kind: "string", allowed: "terse,default,verbose"},
	{engine: "postgres", name: "log_lock_waits", kind: "boolean", allowed: "0,1"},
	{engine: "postgres", name: "log_min_duration_statement", kind: "integer", allowed: "-1-2147483647"},
	{engine: "postgres", name: "log_temp_files", kind: "integer", allowed: "-1-2147483647"},
	{engine: "postgres", name: "max_connections", kind: "integer", allowed: "6-8388607", static: true},
	{engine: "postgres", name: "max_replication_slots", kind: "integer", allowed: "0-262143", static: true, given: "20"},
	{engine: "postgres", name: "max_worker_processes", kind: "integer", allowed: "0-262143", static: true},
	{engine: "postgres", name: "rds.force_ssl", kind: "boolean", allowed: "0,1"},
	{engine: "postgres", name: "rds.logical_replication", kind: "boolean", allowed: "0,1", static: true},
	{engine: "postgres", name: "shared_buffers", kind: "integer", allowed: "16-1073741823", static: true},
	{engine: "postgres", name: "statement_timeout", kind: "integer", allowed: "0-2147483647"},
	{engine: "postgres", name: "temp_buffers", kind: "integer", allowed: "100-1073741823"},
	{engine: "postgres", name: "track_activities", kind: "boolean", allowed: "0,1"},
	{engine: "postgres", name: "unix_socket_directories", kind: "string", static: true, fixed: true},
	{engine: "postgres", name: "work_mem", kind: "integer", allowed: "64-2147483647"},
}

// settingsOf returns the parameters of a family, which is an engine and a major version: postgres16.
func settingsOf(family string) []rdsSetting {
	return slices.DeleteFunc(slices.Clone(rdsSettings), func(s rdsSetting) bool { return !strings.HasPrefix(family, s.engine) })
}

func settingOf(family, name string) *rdsSetting {
	all := settingsOf(family)
	if i := slices.IndexFunc(all, func(s rdsSetting) bool { return s.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

func (s *rdsSetting) takes(value string) bool {
	number, err := strconv.ParseInt(value, 10, 64)
	least, most, isRange := "", "", strings.Contains(s.allowed, "-")
	if at := strings.LastIndex(s.allowed, "-"); isRange {
		least, most = s.allowed[:at], s.allowed[at+1:]
	}
	switch {
	case s.allowed == "" && s.kind == "float":
		_, err := strconv.ParseFloat(value, 64)
		return err == nil
	case s.allowed == "":
		return true
	case isRange && s.kind == "integer":
		from, _ := strconv.ParseInt(least, 10, 64)
		to, _ := strconv.ParseInt(most, 10, 64)
		return err == nil && number >= from && number <= to
	case s.kind == "list":
		return !slices.ContainsFunc(strings.Split(value, ","), func(one string) bool { return !slices.Contains(strings.Split(s.allowed, ","), one) })
	}
	return slices.Contains(strings.Split(s.allowed, ","), value)
}

// shown returns the parameter as RDS lists it. The method of one that nobody set is pending-reboot, whatever its type, as in the recordings. One that
// somebody sets to the value that every group has does not count as set by anybody. No recording shows that; people report it.
// https://github.com/hashicorp/terraform-provider-aws/issues/22857
func (s *rdsSetting) shown(in *rdsGroup) rdstypes.Parameter {
	kind := map[bool]string{true: "static", false: "dynamic"}[s.static]
	p := rdstypes.Parameter{
		ParameterName: &s.name, DataType: &s.kind, ApplyType: &kind, ApplyMethod: rdstypes.ApplyMethodPendingReboot,
		IsModifiable: aws.Bool(!s.fixed), Source: aws.String("engine-default"), Description: &s.name,
	}
	if s.allowed != "" {
		p.AllowedValues = &s.allowed
	}
	if s.fixed {
		p.Source = aws.String("system")
	}
	if s.given != "" {
		p.ParameterValue, p.Source = &s.given, aws.String("system")
	}
	if in == nil {
		return p
	}
	if set, ok := in.values[s.name]; ok && set.value != s.given {
		p.ParameterValue, p.ApplyMethod, p.Source = &set.value, set.method, aws.String("user")
	}
	return p
}

// An rdsGroup is a DB parameter group.
type rdsGroup struct {
	name, family, description string
	values                    map[string]rdsValue
	tags                      []rdstypes.Tag
}

// An rdsValue is what somebody set, and when it was to take effect.
type rdsValue struct {
	value  string
	method rdstypes.ApplyMethod
}

func (c *call) shownGroup(g *rdsGroup) rdstypes.DBParameterGroup {
	return rdstypes.DBParameterGroup{
		DBParameterGroupArn: aws.String(c.arn(groupResource, g.name)), DBParameterGroupFamily: &g.family, DBParameterGroupName: &g.name, Description: &g.description,
	}
}

var rdsGroupNames = regexp.MustCompile(`^[a-z](-?[a-z0-9])*$`)

func familyOf(engine, version string) string { return engine + MajorVersion(engine, version) }

func isFamily(family string) bool {
	for engine, versions := range Versions {
		if slices.ContainsFunc(versions, func(v string) bool { return familyOf(engine, v) == family }) {
			return true
		}
	}
	return false
}

// rdsGivenGroups are groups that somebody made in every account and region, by their names, and their families.
var rdsGivenGroups = map[string]string{
	"older": "postgres15", "spare": "postgres16", "pay": "postgres16", "later": "postgres17", "pay-mysql": "mysql8.4", "pay-mariadb": "mariadb11.4",
}

// made returns a group that somebody made; nil if there is none.
func (c *call) made(key Key) *rdsGroup {
	if family := rdsGivenGroups[key.name]; c.groups[key] == nil && family != "" {
		c.groups[key] = &rdsGroup{name: key.name, family: family, description: key.name, values: map[string]rdsValue{}}
	}
	return c.groups[key]
}

// group returns a group: one that somebody made, or the default of a family, which every account has.
func (c *call) group(name *string) (*rdsGroup, error) {
	if aws.ToString(name) == "" {
		return nil, missingParameter("DBParameterGroupName")
	}
	key := c.ownKey(*name, groupResource)
	if g := c.made(key); g != nil {
		return g, nil
	}
	if family, ok := strings.CutPrefix(key.name, "default."); ok && isFamily(family) {
		return &rdsGroup{name: key.name, family: family, description: "Default parameter group for " + family}, nil
	}
	return nil, groupResource.missing(key.name)
}

// ownGroup returns a group that can be changed.
func (c *call) ownGroup(name *string) (*rdsGroup, error) {
	g, err := c.group(name)
	if err == nil && strings.HasPrefix(g.name, "default.") {
		err = amazon.Err(http.StatusBadRequest, "InvalidDBParameterGroupState", "Default DBParameterGroup cannot be modified: "+g.name)
	}
	return g, err
}

// members returns the instances of a group.
func (c *call) members(g *rdsGroup) (keys []Key) {
	for key, p := range own(c, c.instances) {
		if p.Now != nil && p.Now.groupName() == g.name {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(a.name, b.name) })
	return keys
}

func (in *Instance) groupName() string {
	if len(in.db.DBParameterGroups) == 0 {
		return ""
	}
	return aws.ToString(in.db.DBParameterGroups[0].DBParameterGroupName)
}

// joinGroup makes an instance a member of a group. What the group sets takes effect at the next restart; new instances begin with it.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithParamGroups.html
func (in *Instance) joinGroup(name, status string) {
	in.db.DBParameterGroups = []rdstypes.DBParameterGroupStatus{{DBParameterGroupName: &name, ParameterApplyStatus: &status}}
}
