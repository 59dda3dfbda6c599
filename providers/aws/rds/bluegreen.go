package rds

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// The statuses of a blue/green deployment. All others are failures.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_BlueGreenDeployment.html (Status)
const (
	preparing   = "PROVISIONING"
	prepared    = "AVAILABLE"
	switching   = "SWITCHOVER_IN_PROGRESS"
	switched    = "SWITCHOVER_COMPLETED"
	rolledBack  = "SWITCHOVER_FAILED"
	takenAway   = "DELETING"
	deployments = "bgd-" // how the identifiers of deployments begin
)

// A deployment is a blue/green deployment: what RDS prepares beside an instance, the source, to take its place.
type deployment struct{ types.BlueGreenDeployment }

func (d *deployment) id() string     { return aws.ToString(d.BlueGreenDeploymentIdentifier) }
func (d *deployment) status() string { return aws.ToString(d.Status) }

// targets are the names of the instances that RDS prepares: that which takes the source's place, and one for each read replica of the source.
func (d *deployment) targets() (names []string) {
	for _, member := range d.SwitchoverDetails {
		names = append(names, instanceIn(member.TargetMember))
	}
	names = append(names, instanceIn(d.Target))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// isBefore reports whether the source still has its own name, or RDS has not said yet that it has another one.
func (d *deployment) isBefore(name string) bool { return strings.EqualFold(instanceIn(d.Source), name) }

// instanceIn returns the name of an instance in its ARN.
func instanceIn(arn *string) string {
	_, name, _ := strings.Cut(aws.ToString(arn), ":db:")
	return name
}

// deploymentName returns the name of the deployment that brings an instance to a version. It follows from the two, so that a repeated call meets the same one.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateBlueGreenDeployment.html (BlueGreenDeploymentName)
func deploymentName(id, version string) string {
	return deploymentsOf(id) + strings.ReplaceAll(version, ".", "-")
}

// deploymentsOf is how the names of an instance's deployments begin.
func deploymentsOf(id string) string {
	return "mooring-" + strings.TrimPrefix(strings.ToLower(id), "db-") + "-to-"
}

// versionIn returns the version to which a deployment of ours brings an instance; empty for a deployment of another instance, or of somebody else.
func (d *deployment) versionIn(id string) string {
	version, ours := strings.CutPrefix(aws.ToString(d.BlueGreenDeploymentName), deploymentsOf(id))
	if !ours {
		return ""
	}
	return strings.ReplaceAll(version, "-", ".")
}

// A deployer upgrades instances by blue/green deployments.
type deployer struct{ of *instances }

// describe returns a deployment; nil if there is none.
func (p deployer) describe(ctx context.Context, in *rds.DescribeBlueGreenDeploymentsInput) (*deployment, error) {
	out, err := session.Call(ctx, p.of.Session, "DescribeBlueGreenDeployments", p.of.rds.DescribeBlueGreenDeployments, in)
	if session.ErrorCode(err) == "BlueGreenDeploymentNotFound" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(out.BlueGreenDeployments) == 0 {
		return nil, nil
	}
	return &deployment{out.BlueGreenDeployments[0]}, nil
}

func (p deployer) withID(ctx context.Context, id string) (*deployment, error) {
	return p.describe(ctx, &rds.DescribeBlueGreenDeploymentsInput{BlueGreenDeploymentIdentifier: &id})
}

// by returns the deployment that a filter finds.
func (p deployer) by(ctx context.Context, filter, value string) (*deployment, error) {
	return p.describe(ctx, &rds.DescribeBlueGreenDeploymentsInput{Filters: []types.Filter{{Name: &filter, Values: []string{value}}}})
}

// prepares matches the name of an instance that RDS prepares for a deployment.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-switching.html
var prepares = regexp.MustCompile(`-green-[a-z0-9]{6}$`)

// find returns the deployment that the request names, or one of the object that nobody knows of because the answer to its creation was lost: the instance that RDS prepares follows
// this one. It is nil if there is none. Without either no call is made, but for a deletion.
func (p deployer) find(ctx context.Context, req *request, have *instance) (*deployment, error) {
	if strings.HasPrefix(req.Operation, deployments) {
		return p.withID(ctx, req.Operation)
	}
	prepared := have != nil && slices.ContainsFunc(have.ReadReplicaDBInstanceIdentifiers, prepares.MatchString)
	if have == nil || !prepared && (req.Deletion == nil || !req.Beside) { // nothing of it may be left by a deletion, however it follows this one
		return nil, nil
	}
	d, err := p.by(ctx, "source", aws.ToString(have.DBInstanceArn))
	switch {
	case driver.CodeOf(err) == driver.Denied: // whoever may not look makes none either
		return nil, nil
	case err != nil || d == nil || d.versionIn(aws.ToString(have.DbiResourceId)) == "" || !driver.MarkFrom(tagsOf(d.TagList)).SameOwner(req.Mark):
		return nil, err
	}
	return d, nil
}

// observe is table.Succession.Observe.
func (p deployer) observe(ctx context.Context, req *request, have *instance, o *driver.Observation) error {
	d, err := p.find(ctx, req, have)
	if err == nil && d != nil {
		err = p.observeDeployment(ctx, req, have, d, o)
	}
	if err != nil || req.Former == nil || o.Succession.GetFormer() != nil {
		return err
	}
	former, err := p.formerOf(ctx, req, *req.Former)
	o.Succession = &driver.Succession{Succeeds: o.Succession.GetSucceeds(), Former: former}
	return err
}

func (p deployer) observeDeployment(ctx context.Context, req *request, have *instance, d *deployment, o *driver.Observation) error {
	seen := driver.Replication{Follows: o.Replication.GetFollows()}
	for _, name := range o.Replication.GetFollowers() {
		if !slices.Contains(d.targets(), name) {
			seen.Followers = append(seen.Followers, name)
		}
	}
	o.Replication = &seen
	switch {
	case d.status() == switching:
		changesPlaces(req, d, o, p.of.Region)
		return nil
	case d.status() == switched || d.status() == takenAway && !d.isBefore(req.Name):
		return p.observeSuccession(ctx, req, have, d, o)
	case have == nil && req.Deletion == nil:
		return nil
	case have == nil: // what was prepared for it is left, and goes with it
		o.State, o.ID, o.Mark, o.Location, o.Operation, o.Applied = driver.Ready, req.ID, req.Mark, p.of.Region, d.id(), nil
	case o.State != driver.Ready && o.State != driver.Pending:
		o.Operation = d.id()
		return nil
	}
	o.Operation = d.id()
	if d.status() == takenAway {
		o.State, o.Work = driver.Pending, driver.Work{What: "deleting the server that it prepared beside this one"}
	}
	if d.status() == takenAway || req.Deletion != nil {
		return nil
	}
	return p.stage(ctx, req, have, d, o)
}

// stage completes the observation of an instance beside which another one is being prepared, or was. All that it differs in waits for that.
func (p deployer) stage(ctx context.Context, req *request, have *instance, d *deployment, o *driver.Observation) error {
	upgrade, to, err := p.wanted(ctx, req, have, d, o.Changes)
	if err != nil {
		return err
	}
	if upgrade == nil {
		o.LeftOut = append(o.LeftOut, table.LeftOut(o.Changes, nil)...)
		o.Changes = []driver.Change{{Field: driver.FieldStrategy, From: to, Effect: driver.Online, Why: "RDS deletes the server that it prepared beside this one"}}
		if d.status() != preparing && d.status() != prepared && d.status() != rolledBack && req.Operation == d.id() {
			o.OperationError = failureOf(d)
		}
		return nil
	}
	switch d.status() {
	case preparing:
		o.State = driver.Pending
		o.Work = driver.Work{What: fmt.Sprintf("preparing a server with version %s beside this one", to), Since: aws.ToTime(d.CreateTime).UTC()}
	case prepared:
		upgrade.Why = join(upgrade.Why, fmt.Sprintf("RDS has prepared a server with version %s, which takes the place of this one", to))
	case rolledBack:
		upgrade.Why = join(upgrade.Why, "RDS could not put the server that it prepared in the place of this one, which goes on as before", aws.ToString(d.StatusDetails))
	default:
		if req.Operation == d.id() {
			o.OperationError = failureOf(d)
		}
	}
	o.LeftOut = append(o.LeftOut, table.LeftOut(o.Changes, []driver.Change{*upgrade})...)
	o.Changes = []driver.Change{*upgrade}
	return nil
}

// besideCost is what an upgrade costs that another server makes, in place of what it costs in place.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-switching.html
const besideCost = "connections break when the server that RDS prepares beside this one takes over, usually for less than a minute"

// costBeside has changes say what an upgrade costs that another server makes.
func costBeside(beside bool, changes []driver.Change) []driver.Change {
	if !beside {
		return changes
	}
	changes = slices.Clone(changes)
	for i := range changes {
		if changes[i].Field == "version" {
			changes[i].Why = strings.Replace(changes[i].Why, upgradeCost.Text, besideCost, 1)
		}
	}
	return changes
}

// join makes one text of several; empty ones are left out.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// wanted returns the change of the version that a deployment makes; nil if the request does not want that any more. It also returns the version of the server that was prepared: the one that was asked for, or
// the one that it has if that is not enough to know.
func (p deployer) wanted(ctx context.Context, req *request, have *instance, d *deployment, changes []driver.Change) (upgrade *driver.Change, to string, err error) {
	to = d.versionIn(aws.ToString(have.DbiResourceId))
	at := slices.IndexFunc(changes, func(c driver.Change) bool { return c.Field == "version" && c.Effect != driver.Impossible })
	switch {
	case !req.Beside || at < 0 || to == "" || req.Spec.Version == nil:
		return nil, to, nil
	case portable.VersionServes(have.engine(), *req.Spec.Version, to):
	case portable.MajorVersion(have.engine(), *req.Spec.Version) != to: // another version altogether
		return nil, to, nil
	case d.status() == prepared || d.status() == rolledBack:
		target, err := p.of.describe(ctx, instanceIn(d.Target))
		if err != nil {
			return nil, "", err
		}
		if target != nil && aws.ToString(target.EngineVersion) != "" {
			to = *target.EngineVersion
		}
		if !portable.VersionServes(have.engine(), *req.Spec.Version, to) {
			return nil, to, nil
		}
	}
	return &changes[at], to, nil
}

// failureOf is why nothing can take an instance's place by a deployment.
func failureOf(d *deployment) *driver.Error {
	return &driver.Error{Code: driver.Invalid, Op: "CreateBlueGreenDeployment", Message: "RDS could not prepare a server that takes the place of this one: " +
		cmp.Or(strings.TrimRight(aws.ToString(d.StatusDetails), ". "), "the blue/green deployment has the status "+d.status()) +
		"; the server goes on as before. Correct the cause, and set the annotation mooring.dev/reconcile to another value: Mooring then deletes what was prepared, and prepares another one. Or set spec.updates.strategy to InPlace"}
}

// changesPlaces is the observation of an instance that another one replaces now: who has its name at the moment, if anybody, says nothing.
func changesPlaces(req *request, d *deployment, o *driver.Observation, region string) {
	*o = driver.Observation{
		State: driver.Pending, ID: req.ID, Mark: req.Mark, Location: region, Operation: d.id(), Applied: o.Applied, Fixed: o.Fixed, Mirror: o.Mirror, Endpoint: o.Endpoint,
		Unreadable: o.Unreadable, Unread: o.Unread, Replication: &driver.Replication{Followers: o.Replication.GetFollowers()},
		Login: &driver.LoginState{CloudManaged: o.Login.GetCloudManaged()}, Protected: o.Protected, Available: o.Available, Actions: o.Actions,
		Work: driver.Work{What: "putting the server that it prepared in the place of this one", Usually: "less than a minute"},
	}
}

// observeSuccession completes the observation of an instance that was put in the place of another one. Which one that was, RDS says by the source of the deployment: it has another name now, and its identity. While a read
// does not show all that yet, it goes on.
func (p deployer) observeSuccession(ctx context.Context, req *request, have *instance, d *deployment, o *driver.Observation) error {
	if have == nil && req.ID != "" && d.isBefore(req.Name) {
		changesPlaces(req, d, o, p.of.Region)
		return nil
	}
	if have == nil {
		return nil
	}
	id := aws.ToString(have.DbiResourceId)
	if d.isBefore(req.Name) {
		changesPlaces(req, d, o, p.of.Region)
		return nil
	}
	source, err := p.of.describe(ctx, instanceIn(d.Source))
	switch {
	case err != nil:
		return err
	case source == nil: // deleted by somebody, or not shown yet: the name of a deployment of Mooring's says whose successor this is as well, and the caller looks for the former one
		if req.ID != "" && id != req.ID && d.versionIn(req.ID) != "" && driver.MarkFrom(tagsOf(d.TagList)).SameOwner(req.Mark) {
			was := &driver.Former{ParentRef: driver.ParentRef{Name: instanceIn(d.Source), ID: req.ID}, Pending: true}
			o.Succession, o.Operation = &driver.Succession{Succeeds: req.ID, Former: was}, d.id()
		}
		return nil
	case aws.ToString(source.DbiResourceId) == id:
		changesPlaces(req, d, o, p.of.Region)
		return nil
	case aws.ToString(source.DbiResourceId) != req.ID && id != req.ID || d.versionIn(aws.ToString(source.DbiResourceId)) == "":
		return nil
	}
	was := former(source)
	o.Succession = &driver.Succession{Succeeds: was.ID, Former: was}
	if req.ID != id || req.Former == nil || req.Former.ID != was.ID {
		o.Operation = d.id() // the caller does not know all yet
	}
	return nil
}

// formerOf reads the instance in whose place another one was put; nil if it is gone, if another one has its name, or if it is another object's by now.
func (p deployer) formerOf(ctx context.Context, req *request, of driver.ParentRef) (*driver.Former, error) {
	have, err := p.of.describe(ctx, of.Name)
	if err != nil || have == nil || aws.ToString(have.DbiResourceId) != of.ID {
		return nil, err
	}
	f := former(have)
	if !f.Mark.Zero() && !f.Mark.SameOwner(req.Mark) && !f.Mark.PartOf(req.Mark) {
		return nil, nil
	}
	return f, nil
}

func former(have *instance) *driver.Former {
	state, _ := stateOf(aws.ToString(have.DBInstanceStatus))
	return &driver.Former{
		ParentRef: driver.ParentRef{Name: aws.ToString(have.DBInstanceIdentifier), ID: aws.ToString(have.DbiResourceId)},
		Mark:      driver.MarkFrom(instanceTags(have)), Pending: state == driver.Pending || state == driver.Deleting,
	}
}
