package rds

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// together is table.Succession.Together: groups and parameters of the new version, which the present one does not take.
func (p deployer) together(ctx context.Context, req *request, have *instance, changes []driver.Change) (with []driver.Change, err error) {
	groups := p.of.groups.calls
	for _, c := range changes {
		later := false
		switch {
		case c.Field == parameterGroup && !isRestart(c) && awsOf(&req.Spec).DBParameterGroupName != nil:
			later, err = groups.isOfAnother(ctx, *awsOf(&req.Spec).DBParameterGroupName, have.family())
		case c.Field == "parameters" && len(c.Names) > 0:
			list := groups.list(ctx, have.family(), c.Names)
			later = list != nil && slices.ContainsFunc(c.Names, func(name string) bool { _, has := list[name]; return !has })
		}
		if err != nil {
			return nil, err
		}
		if later {
			with = append(with, c)
		}
	}
	return with, nil
}

// isOfAnother reports whether a group is of another family.
func (g *parameterGroups) isOfAnother(ctx context.Context, group, family string) (bool, error) {
	if of, isDefault := strings.CutPrefix(strings.ToLower(group), "default."); isDefault {
		return of != family, nil
	}
	found, err := g.find(ctx, group)
	return found != nil && found.family != family, err
}

// upgrade is table.Succession.Upgrade.
func (p deployer) upgrade(ctx context.Context, req *request, changes []driver.Change, look func() (*instance, *instanceParams, error)) (operation string, err error) {
	if strings.HasPrefix(req.Operation, deployments) {
		d, err := p.withID(ctx, req.Operation)
		if err != nil {
			return "", err
		}
		if d != nil {
			return p.goOn(ctx, d, look)
		}
	}
	have, params, err := look()
	if err != nil {
		return "", err
	}
	return p.prepare(ctx, req, have, params, changes)
}

// goOn does the next step of a deployment that the request names: it takes over, or what was prepared in vain is deleted. While RDS is at work on it, and once it is done, there is none.
func (p deployer) goOn(ctx context.Context, d *deployment, look func() (*instance, *instanceParams, error)) (operation string, err error) {
	switch d.status() {
	case preparing, switching, switched, takenAway:
		return d.id(), nil
	}
	have, _, err := look() // which refuses another instance of the name
	if err != nil {
		return "", err
	}
	switch d.status() {
	case prepared, rolledBack:
		return p.takeOver(ctx, d, have)
	}
	return d.id(), p.takeAway(ctx, d)
}

// takeOver has the server that was prepared take the place of the instance. What RDS refuses counts only if it has not begun since.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_SwitchoverBlueGreenDeployment.html
func (p deployer) takeOver(ctx context.Context, d *deployment, have *instance) (operation string, err error) {
	if d.versionIn(aws.ToString(have.DbiResourceId)) == "" || !d.isBefore(aws.ToString(have.DBInstanceIdentifier)) {
		return "", &driver.Error{Code: driver.Conflict, Op: "DescribeBlueGreenDeployments", Message: "blue/green deployment " + d.id() + " is not about this instance"}
	}
	if err := besideRefusal(have); err != nil { // as of now, and not as it was when the preparation began
		return d.id(), err
	}
	_, err = session.Call(ctx, p.of.Session, "SwitchoverBlueGreenDeployment", p.of.rds.SwitchoverBlueGreenDeployment,
		&rds.SwitchoverBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: d.BlueGreenDeploymentIdentifier}, onceRDS)
	if session.ErrorCode(err) != "InvalidBlueGreenDeploymentState" {
		return d.id(), err
	}
	now, unread := p.withID(ctx, d.id())
	if unread == nil && now != nil && (now.status() == switching || now.status() == switched) {
		return d.id(), nil // somebody asked for it since
	}
	e := *session.AsError(err)
	e.Message = "RDS can't put the server that it prepared in the place of this one now: " + e.Message + "; Mooring tries again"
	return d.id(), &e
}

