package rds

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

type request = table.Request[v1alpha1.DatabaseParameters]

// An instance is what RDS says of one, and of its DB parameter group where that is declared.
type instance struct {
	types.DBInstance
	settings *settings // nil if they were not read
	named    bool      // the spec names the DB parameter group that it has, which is nobody's but the user's then

	rolesAgain []v1alpha1.AssociatedRole // are to be associated anew
}

// instances manages RDS instances.
type instances struct {
	*session.Session
	rds    *rds.Client
	groups *groups

	takenRoles takenRoles
}

type adapter = table.Adapter[databaseSpec, instance, instanceParams]

// newInstances returns what manages RDS instances. One read of an instance tells it all: the tags come with it.
func newInstances(s *session.Session) *adapter {
	client := rds.NewFromConfig(s.Config)
	d := &instances{Session: s, rds: client, groups: &groups{&parameterGroups{session: s, rds: client}}}
	return &adapter{
		Table: rows, Lacks: allLacks, Noun: "instance", ReadCall: "DescribeDBInstances", Region: s.Region, Fixed: true,
		Read: d.observe, Learn: d.groups.learn, Remains: d.groups.remain, Release: d.groups.release,
		State: stateOfInstance, Support: newSupportCatalogue(s, client).support, Login: compareUsername, Review: whileItWaits, Sayable: withoutChosenZone,
		Following: replicator{d}.following(),
		Beside: &table.Succession[databaseSpec, instance, instanceParams]{
			Observe: func(ctx context.Context, req *request, have *instance, o *driver.Observation) error {
				if err := (deployer{d}).observe(ctx, req, have, o); err != nil {
					return err
				}
				return observeUpgrade(ctx, d, req, have, o)
			},
			Together: deployer{d}.together, Upgrade: deployer{d}.upgrade, Undo: deployer{d}.undo, Former: deployer{d}.former,
		},
		Snapshot: finalSnapshots{d}.lookFor, Restorable: restorer{d}.restorable,
		Tags:      func(p *instanceParams) *table.Delta { return &p.Tags },
		Password:  func(p *instanceParams, password string) { p.MasterUserPassword = &password },
		Manage:    func(p *instanceParams, managed bool) { p.ManageMasterUserPassword = &managed },
		Creatable: creatable, Make: d.create, Taken: creation, Refusals: refusals,
		Unsent: map[string]string{"location": "the connection is to one region"},
		Parts: []table.Part[databaseSpec, instance, instanceParams]{
			{Fields: []string{"tags"}, Write: d.writeTags, Taken: table.Names{"Tags"}},
			{Fields: []string{fieldRoles}, Write: associator{d}.write, Taken: table.Names{"AssociatedRoles"}, Later: true},
			{Write: d.modify, Taken: modification, Refuses: refusesValues, Steps: true},
			{Fields: []string{driver.FieldPowerState}, Write: d.power, Taken: table.Names{"PowerState"}, Later: true},
		},
		Listing: &table.Listing[instance]{Read: d.list, Lacks: []string{"parameters", "tls"}},
		Remove:  d.remove,
		Actions: operator{d}.actions, Act: operator{d}.act,
	}
}

// instanceNames is what RDS asks of the name of a new instance. It takes capital letters too, and keeps them as small ones.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Limits.html#RDS_Limits.Constraints
var instanceNames = []driver.NamePattern{
	{Match: `^.{1,63}$`, Rule: "RDS accepts names of at most 63 characters"},
	{Match: `^[a-z](-?[a-z0-9])*$`,
		Rule: "RDS accepts names of letters (stored in lower case), digits and single hyphens that begin with a letter and do not end with a hyphen"},
}

// passwords is what RDS asks of an administrator's password.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (MasterUserPassword)
var passwords = []driver.PasswordRule{
	{MinLength: 8, MaxLength: 128, ASCII: true, Excluded: `/"@ `},
	{Engines: []string{string(v1alpha1.EngineMySQL), string(v1alpha1.EngineMariaDB)}, MinLength: 8, MaxLength: 41, ASCII: true, Excluded: `/"@ `},
}

