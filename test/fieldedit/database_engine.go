package fieldedit

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// AWSMySQL returns a server of RDS for MySQL in a region.
func AWSMySQL(region string) Kind[v1alpha1.DatabaseParameters] {
	k := AWSDatabase(region)
	fields := slices.DeleteFunc(k.Fields, func(f drivertest.Field) bool { return f.Name == fieldRoles })
	return Kind[v1alpha1.DatabaseParameters]{
		Full: func() v1alpha1.DatabaseParameters {
			p := k.Full()
			p.Engine, p.Version, p.AWS.InstanceClass = new(v1alpha1.EngineMySQL), new("8.4.4"), new("db.t4g.medium") // the smaller ones have no insights
			p.Parameters = map[string]v1alpha1.ParameterValue{"max_connections": "50", "long_query_time": "2"}
			p.AWS.CloudwatchLogsExports, p.AWS.OptionGroupName = []string{"slowquery", "iam-db-auth-error"}, new("audit")
			p.AWS.AssociatedRoles = nil
			return p
		},
		Fields: with(fields,
			drivertest.Field{Name: "aws.instanceClass", To: "db.t4g.large"},
			drivertest.Field{Name: "version", To: "8.4.6", Means: newer(v1alpha1.EngineMySQL)},
			drivertest.Field{Name: "parameters", To: map[string]string{"max_connections": "60", "long_query_time": "4"}, Follows: k.field("parameters").Follows},
			drivertest.Field{Name: "aws.dbParameterGroupName", To: "pay-mysql", Worst: true, Follows: k.field("aws.dbParameterGroupName").Follows,
				Given: map[string]any{"aws.dbParameterGroupName": "default.mysql8.4", "parameters": nil, "tls": nil}},
			drivertest.Field{Name: "aws.optionGroupName", To: "audit-queries"},
			drivertest.Field{Name: "aws.cloudwatchLogsExports", To: []string{"error", "general"}},
		),
	}
}

// AWSMariaDB returns a server of RDS for MariaDB in a region.
func AWSMariaDB(region string) Kind[v1alpha1.DatabaseParameters] {
	k := AWSMySQL(region)
	fields := slices.DeleteFunc(k.Fields, func(f drivertest.Field) bool { return f.Name == "aws.engineLifecycleSupport" }) // RDS has none for MariaDB
	return Kind[v1alpha1.DatabaseParameters]{
		Full: func() v1alpha1.DatabaseParameters {
			p := k.Full()
			p.Engine, p.Version = new(v1alpha1.EngineMariaDB), new("11.4.5")
			p.AWS.OptionGroupName, p.AWS.EngineLifecycleSupport = new("default:mariadb-11-4"), nil
			return p
		},
		Fields: with(fields,
			drivertest.Field{Name: "version", To: "11.4.7", Means: newer(v1alpha1.EngineMariaDB)},
			drivertest.Field{Name: "aws.dbParameterGroupName", To: "pay-mariadb", Worst: true, Follows: k.field("aws.dbParameterGroupName").Follows,
				Given: map[string]any{"aws.dbParameterGroupName": "default.mariadb11.4", "parameters": nil, "tls": nil}},
			drivertest.Field{Name: "aws.optionGroupName", To: "audit-maria"},
		),
	}
}

// GCPMySQL returns a server of Cloud SQL for MySQL in a location.
func GCPMySQL(location string) Kind[v1alpha1.DatabaseParameters] {
	k := GCPDatabase(location)
	return Kind[v1alpha1.DatabaseParameters]{
		Full: func() v1alpha1.DatabaseParameters {
			p := k.Full()
			p.Engine, p.Version = new(v1alpha1.EngineMySQL), new("8.0")
			p.Parameters = map[string]v1alpha1.ParameterValue{"max_connections": "80", "long_query_time": "2"}
			return p
		},
		Fields: with(k.Fields,
			drivertest.Field{Name: "version", To: "8.4", Means: newer(v1alpha1.EngineMySQL)},
			drivertest.Field{Name: "parameters", To: map[string]string{"max_connections": "90", "long_query_time": "4"}, Follows: k.field("parameters").Follows},
		),
	}
}

// with returns fields, some of which another engine has other values of.
func with(fields []drivertest.Field, others ...drivertest.Field) []drivertest.Field {
	all := slices.Clone(fields)
	for i, f := range all {
		for _, other := range others {
			if other.Name == f.Name {
				all[i] = other
			}
		}
	}
	return all
}

// field returns an entry of Fields.
func (k Kind[S]) field(name string) drivertest.Field {
	return k.Fields[slices.IndexFunc(k.Fields, func(f drivertest.Field) bool { return f.Name == name })]
}