// prepare has RDS prepare a server of another version beside an instance. One that an earlier call had it prepare is gone on with.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateBlueGreenDeployment.html
func (p deployer) prepare(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change) (operation string, err error) {
	if req.Former != nil {
		return "", session.Invalid("%s, which the server was before its last upgrade, is there: approve its deletion first (status.pendingChanges), or delete it in RDS", req.Former.Name)
	}
	to := *params.EngineVersion
	name := deploymentName(aws.ToString(have.DbiResourceId), to)
	if d, err := p.by(ctx, "blue-green-deployment-name", name); err != nil || d != nil {
		return p.known(ctx, d, have, err)
	}
	if err := besideRefusal(have); err != nil {
		return "", err
	}
	if _, _, err := p.of.groups.change(ctx, req, have, params, changes); err != nil {
		return "", err
	}
	out, err := session.Call(ctx, p.of.Session, "CreateBlueGreenDeployment", p.of.rds.CreateBlueGreenDeployment, &rds.CreateBlueGreenDeploymentInput{
		BlueGreenDeploymentName: &name, Source: have.DBInstanceArn, TargetEngineVersion: &to, TargetDBParameterGroupName: groupBeside(&req.Spec, have, params, to),
		Tags: rdsTags(req.Mark.Labels()),
	}, onceRDS)
	switch {
	case session.ErrorCode(err) == "BlueGreenDeploymentAlreadyExists":
		d, unread := p.by(ctx, "blue-green-deployment-name", name)
		if unread == nil && d != nil {
			return p.known(ctx, d, have, nil)
		}
		return "", err
	case err != nil:
		return "", explainBeside(explainGroup(err), have, to)
	case out.BlueGreenDeployment == nil:
		return "", &driver.Error{Code: driver.Internal, Op: "CreateBlueGreenDeployment", Message: "RDS did not say which deployment it made"}
	}
	return aws.ToString(out.BlueGreenDeployment.BlueGreenDeploymentIdentifier), nil
}

// known returns the deployment of a name as the operation, if it is that of the instance. One that failed is deleted first.
func (p deployer) known(ctx context.Context, d *deployment, have *instance, err error) (operation string, _ error) {
	if err != nil {
		return "", err
	}
	if aws.ToString(d.Source) != aws.ToString(have.DBInstanceArn) && d.status() != switched {
		return "", &driver.Error{Code: driver.Conflict, Op: "DescribeBlueGreenDeployments",
			Message: "a blue/green deployment of another instance has the name " + aws.ToString(d.BlueGreenDeploymentName) + ": delete it in RDS"}
	}
	switch d.status() {
	case preparing, prepared, rolledBack, switching, switched, takenAway:
		return d.id(), nil
	}
	return d.id(), p.takeAway(ctx, d)
}

// groupBeside returns the DB parameter group of the server that is prepared: that of the spec, the own one that was made for it, or for a minor version that of the instance. It is nil where RDS chooses the default group of a
// new family. It is always named where it is known: without it, RDS takes the default one.
// https://github.com/hashicorp/terraform-provider-aws/issues/49132
func groupBeside(spec *databaseSpec, have *instance, params *instanceParams, to string) *string {
	group := first(params.DBParameterGroupName, awsOf(spec).DBParameterGroupName)
	if now := groupName(have); group == nil && now != "" && !have.isMajor(to) {
		group = &now
	}
	return group
}

// undo is table.Succession.Undo.
func (p deployer) undo(ctx context.Context, req *request, have *instance) (operation string, err error) {
	d, err := p.find(ctx, req, have)
	switch {
	case err != nil || d == nil:
		return "", err
	case d.status() == takenAway, d.status() == switched: // then it says which one was the former, and goes with that
		return d.id(), nil
	}
	return d.id(), p.takeAway(ctx, d)
}

// takeAway deletes a deployment with what it prepared, or the deployment alone once that has taken the instance's place. The protection of what was prepared is that of the source.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-deleting.html
func (p deployer) takeAway(ctx context.Context, d *deployment) error {
	in := &rds.DeleteBlueGreenDeploymentInput{BlueGreenDeploymentIdentifier: d.BlueGreenDeploymentIdentifier}
	if d.status() != switched {
		in.DeleteTarget = aws.Bool(true)
		for _, name := range d.targets() {
			target, err := p.of.describe(ctx, name)
			if err == nil && target != nil && prepares.MatchString(name) {
				err = p.unprotect(ctx, target)
			}
			if err != nil {
				return err
			}
		}
	}
	_, err := session.Call(ctx, p.of.Session, "DeleteBlueGreenDeployment", p.of.rds.DeleteBlueGreenDeployment, in, onceRDS)
	switch session.ErrorCode(err) {
	case "BlueGreenDeploymentNotFound":
		return nil
	case "InvalidBlueGreenDeploymentState":
		if now, unread := p.withID(ctx, d.id()); unread == nil && (now == nil || now.status() == takenAway) {
			return nil // an earlier call did it
		}
	}
	return err
}