// Databases is what the driver has of databases.
var Databases = table.Kind[*session.Session]{
	Name: "Database",
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Amazon RDS", Name: driver.NameRule{MaxLength: 63, Patterns: instanceNames}, Passwords: passwords, Fields: docs(), Consequences: consequences(),
			Lacks: allLacks, Known: driver.Known{Locations: session.Regions, Versions: majorVersions}, Exempt: map[string]string{"parametersMode": portable.ParametersModeExempt},
			Capabilities: driver.Capabilities{Login: true, ManagedPassword: true, Snapshots: true, Restores: true, PointInTime: true, RestoresDeleted: true, Replicas: true, Beside: true, Stop: true, List: true, Actions: actions}, Ownership: driver.OwnedByTags,
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, preview)
	},
	Check: checkDraft,
	Tags:  session.MostTags,
	Handler: func(s *session.Session) table.Handler {
		if s.S3Compatible() {
			return table.Refuse(&driver.Error{Code: driver.Unsupported, Message: "the provider config leads to an S3-compatible store, which has no databases: " +
				"choose a class or a provider config of an account that has"})
		}
		return table.Handle(newInstances(s))
	},
}

// preview is what driver.Driver says of a preview.
func preview(from, to v1alpha1.DatabaseParameters, applied driver.Applied) []driver.Change {
	from = withZoneOf(&to, from)
	have := instanceOf(&from)
	changes := fixedInPreview(&to, have, withoutIdleRole(&to, have, rows.Preview(&from, &to, applied, have)))
	return onceStarted(have, withBackupFirst(false, have, withStandby(withRestartAnnounced(withUpgrade(changes)))))
}

// consequences says what people should know before they create or delete a database.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_DeleteInstance.html
func consequences() driver.Consequences {
	return driver.Consequences{
		Noun: "RDS instance", SnapshotKept: "until somebody deletes it",
		WithSnapshot:    "its automated backups stay until they expire; a region keeps those of 40 deleted instances at most",
		WithoutSnapshot: "its automated backups are deleted with it; snapshots that somebody took by hand stay",
		Unset: []driver.UnsetField{
			{Field: "aws.instanceClass", Required: true, Means: "RDS creates no instance without an instance class: set spec.size to a size of the class, or set spec.aws.instanceClass"},
			// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.BackupRetention.html
			{Field: "backup.retentionDays", Means: "RDS keeps automated backups for 1 day: set spec.backup.retentionDays"},
		},
	}
}

// docs returns what the reference says of each row.
func docs() []driver.Field {
	return append(rows.Docs(), driver.Field{
		Field: driver.FieldUsername, Effects: []driver.PossibleEffect{{Effect: driver.Impossible, Instead: usernameInstead}},
	})
}

// describe returns an instance, nil if RDS says that there is none.
func (d *instances) describe(ctx context.Context, name string, options ...func(*rds.Options)) (*instance, error) {
	out, err := session.Call(ctx, d.Session, "DescribeDBInstances", d.rds.DescribeDBInstances,
		&rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name}, options...)
	if session.ErrorCode(err) == "DBInstanceNotFound" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(out.DBInstances) != 1 {
		return nil, &driver.Error{Code: driver.Internal, Op: "DescribeDBInstances",
			Message: fmt.Sprintf("RDS returned %d instances instead of one", len(out.DBInstances))}
	}
	return &instance{DBInstance: out.DBInstances[0]}, nil
}

// stateOfInstance is what an instance says of itself.
func stateOfInstance(req *request, have *instance, o *driver.Observation) {
	status := aws.ToString(have.DBInstanceStatus)
	o.State, o.Problem = stateOf(status)
	o.ID = aws.ToString(have.DbiResourceId)
	o.Mark = driver.MarkFrom(instanceTags(have))
	o.Location = aws.ToString(arnRegion(have.DBInstanceArn))
	o.Available, o.Stopped = available(have), status == "stopped"
	if o.Available { // what is to be said of it is that it runs, but
		o.Lost = cmp.Or(optionsProblem(&req.Spec, have), rolesProblem(&req.Spec, have))
	}
	o.Protected = aws.ToBool(have.DeletionProtection)
	o.Endpoint = endpointOf(have)
	o.Replication = &driver.Replication{Follows: following(have), Followers: followers(have)}
	o.Login = &driver.LoginState{CloudManaged: have.MasterUserSecret != nil, PasswordProblem: secretProblem(have)}
}

func endpointOf(have *instance) driver.Endpoint {
	if have.Endpoint == nil || aws.ToString(have.Endpoint.Address) == "" {
		return driver.Endpoint{}
	}
	return driver.Endpoint{
		Host:     *have.Endpoint.Address,
		Port:     aws.ToInt32(have.Endpoint.Port),
		Username: aws.ToString(have.MasterUsername),
		Database: aws.ToString(initialDatabase(have)),

		PasswordSecret: usableSecret(have),
	}
}

// creatable refuses what can't be created, before RDS does in words that do not help.
func creatable(req *request) error {
	var problems []error
	if req.Spec.Engine == nil {
		problems = append(problems, session.Invalid("set spec.engine to postgres, mysql or mariadb"))
	}
	if req.Spec.GCP == nil && (req.Spec.AWS == nil || req.Spec.AWS.InstanceClass == nil) {
		problems = append(problems, session.Invalid("set spec.aws.instanceClass, for example to db.t4g.micro"))
	}
	if req.Login.Password == "" && !req.CloudManaged && req.Restore == nil {
		problems = append(problems, session.Invalid("the administrator has no password"))
	}
	return table.Together(append(problems, checkSpec(&req.Spec, &instance{}, req.Location)...)...)
}

// create makes an instance. What nobody declared is RDS's choice, but for what is safe: encrypted, and not to be reached from the
// Internet.
func (d *instances) create(ctx context.Context, req *request, params *instanceParams) (driver.Result, error) {
	if req.Restore != nil && req.Restore.Follows {
		return replicator{d}.create(ctx, req, params)
	}
	if req.Restore != nil {
		return restorer{d}.restore(ctx, req, params)
	}
	username := req.Login.Username
	if username == "" {
		username = defaultUsername(*params.Engine)
	}
	in := &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: &req.Name,
		StorageType:          aws.String("gp3"),
		StorageEncrypted:     aws.Bool(true),
		PubliclyAccessible:   aws.Bool(false),
		CopyTagsToSnapshot:   aws.Bool(true),
		MasterUsername:       &username,
	}
	if err := makeGroup(ctx, d, req, params); err != nil {
		return driver.Result{}, err
	}
	creation.Copy(params, in)
	if aws.ToInt32(in.MonitoringInterval) == 0 {
		in.MonitoringRoleArn = nil
	}
	in.PreferredMaintenanceWindow = params.maintenanceWindow(&req.Spec, &instance{})
	in.AllocatedStorage = aws.Int32(max(aws.ToInt32(in.AllocatedStorage), leastStorage))
	growthOfNew(in)
	out, err := session.Call(ctx, d.Session, "CreateDBInstance", d.rds.CreateDBInstance, in, onceRDS)
	if err = explainManagement(err, in.ManageMasterUserPassword); err != nil {
		return driver.Result{}, explainMonitoring(explainKey(explainInsights(explainOptions(explainGroup(explainNetwork(explainGrowth(explainBackup(explainPassword(err), &instance{})))))),
			newKeys(in)), in.MonitoringRoleArn)
	}
	return created(out.DBInstance), nil
}

// makeGroup makes the DB parameter group of a new instance, if it is to have one of its own.
func makeGroup(ctx context.Context, d *instances, req *request, params *instanceParams) error {
	group, err := d.groups.ofNew(ctx, req, params)
	if group != "" {
		params.DBParameterGroupName = &group
	}
	return err
}

// created returns what RDS says of a new instance.
func created(made *types.DBInstance) (result driver.Result) {
	if made != nil {
		result.ID = aws.ToString(made.DbiResourceId)
	}
	return result
}

// list returns a page of the account's instances in the session's region, 100 at most. RDS has no filter by tags. The permission is
// rds:DescribeDBInstances, as for one instance. Instances of Amazon Neptune and Amazon DocumentDB are among them.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBInstances.html
func (d *instances) list(ctx context.Context, req driver.ListRequest) ([]table.Found[instance], string, error) {
	out, err := session.Call(ctx, d.Session, "DescribeDBInstances", d.rds.DescribeDBInstances, &rds.DescribeDBInstancesInput{Marker: session.Page(req)})
	if err != nil {
		return nil, "", err
	}
	found := make([]table.Found[instance], 0, len(out.DBInstances))
	for i := range out.DBInstances {
		have := &instance{DBInstance: out.DBInstances[i]}
		found = append(found, table.Found[instance]{Name: aws.ToString(have.DBInstanceIdentifier), Have: have})
	}
	return found, aws.ToString(out.Marker), nil
}

// onceRDS is what onceS3 is for buckets.
func onceRDS(o *rds.Options) { o.RetryMaxAttempts, o.Retryer = 1, aws.NopRetryer{} }