// unprotect lifts the deletion protection of an instance, if it has any.
func (p deployer) unprotect(ctx context.Context, have *instance) error {
	if !aws.ToBool(have.DeletionProtection) {
		return nil
	}
	_, err := session.Call(ctx, p.of.Session, "ModifyDBInstance", p.of.rds.ModifyDBInstance, &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: have.DBInstanceIdentifier, DeletionProtection: aws.Bool(false), ApplyImmediately: aws.Bool(true),
	}, onceRDS)
	return err
}

// besideRefusal says why RDS can't prepare a server beside an instance, where that is sure without asking; nil if it can.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-considerations.html
func besideRefusal(have *instance) error {
	others := slices.DeleteFunc(slices.Clone(have.ReadReplicaDBInstanceIdentifiers), prepares.MatchString)
	switch {
	case len(others) > 0:
		return session.Invalid("RDS would put other servers in the places of the read replicas %s, too: promote or delete them first, or set spec.updates.strategy to InPlace", strings.Join(others, ", "))
	case following(have) != nil:
		return session.Invalid("RDS has blue/green deployments of primaries, with their read replicas, and not of a read replica: set spec.updates.strategy to InPlace")
	case aws.ToInt32(have.BackupRetentionPeriod) == 0:
		return session.Invalid("the server has no automated backups, without which RDS prepares none beside it: set spec.backup.retentionDays to 1 or more, or set spec.updates.strategy to InPlace")
	case aws.ToString(have.DBInstanceStatus) == "stopped":
		return &driver.Error{Code: driver.Busy, Op: "DescribeDBInstances", Message: "the server is stopped, and RDS prepares servers beside running ones: set spec.powerState to Running"}
	}
	return nil
}

// explainBeside says what to do about a refusal, before RDS's own words. What RDS refuses in which words, public sources say of logical replication alone.
// https://repost.aws/knowledge-center/rds-postgresql-blue-green-deployment-error
func explainBeside(err error, have *instance, to string) error {
	explained := session.AsError(err)
	if explained == nil {
		return err
	}
	e, says := *explained, ""
	switch code, words := session.ErrorCode(err), strings.ToLower(explained.Message); {
	case code == "InvalidDBInstanceState" && strings.Contains(words, "blue/green deployment"):
		says = "there is a blue/green deployment of this instance in RDS which Mooring can't tell for its own: delete it there if somebody else made it"
	case code == "InvalidParameterCombination" && strings.Contains(words, "upgrade"):
		says = "RDS can't upgrade version " + aws.ToString(have.EngineVersion) + " to " + to + ": set spec.version to one that it can"
	case code != "SourceDatabaseNotSupported":
		return err
	case have.MasterUserSecret != nil:
		says = "RDS prepares no server beside one whose password AWS Secrets Manager keeps: set spec.credentials.source to Generated or SecretRef, or set spec.updates.strategy to InPlace"
	case strings.Contains(words, "logical replication"):
		says = `set rds.logical_replication to "1" in spec.parameters, or in the DB parameter group, and have the server restarted: RDS needs it for another major version of PostgreSQL. Or set spec.updates.strategy to InPlace`
	case strings.Contains(words, "option group"):
		says = "remove spec.aws.optionGroupName, or set spec.updates.strategy to InPlace"
	case strings.Contains(words, "replica"):
		says = "RDS prepares a server beside one whose read replicas are in its region and have none of their own: delete the others, or set spec.updates.strategy to InPlace"
	default:
		says = "RDS prepares no server beside this one: set spec.updates.strategy to InPlace"
	}
	e.Code, e.Message = driver.Invalid, says+". RDS says: "+e.Message
	return &e
}
